package identity

import (
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// accessTypes lists the values that the header typ of an access token may have, in lower case (RFC
// 9068 section 2.1, RFC 7519 section 5.1).
var accessTypes = []string{"at+jwt", "application/at+jwt", "jwt", "application/jwt"}

const (
	reasonOther  = "it is not an access token"
	reasonID     = "it is an ID token, send the access token"
	reasonLikeID = "it looks like an ID token, send the access token; if the provider's access tokens look like that too, set the client ID as the server's audience"
)

// tokenKind contains the claims that distinguish access tokens from other tokens of a provider.
type tokenKind struct {
	// Keycloak sets Type to Bearer or DPoP in access tokens, and to ID, Refresh, Offline or Logout
	// in other tokens. Amazon Cognito sets Use to access or id.
	Type any `json:"typ"`
	Use  any `json:"token_use"`
	// Only ID tokens contain CodeHash and StateHash (OpenID Connect Core section 3.3.2.11 and FAPI
	// 1.0 part 2 section 5.1). AccessHash and Nonce are also in the access tokens of some
	// providers, but only together with Scope or Scopes.
	CodeHash   any `json:"c_hash"`
	StateHash  any `json:"s_hash"`
	AccessHash any `json:"at_hash"`
	Nonce      any `json:"nonce"`
	Scope      any `json:"scope"`
	Scopes     any `json:"scp"`
	// Events is in security event tokens, such as a logout token.
	Events any `json:"events"`
}

// checkHeaderType checks the header typ. isAccess is true for at+jwt, because only access tokens
// have that type.
func checkHeaderType(header jose.Header) (isAccess bool, err error) {
	said, present := header.ExtraHeaders[jose.HeaderType]
	if !present {
		return false, nil
	}
	text, _ := said.(string)
	if !slices.Contains(accessTypes, strings.ToLower(text)) {
		return false, &InvalidToken{Reason: reasonOther}
	}
	return strings.HasSuffix(strings.ToLower(text), "at+jwt"), nil
}

// checkKind rejects the claims of tokens that are not access tokens. onlyForClients means that the
// provider's access tokens may look like ID tokens, for example those of dex.
func (k tokenKind) checkKind(onlyForClients bool) error {
	if k.Events != nil {
		return &InvalidToken{Reason: reasonOther}
	}
	for _, said := range []any{k.Type, k.Use} {
		switch text, _ := said.(string); strings.ToLower(text) {
		case "id":
			return &InvalidToken{Reason: reasonID}
		case "refresh", "offline", "logout":
			return &InvalidToken{Reason: reasonOther}
		}
	}
	switch {
	case k.CodeHash != nil || k.StateHash != nil:
		return &InvalidToken{Reason: reasonID}
	case onlyForClients || k.Scope != nil || k.Scopes != nil:
		return nil
	case k.AccessHash != nil || k.Nonce != nil:
		return &InvalidToken{Reason: reasonLikeID}
	}
	return nil
}
