package identity

import (
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// accessTypes are the values of the header's typ for access tokens, in lower case (RFC 9068 section
// 2.1, RFC 7519 section 5.1).
var accessTypes = []string{"at+jwt", "application/at+jwt", "jwt", "application/jwt"}

// Reasons for refusing tokens other than access tokens.
const (
	reasonOther  = "it is no access token"
	reasonID     = "it is an ID token, send the access token"
	reasonLikeID = "it looks like an ID token, send the access token; for a provider that makes no others the server needs its client-id as audience"
)

// tokenKind are the claims that distinguish access tokens from a provider's other ones.
type tokenKind struct {
	// Type is of Keycloak: Bearer or DPoP for access tokens, else ID, Refresh, Offline,
	// Logout; Use is of Amazon Cognito: access or id.
	Type any `json:"typ"`
	Use  any `json:"token_use"`
	// CodeHash and StateHash are in ID tokens alone (OpenID Connect Core sections
	// 3.3.2.11 and FAPI 1.0 part 2 section 5.1), AccessHash and Nonce also in access tokens of
	// some providers, with Scope or Scopes.
	CodeHash   any `json:"c_hash"`
	StateHash  any `json:"s_hash"`
	AccessHash any `json:"at_hash"`
	Nonce      any `json:"nonce"`
	Scope      any `json:"scope"`
	Scopes     any `json:"scp"`
	// Events are in security events, such as a logout token.
	Events any `json:"events"`
}

// checkHeaderType refuses a token with the header type of something other than an access token. It
// reports whether the header declares an access token.
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

// checkKind refuses ID tokens and other tokens of a provider that are not for services.
// onlyForClients means that the provider's access tokens all look like ID tokens, as with dex.
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
