package localserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// admit does what a row says before its handler runs: how often, who may, the
// body's limit, the idempotency key. In this order, so that a stranger makes the
// server read nothing. What goes wrong on purpose comes last.
func (s *service) admit(row *route) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		c, err := s.enter(row, w, r)
		if err != nil {
			writeFailure(w, r, s.fail(r.Context(), err))
			return
		}
		c.humaContext = ctx
		next(c)
	}
}

func (s *service) enter(row *route, w http.ResponseWriter, r *http.Request) (*call, error) {
	c := &call{}
	err := s.limitAddress(row, w, r)
	if err != nil {
		return nil, err
	}
	if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
		return nil, refuse(http.StatusBadRequest, wire.CodeBadRequest, "the query cannot be read: a % must be followed by two hexadecimal digits")
	}
	if err = s.identifyCaller(row, w, r, c); err != nil {
		return nil, err
	}
	if c.body, err = readBody(row.maxBody, w, r); err != nil {
		return nil, err
	}
	if row.idempotent {
		if c.idempotency, err = readIdempotencyKey(r, c.body); err != nil {
			return nil, err
		}
	}
	return c, s.goWrong(row, r)
}

// identifyCaller finds out who calls: by an API key on the SDK side, by a token on
// the web side. Neither counts on the other one.
func (s *service) identifyCaller(row *route, w http.ResponseWriter, r *http.Request, c *call) (err error) {
	if row.who != sdk && row.who != sdkPlayer {
		c.user, err = s.authenticate(row, r)
		return err
	}
	c.key, err = s.authenticateKey(r)
	if err = s.limitKey(row, c.key, err, w, r); err != nil {
		return err
	}
	c.lent, err = lentBy(row, r)
	return err
}

// authenticate gives the caller, or the zero User where a row lets callers in
// without a token and there is none.
func (s *service) authenticate(row *route, r *http.Request) (identity.User, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if row.who == account || row.who == player && s.chatAuth == ChatAuthRequired {
			return identity.User{}, unauthenticated(nil)
		}
		return identity.User{}, nil
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return identity.User{}, unauthenticated(&identity.InvalidToken{Reason: "the scheme must be Bearer"})
	}
	user, err := s.verifier.Verify(r.Context(), strings.TrimSpace(token))
	if err != nil {
		return identity.User{}, verificationFailure(err)
	}
	return user, s.remember(r.Context(), user)
}

func verificationFailure(err error) error {
	if _, ok := errors.AsType[*identity.InvalidToken](err); ok {
		return unauthenticated(err)
	}
	if away, ok := errors.AsType[*identity.Unavailable](err); ok {
		f := refuse(http.StatusServiceUnavailable, wire.CodeUnavailable, away.Error())
		f.cause = away.Cause
		return f
	}
	return err
}

// remember keeps the caller's name before anything is kept that refers to it.
func (s *service) remember(ctx context.Context, u identity.User) error {
	return s.store.UpsertUser(ctx, store.User{ID: u.ID, Email: u.Email, DisplayName: u.DisplayName})
}

// readBody reads a JSON body of at most limit bytes; 0 reads none. A body in
// another format is refused, not guessed at: a web page may send text/plain to
// any address without being asked, but not JSON.
func readBody(limit int64, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if limit == 0 {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		return nil, unreadable(limit, err)
	}
	if len(body) > 0 && !isJSON(r.Header.Get("Content-Type")) {
		return nil, refuse(http.StatusUnsupportedMediaType, wire.CodeBadRequest, "the body must be JSON, with Content-Type: "+contentJSON)
	}
	if !utf8.Valid(body) {
		return nil, refuse(http.StatusBadRequest, wire.CodeBadRequest, "the body is not UTF-8, as JSON must be")
	}
	return body, nil
}

func tooLarge(limit int64) error {
	return refuse(http.StatusRequestEntityTooLarge, wire.CodeTooLarge, fmt.Sprintf("the body is longer than %d bytes", limit))
}

func unreadable(limit int64, err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(limit)
	}
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return refuse(http.StatusRequestTimeout, wire.CodeBadRequest, "the body did not come in time")
	}
	return refuse(http.StatusBadRequest, wire.CodeBadRequest, "the body ended too soon")
}

// isJSON accepts an absent type too: plain clients leave it out.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == contentJSON || strings.HasSuffix(media, "+json"))
}

// readIdempotencyKey reads the Idempotency-Key. The hash covers path and query as well as
// the body, so that a key belongs to one request and not to one text. A stream is
// the same request as its message, so that what broke off as one can be asked for
// as the other.
func readIdempotencyKey(r *http.Request, body []byte) (play.Idempotency, error) {
	key := r.Header.Get(wire.HeaderIdempotencyKey)
	if key == "" {
		return play.Idempotency{}, nil
	}
	if len(key) > wire.MaxIdempotencyKey {
		return play.Idempotency{}, refuse(http.StatusBadRequest, wire.CodeBadRequest,
			fmt.Sprintf("%s is longer than %d bytes", wire.HeaderIdempotencyKey, wire.MaxIdempotencyKey))
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s?%s\n", strings.TrimSuffix(r.URL.Path, "/stream"), r.URL.Query().Encode())
	hash.Write(body)
	return play.Idempotency{Key: key, BodyHash: hex.EncodeToString(hash.Sum(nil))}, nil
}
