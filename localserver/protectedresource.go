package localserver

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// describeResource returns a caller at an origin (scheme and host) which tokens the
// server takes (RFC 9728 section 2).
func (a *authentication) describeResource(origin string) wire.ProtectedResource {
	address := a.publicAddress(origin)
	told := wire.ProtectedResource{
		Resource:               cmp.Or(a.resource.String(), address),
		BearerMethodsSupported: []string{"header"},
		ResourceName:           "parley",
		ResourceDocumentation:  address + "/docs",
	}
	if a.told != nil {
		told.AuthorizationServers, told.ScopesSupported = []string{a.told.Issuer}, a.told.Scopes
	}
	return told
}

// metadataAddress returns the address of that description for a caller at an origin (RFC 9728
// section 3.1).
func (a *authentication) metadataAddress(origin string) string {
	if a.isOwnAddress(origin) {
		return a.resource.Origin() + wire.PathProtectedResource + a.resource.Path()
	}
	return origin + wire.PathProtectedResource
}

// publicAddress is the server's URL without a final slash, as a caller at an origin can
// use it.
func (a *authentication) publicAddress(origin string) string {
	if a.isOwnAddress(origin) {
		return strings.TrimSuffix(a.resource.String(), "/")
	}
	return origin
}

// isOwnAddress reports whether the resource is the server's address too. An audience that is a URL
// may be a mere name: it is an address only if the caller uses it as such.
func (a *authentication) isOwnAddress(origin string) bool {
	return a.named || a.resource.HasOrigin(origin)
}

// recordsRetry is the wait before a failed read of the database is repeated.
const recordsRetry = time.Second

// providerRecords are the store's records as the development provider knows them.
type providerRecords struct{ kept *store.ProviderRecords }

// shareSignIn lets the development provider of a server with a shared database keep there
// what other servers must know.
func shareSignIn(ctx context.Context, provider *identity.Provider, kept *store.Store) error {
	records := store.SharedRecords(kept)
	if provider == nil || records == nil {
		return nil
	}
	return provider.ShareRecords(ctx, providerRecords{records})
}

// Read does one look.
func (r providerRecords) Read(ctx context.Context, do func(identity.RecordSet) error) error {
	return explainRecords(r.kept.Read(ctx, func(set *store.RecordSet) error { return do(set) }))
}

// Write runs do and commits its changes, or changes nothing.
func (r providerRecords) Write(ctx context.Context, do func(identity.RecordSet) error) error {
	return explainRecords(r.kept.Write(ctx, func(set *store.RecordSet) error { return do(set) }))
}

// explainRecords distinguishes a database that does not answer from an invalid request.
func explainRecords(err error) error {
	if reason := store.ExplainUnkept(err); reason != "" {
		return &identity.Unavailable{Reason: reason, Cause: err, RetryAfter: recordsRetry}
	}
	return err
}
