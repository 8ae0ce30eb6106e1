package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// readBody reads the body, and rejects any Content-Type except JSON. Browsers let every web page
// send text/plain to any address.
func readBody(limit int64, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, bodyTooLarge(limit)
		}
		if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
			return nil, NewError(http.StatusRequestTimeout, wire.CodeBadRequest, "the body was not received in time")
		}
		return nil, BadRequest("the body ended before it was complete")
	}
	// Some editors and libraries write a byte order mark first.
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if len(body) > 0 && !isJSON(r.Header.Get("Content-Type")) {
		return nil, NewError(http.StatusUnsupportedMediaType, wire.CodeMediaType, "the body must be JSON, with Content-Type: "+ContentJSON)
	}
	if !utf8.Valid(body) {
		return nil, BadRequest("the body is not UTF-8, as JSON must be")
	}
	return body, nil
}

func bodyTooLarge(limit int64) error {
	return NewError(http.StatusRequestEntityTooLarge, wire.CodeTooLarge, fmt.Sprintf("the body is longer than %d bytes", limit))
}

// isJSON reports whether the Content-Type is JSON. It also accepts an empty Content-Type, because
// simple clients send none.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == ContentJSON || strings.HasSuffix(media, "+json"))
}

// readIdempotencyKey returns the Idempotency-Key with a hash of the path, the query and the body,
// so that a key identifies one request. StreamSuffix is not hashed, so that a client can repeat an
// interrupted stream as an ordinary request.
func readIdempotencyKey(r *http.Request, body []byte) (play.Idempotency, error) {
	key := r.Header.Get(wire.HeaderIdempotencyKey)
	if key == "" {
		return play.Idempotency{}, nil
	}
	if len(key) > wire.MaxIdempotencyKey {
		return play.Idempotency{}, headerTooLong(wire.HeaderIdempotencyKey, wire.MaxIdempotencyKey)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s?%s\n", strings.TrimSuffix(r.URL.Path, StreamSuffix), r.URL.Query().Encode())
	hash.Write(body)
	return play.Idempotency{Key: key, BodyHash: hex.EncodeToString(hash.Sum(nil))}, nil
}
