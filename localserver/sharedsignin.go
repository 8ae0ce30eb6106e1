package localserver

import (
	"context"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
)

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
