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

// describeResource returns the metadata about accepted tokens (RFC 9728 section 2). origin is the scheme and
// host that the caller used.
func (a *authentication) describeResource(origin string) wire.ProtectedResource {
	address := origin
	if a.isOwnAddress(origin) {
		address = strings.TrimSuffix(a.resource.String(), "/")
	}
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

// metadataAddress returns the URL of the metadata (RFC 9728 section 3.1).
func (a *authentication) metadataAddress(origin string) string {
	if a.isOwnAddress(origin) {
		return a.resource.Origin() + wire.PathProtectedResource + a.resource.Path()
	}
	return origin + wire.PathProtectedResource
}

// isOwnAddress reports whether the resource is also the server's address. A resource from the audience may be
// just a name, so its origin must be the caller's.
func (a *authentication) isOwnAddress(origin string) bool {
	return a.named || a.resource.HasOrigin(origin)
}

// recordsRetry is the time after which a client should repeat a request that failed because the
// database did not answer.
const recordsRetry = time.Second

type providerRecords struct{ kept *store.ProviderRecords }

func shareSignIn(ctx context.Context, provider *identity.Provider, database *store.Store) error {
	records := store.SharedRecords(database)
	if provider == nil || records == nil {
		return nil
	}
	return provider.ShareRecords(ctx, providerRecords{records})
}

// Read calls work with a consistent view of the records.
func (r providerRecords) Read(ctx context.Context, work func(identity.RecordSet) error) error {
	return explainRecords(r.kept.Read(ctx, func(set *store.RecordSet) error { return work(set) }))
}

// Write calls work and commits its changes if it succeeds.
func (r providerRecords) Write(ctx context.Context, work func(identity.RecordSet) error) error {
	return explainRecords(r.kept.Write(ctx, func(set *store.RecordSet) error { return work(set) }))
}

func explainRecords(err error) error {
	if reason := store.ExplainUnkept(err); reason != "" {
		return &identity.Unavailable{Reason: reason, Cause: err, RetryAfter: recordsRetry}
	}
	return err
}
