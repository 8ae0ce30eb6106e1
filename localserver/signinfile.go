package localserver

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
)

// Lifetime of the token in the sign-in file, and the time after which it is renewed. It is renewed
// early, so that a program that reads the token can use it for days.
const (
	signInLifetime = 7 * 24 * time.Hour
	signInRenewal  = 24 * time.Hour
)

// keepSignedIn writes the sign-in file, renews it, and removes it when the server stops. If the
// development provider is not used, it only removes an old file, because other providers do not
// know this machine's user.
func (s *Server) keepSignedIn(ctx context.Context, provider *identity.Provider, database *store.Store, o Options) error {
	if provider == nil {
		return identity.RemoveSignIn(s.Dir())
	}
	email := identity.MachineEmail()
	if err := s.writeSignIn(provider.Dev, email, o.Now); err != nil {
		if !store.IsUnkept(database.Ping(ctx)) {
			return err
		}
		o.Log.LogAttrs(ctx, slog.LevelWarn, "the sign-in file could not be written: commands on this machine must sign in themselves", slog.Any("error", err))
	}
	s.onStop(func() error {
		if s.hasOthersSignIn() {
			return nil
		}
		return identity.RemoveSignIn(s.Dir())
	})
	s.inBackground(func(ctx context.Context) {
		repeat(ctx, signInRenewal, func() {
			err := withoutPanic(o.Log, func() error {
				if s.hasOthersSignIn() {
					return errOthersSignIn
				}
				return errors.Join(s.writeSignIn(provider.Dev, email, o.Now), provider.RenewKey(ctx))
			})
			if err != nil {
				o.Log.LogAttrs(ctx, slog.LevelError, "renewing the sign-in file failed", slog.Any("error", err))
			}
		})
	})
	return nil
}

var errOthersSignIn = errors.New("another server has written the file: the data folder was moved or recreated")

// hasOthersSignIn reports whether another server has written the sign-in file.
func (s *Server) hasOthersSignIn() bool {
	found, err := identity.ReadSignIn(s.Dir())
	return err == nil && found.Address != s.URL()
}

func (s *Server) writeSignIn(dev *identity.Dev, email string, now func() time.Time) error {
	token, err := dev.IssueToken(email, signInLifetime)
	if err != nil {
		return err
	}
	in := identity.SignIn{Address: s.URL(), Token: token, User: email, ExpiresAt: now().Add(signInLifetime).UTC()}
	s.signIn.Store(&in)
	return identity.WriteSignIn(s.Dir(), in)
}
