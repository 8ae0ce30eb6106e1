package localserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/wire"
)

func (h *handlers) getUser(_ context.Context, c *call, _ *struct{}) (wire.User, error) {
	return wire.User{ID: c.User.ID, Email: c.User.Email, DisplayName: c.User.DisplayName}, nil
}

type newKeyBody struct{ wire.NewKey }

type newKeyInput struct{ Body newKeyBody }

func (h *handlers) createKey(ctx context.Context, c *call, input *newKeyInput) (wire.CreatedKey, error) {
	key, prefix, hash := api.NewAPIKey()
	stored := store.Key{
		ID: uuid.Must(uuid.NewV7()).String(), OwnerID: c.User.ID, Name: input.Body.Name,
		Prefix: prefix, Hash: hash, CreatedAt: store.RoundTime(h.now()),
	}
	err := h.store.CreateKey(ctx, stored)
	if errors.Is(err, store.ErrManyKeys) {
		message := store.ErrManyKeys.Error() + ": revoke one first"
		return wire.CreatedKey{}, api.NewError(http.StatusConflict, wire.CodeConflict, message)
	}
	if err != nil {
		return wire.CreatedKey{}, err
	}
	return wire.CreatedKey{
		ID: stored.ID, Name: stored.Name, Key: key, KeyPrefix: stored.Prefix,
		CreatedAt: wire.Time{Time: stored.CreatedAt},
	}, nil
}

func (h *handlers) listKeys(ctx context.Context, c *call, _ *struct{}) ([]wire.Key, error) {
	keys, err := h.store.ListKeys(ctx, c.User.ID)
	list := make([]wire.Key, len(keys))
	for i, k := range keys {
		list[i] = wire.Key{ID: k.ID, Name: k.Name, KeyPrefix: k.Prefix, CreatedAt: wire.Time{Time: k.CreatedAt}}
		if !k.LastUsedAt.IsZero() {
			list[i].LastUsedAt = &wire.Time{Time: k.LastUsedAt}
		}
	}
	return list, err
}

type keyInput struct {
	KeyID string `path:"key_id"`
}

func (h *handlers) revokeKey(ctx context.Context, c *call, input *keyInput) error {
	err := h.store.RevokeKey(ctx, input.KeyID, c.User.ID)
	if errors.Is(err, store.ErrNotFound) {
		return api.NewError(http.StatusNotFound, wire.CodeNotFound, "you have no such API key")
	}
	return err
}

// PrivateFiles returns the paths of the sign-ins, the signing key and the database in a data
// folder. Only the folder's owner may read these files. Some of them may not exist.
func PrivateFiles(dir string) []string {
	return append(identity.PrivateFiles(dir), datafolder.DatabaseFiles(dir)...)
}

func (s *Server) narrowRights(ctx context.Context, log *slog.Logger) {
	for _, wide := range atomicfile.NarrowRights(0o600, PrivateFiles(s.Dir())...) {
		attrs := []slog.Attr{slog.String("file", wide.Path), slog.String("mode", wide.Found.String())}
		if wide.Err != nil {
			attrs = append(attrs, slog.Any("error", wide.Err))
		}
		log.LogAttrs(ctx, slog.LevelWarn,
			"other users of this machine could read a file in the data folder; its mode is now 0600", attrs...)
	}
}

// The server renews the token of the sign-in file daily, because another program may use the token
// for days.
const (
	signInLifetime = 7 * 24 * time.Hour
	signInRenewal  = 24 * time.Hour
)

// keepSignedIn writes, renews and finally removes the sign-in file. With an external provider it
// only removes an old file, because that provider does not know this machine's user.
func (s *Server) keepSignedIn(
	ctx context.Context, provider *identity.Provider, database *store.Store, options Options,
) error {
	if provider == nil {
		return identity.RemoveSignIn(s.Dir())
	}
	email := identity.MachineEmail()
	if err := s.writeSignIn(provider.Dev, email, options.Now); err != nil {
		if !store.IsUnkept(database.Ping(ctx)) {
			return err
		}
		options.Log.LogAttrs(ctx, slog.LevelWarn,
			"the sign-in file could not be written: commands on this machine must sign in themselves",
			slog.Any("error", err))
	}
	s.onStop(func() error {
		if s.hasOthersSignIn() {
			return nil
		}
		return identity.RemoveSignIn(s.Dir())
	})
	s.inBackground(func(ctx context.Context) {
		repeat(ctx, signInRenewal, func() {
			err := withoutPanic(options.Log, func() error {
				if s.hasOthersSignIn() {
					return errOthersSignIn
				}
				return errors.Join(s.writeSignIn(provider.Dev, email, options.Now), provider.RenewKey(ctx))
			})
			if err != nil {
				options.Log.LogAttrs(ctx, slog.LevelError, "renewing the sign-in file failed", slog.Any("error", err))
			}
		})
	})
	return nil
}

var errOthersSignIn = errors.New("another server has written the file: the data folder was moved or recreated")

func (s *Server) hasOthersSignIn() bool {
	signIn, err := identity.ReadSignIn(s.Dir())
	return err == nil && signIn.Address != s.URL()
}

func (s *Server) writeSignIn(dev *identity.Dev, email string, now func() time.Time) error {
	token, err := dev.IssueToken(email, signInLifetime)
	if err != nil {
		return err
	}
	signIn := identity.SignIn{Address: s.URL(), Token: token, User: email, ExpiresAt: now().Add(signInLifetime).UTC()}
	s.signIn.Store(&signIn)
	return identity.WriteSignIn(s.Dir(), signIn)
}
