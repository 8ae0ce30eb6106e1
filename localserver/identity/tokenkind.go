package identity

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
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

// RequestInfo contains the properties of a request that are determined before the request's handler
// runs.
type RequestInfo struct {
	// ID is an id from this server. An id from the caller is not used, because it would be written
	// to the log.
	ID string
	// Address is the caller's address, or the zero Addr if the address is unknown.
	Address netip.Addr
	// Forwarded means that the request came through a proxy, trusted or not.
	Forwarded bool
	// ResourceMetadata returns the URL of the metadata about accepted tokens (RFC 9728). The URL
	// has the address that this caller used. ResourceMetadata may be nil.
	ResourceMetadata func() string
	refused          string // code of the error answer, or ""
}

type infoKey struct{}

// WithRequestInfo returns a context that contains info.
func WithRequestInfo(ctx context.Context, info RequestInfo) context.Context {
	return context.WithValue(ctx, infoKey{}, &info)
}

func infoOf(ctx context.Context) *RequestInfo {
	if info, ok := ctx.Value(infoKey{}).(*RequestInfo); ok {
		return info
	}
	return &RequestInfo{}
}

// RequestID returns the request's id, or "" outside of requests.
func RequestID(ctx context.Context) string { return infoOf(ctx).ID }

// NoteRefusal records the code of the request's error answer, for the log.
func NoteRefusal(ctx context.Context, code string) { infoOf(ctx).refused = code }

// Refusal returns the code that NoteRefusal has recorded, or "".
func Refusal(ctx context.Context) string { return infoOf(ctx).refused }

// IsLocal reports whether the caller is on this machine. It returns false for a request through a
// proxy, even if a header contains a loopback address.
func IsLocal(ctx context.Context) bool {
	info := infoOf(ctx)
	return info.Address.IsLoopback() && !info.Forwarded
}

// WasForwarded reports whether the request of a context came through a proxy (IsForwarded).
func WasForwarded(ctx context.Context) bool { return infoOf(ctx).Forwarded }

// ResourceMetadata returns the URL of the metadata about accepted tokens, or "" outside of
// requests.
func ResourceMetadata(ctx context.Context) string {
	if say := infoOf(ctx).ResourceMetadata; say != nil {
		return say()
	}
	return ""
}

// FoldID returns a UUID in lower case, which is the stored form of ids. It returns other texts
// unchanged.
func FoldID(text string) string {
	const length = 36 // with hyphens; package uuid accepts shorter and longer forms too
	if len(text) != length || uuid.Validate(text) != nil {
		return text
	}
	return strings.ToLower(text)
}

const networkBits = 64 // of an IPv6 address: the usual size of a household's network

// Network returns the address or the network of a caller, for counting requests per caller. For
// IPv6 it is the /64 network, because the owner of the network can use any address in it.
func Network(ctx context.Context) string { return networkOf(infoOf(ctx).Address) }

func networkOf(address netip.Addr) string {
	if !address.Is6() {
		return address.String()
	}
	network, _ := address.Prefix(networkBits) // cannot fail for an IPv6 address
	return network.String()
}
