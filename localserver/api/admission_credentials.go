package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// identifyCaller finds out who calls: by an API key on the SDK side, by a token on
// the web side. Neither counts on the other one.
func (c *Checker) identifyCaller(row *Route, w http.ResponseWriter, r *http.Request, call *Call) (err error) {
	if !row.Access.NeedsAPIKey() {
		call.User, err = c.checkToken(row, r)
		return err
	}
	call.Key, err = c.checkAPIKey(r)
	if err = c.limitKey(row, call.Key, err, w, r); err != nil {
		return err
	}
	call.CallersModel, err = readCallersModel(row, r)
	return err
}

// checkToken returns the caller, or the zero User if the row admits callers without a token and it
// is missing.
func (c *Checker) checkToken(row *Route, r *http.Request) (identity.User, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if row.Access == Account || row.Access == Player && c.ChatNeedsToken {
			return identity.User{}, Unauthenticated(nil)
		}
		return identity.User{}, nil
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return identity.User{}, WrongScheme()
	}
	user, err := c.Verifier.Verify(r.Context(), strings.TrimSpace(token))
	if err != nil {
		return identity.User{}, FromVerification(err)
	}
	return user, c.keepUser(r.Context(), user)
}

// keepUser keeps the caller's name before anything is kept that refers to it.
func (c *Checker) keepUser(ctx context.Context, u identity.User) error {
	return c.Store.UpsertUser(ctx, store.User{ID: u.ID, Email: u.Email, DisplayName: u.DisplayName})
}

// An API key is KeyPrefix and 32 hexadecimal digits; keyShown characters of it
// are kept to recognise it by.
const (
	KeyPrefix = "pk_live_"
	keyBytes  = 16
	keyShown  = len(KeyPrefix) + 4
)

// NewAPIKey generates an API key, the part that may be shown, and its hash.
func NewAPIKey() (key, shown, hash string) {
	secret := make([]byte, keyBytes)
	// Since Go 1.24 this never fails.
	_, _ = rand.Read(secret)
	key = KeyPrefix + hex.EncodeToString(secret)
	return key, key[:keyShown], HashAPIKey(key)
}

// HashAPIKey returns the stored form of a key. A key is 128 random bits, so a plain hash cannot be
// reversed by guessing.
func HashAPIKey(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:])
}

// checkAPIKey finds the API key of a request. It reads the store each time, so that a revoked key
// is refused at once. The store looks up the key's hash. A caller cannot choose the beginning of a
// hash, so the duration reveals nothing about any key; the deciding comparison takes constant time.
func (c *Checker) checkAPIKey(r *http.Request) (store.Key, error) {
	sent := r.Header.Get(wire.HeaderAPIKey)
	if sent == "" {
		return store.Key{}, UnknownKey("this needs an API key in the header " + wire.HeaderAPIKey)
	}
	hash := HashAPIKey(sent)
	k, err := c.Store.KeyByHash(r.Context(), hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Key{}, UnknownKey("the API key is unknown or revoked")
	case err != nil:
		return store.Key{}, err
	case subtle.ConstantTimeCompare([]byte(k.Hash), []byte(hash)) != 1:
		return store.Key{}, UnknownKey("the API key is unknown or revoked")
	}
	return k, c.Store.TouchKey(r.Context(), k)
}

// readCallersModel reads the headers with keys and models of a caller on the SDK side. Their values
// are used only for the call; they never appear in errors, in the log or in the store.
func readCallersModel(row *Route, r *http.Request) (llm.Caller, error) {
	if !row.Access.NeedsModelKey() {
		return llm.Caller{}, nil
	}
	if r.Header.Get(wire.HeaderLLMKey) == "" {
		return llm.Caller{}, BadRequest("this needs your model provider's key in the header " + wire.HeaderLLMKey)
	}
	var caller llm.Caller
	for _, h := range []struct {
		key, model string
		into       *llm.ModelChoice
	}{
		{wire.HeaderLLMKey, wire.HeaderLLMModel, &caller.ModelChoice},
		{wire.HeaderLLMEvalKey, wire.HeaderLLMEvalModel, &caller.Evaluation},
		{wire.HeaderLLMResponseKey, wire.HeaderLLMResponseModel, &caller.Response},
		{wire.HeaderLLMSummarizationKey, wire.HeaderLLMSummarizationModel, &caller.Summarization},
	} {
		key, model := r.Header.Get(h.key), r.Header.Get(h.model)
		if len(key) > MaxModelKey {
			return llm.Caller{}, headerTooLong(h.key, MaxModelKey)
		}
		if len(model) > MaxModelName {
			return llm.Caller{}, headerTooLong(h.model, MaxModelName)
		}
		*h.into = llm.ModelChoice{Key: llm.NewSecret(key), Model: model}
	}
	return caller, nil
}

func headerTooLong(header string, limit int) error {
	return BadRequest(fmt.Sprintf("%s is longer than %d bytes", header, limit))
}
