package api

import (
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

// identifyCaller checks the API key on the SDK side and the token on the web side. It ignores a
// token on the SDK side and an API key on the web side.
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
		// The client is told no error code, as for missing credentials (RFC 6750 section 3.1).
		e := Unauthenticated(nil)
		e.Message = (&identity.InvalidToken{Reason: "the scheme must be Bearer"}).Error()
		return identity.User{}, e
	}
	user, err := c.Verifier.Verify(r.Context(), strings.TrimSpace(token))
	if err != nil {
		return identity.User{}, FromVerification(err)
	}
	// Rows that are stored later refer to the user's row.
	return user, c.Store.UpsertUser(r.Context(), store.User{ID: user.ID, Email: user.Email, DisplayName: user.DisplayName})
}

// An API key is KeyPrefix and 32 hexadecimal digits. Its first keyShown characters are stored, so
// that its owner can recognise the key.
const (
	KeyPrefix = "pk_live_"
	keyBytes  = 16
	keyShown  = len(KeyPrefix) + 4
)

// NewAPIKey generates an API key. It returns the key, the beginning of the key that may be
// displayed, and the hash of the key.
func NewAPIKey() (key, shown, hash string) {
	secret := make([]byte, keyBytes)
	// Since Go 1.24 this never fails.
	_, _ = rand.Read(secret)
	key = KeyPrefix + hex.EncodeToString(secret)
	return key, key[:keyShown], HashAPIKey(key)
}

// HashAPIKey returns the hash that is stored for a key. The hash needs no salt, because a key has
// 128 random bits and cannot be guessed.
func HashAPIKey(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:])
}

// checkAPIKey looks up the key in the store for each request, so that a revoked key is rejected at
// once. The lookup compares hashes, so its duration reveals nothing about other keys.
func (c *Checker) checkAPIKey(r *http.Request) (store.Key, error) {
	sent := r.Header.Get(wire.HeaderAPIKey)
	if sent == "" {
		return store.Key{}, UnknownKey("this endpoint requires an API key in the header " + wire.HeaderAPIKey)
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

// readCallersModel reads the models and keys in the headers. The keys must not appear in errors, in
// the log or in the store.
func readCallersModel(row *Route, r *http.Request) (llm.Caller, error) {
	if !row.Access.NeedsModelKey() {
		return llm.Caller{}, nil
	}
	if r.Header.Get(wire.HeaderLLMKey) == "" {
		return llm.Caller{}, BadRequest("this endpoint requires your model provider's key in the header " + wire.HeaderLLMKey)
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
