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

func (c *Checker) identifyCaller(route *Route, w http.ResponseWriter, r *http.Request, call *Call) (err error) {
	if !route.Access.NeedsAPIKey() {
		call.User, err = c.checkToken(route, r)
		return err
	}
	call.Key, err = c.checkAPIKey(r)
	if err = c.limitKey(route, call.Key, err, w, r); err != nil {
		return err
	}
	call.CallersModel, err = readCallersModel(route, r)
	return err
}

func (c *Checker) checkToken(route *Route, r *http.Request) (identity.User, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if route.Access == Account || route.Access == Player && c.ChatNeedsToken {
			return identity.User{}, Unauthenticated(nil)
		}
		return identity.User{}, nil
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		// Like missing credentials, another scheme gets no error code (RFC 6750 section 3.1).
		e := Unauthenticated(nil)
		e.Message = (&identity.InvalidToken{Reason: "the scheme must be Bearer"}).Error()
		return identity.User{}, e
	}
	user, err := c.Verifier.Verify(r.Context(), strings.TrimSpace(token))
	if err != nil {
		return identity.User{}, FromVerification(err)
	}
	row := store.User{ID: user.ID, Email: user.Email, DisplayName: user.DisplayName}
	return user, c.Store.UpsertUser(r.Context(), row)
}

// KeyPrefix is the beginning of every API key. 32 hexadecimal digits follow.
const (
	KeyPrefix = "pk_live_"
	keyBytes  = 16
	keyShown  = len(KeyPrefix) + 4
)

// NewAPIKey generates an API key. It returns the key, a displayable prefix and the hash to store.
func NewAPIKey() (key, shown, hash string) {
	secret := make([]byte, keyBytes)
	_, _ = rand.Read(secret)
	key = KeyPrefix + hex.EncodeToString(secret)
	return key, key[:keyShown], HashAPIKey(key)
}

// HashAPIKey returns the SHA-256 of a key in hexadecimal. A key has 128 random bits and needs no
// salt.
func HashAPIKey(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:])
}

// checkAPIKey reads the store for each request, to reject a revoked key immediately. The lookup
// compares hashes, so timing reveals nothing about keys.
func (c *Checker) checkAPIKey(r *http.Request) (store.Key, error) {
	sent := r.Header.Get(wire.HeaderAPIKey)
	if sent == "" {
		return store.Key{}, UnknownKey("this endpoint requires an API key in the header " + wire.HeaderAPIKey)
	}
	hash := HashAPIKey(sent)
	key, err := c.Store.KeyByHash(r.Context(), hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Key{}, UnknownKey("the API key is unknown or revoked")
	case err != nil:
		return store.Key{}, err
	case subtle.ConstantTimeCompare([]byte(key.Hash), []byte(hash)) != 1:
		return store.Key{}, UnknownKey("the API key is unknown or revoked")
	}
	return key, c.Store.TouchKey(r.Context(), key)
}

// The keys must not appear in errors, in the log or in the store.
func readCallersModel(route *Route, r *http.Request) (llm.Caller, error) {
	if !route.Access.NeedsModelKey() {
		return llm.Caller{}, nil
	}
	if r.Header.Get(wire.HeaderLLMKey) == "" {
		message := "this endpoint requires your model provider's key in the header " + wire.HeaderLLMKey
		return llm.Caller{}, BadRequest(message)
	}
	var caller llm.Caller
	for _, header := range []struct {
		key, model string
		choice     *llm.ModelChoice
	}{
		{wire.HeaderLLMKey, wire.HeaderLLMModel, &caller.ModelChoice},
		{wire.HeaderLLMEvalKey, wire.HeaderLLMEvalModel, &caller.Evaluation},
		{wire.HeaderLLMResponseKey, wire.HeaderLLMResponseModel, &caller.Response},
		{wire.HeaderLLMSummarizationKey, wire.HeaderLLMSummarizationModel, &caller.Summarization},
	} {
		key, model := r.Header.Get(header.key), r.Header.Get(header.model)
		if len(key) > MaxModelKey {
			return llm.Caller{}, headerTooLong(header.key, MaxModelKey)
		}
		if len(model) > MaxModelName {
			return llm.Caller{}, headerTooLong(header.model, MaxModelName)
		}
		*header.choice = llm.ModelChoice{Key: llm.NewSecret(key), Model: model}
	}
	return caller, nil
}

func headerTooLong(header string, limit int) error {
	return BadRequest(fmt.Sprintf("%s is longer than %d bytes", header, limit))
}
