package localserver

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
)

// SignIn is the file that a running server leaves in its data folder (signin.json, 0600) so that
// this machine's user is signed in: a token and the only address that it may be sent to.
type SignIn = identity.SignIn

// ReadSignIn reads the sign-in file of a data folder. The error is
// fs.ErrNotExist when no server runs there.
func ReadSignIn(dir string) (SignIn, error) { return identity.ReadSignIn(dir) }

// DevToken makes a bearer token of the development provider of a data folder,
// whether or not a server runs there.
func DevToken(dir, email string, ttl time.Duration) (string, error) {
	dev, err := identity.OpenDev(dir, nil)
	if err != nil {
		return "", err
	}
	return dev.IssueToken(email, ttl)
}

// SecretToken makes a bearer token for the servers that take tokens by the secret of a file.
func SecretToken(file, email, audience string, ttl time.Duration) (string, error) {
	secret, err := identity.OpenSecret(file, nil, nil)
	if err != nil {
		return "", err
	}
	return secret.IssueToken(email, audience, ttl)
}

// IsServed reports whether a server runs on a data folder.
func IsServed(dir string) bool { return datafolder.IsLocked(dir) }

// The sign-in file's token is renewed long before it expires, so that it is good
// for days whenever it is read.
const (
	signInLifetime = 7 * 24 * time.Hour
	signInRenewal  = 24 * time.Hour
)

// keepSignedIn writes the sign-in file, renews it while the server runs, and
// removes it when the server stops. Only the development provider can: others do
// not know this machine's user. On a full disk the server goes on without the file.
func (s *Server) keepSignedIn(ctx context.Context, provider *identity.Provider, kept *store.Store, o Options) error {
	if provider == nil {
		return identity.RemoveSignIn(s.Dir())
	}
	email := identity.MachineEmail()
	write := func() error { return s.writeSignIn(provider.Dev, email, o.Now) }
	if err := write(); err != nil {
		if !store.IsUnkept(kept.Ping(ctx)) {
			return err
		}
		o.Log.LogAttrs(ctx, slog.LevelWarn, "commands on this machine are not signed in by themselves", slog.Any("error", err))
	}
	renew := func() error {
		if s.hasOthersSignIn() {
			return errOthersSignIn
		}
		return errors.Join(write(), provider.RenewKey(ctx))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		renewSignIn(ctx, renew, o.Log)
	}()
	s.onStop(func() error {
		cancel()
		<-ended
		if s.hasOthersSignIn() {
			return nil
		}
		return identity.RemoveSignIn(s.Dir())
	})
	return nil
}

var errOthersSignIn = errors.New("another server has written it: this data folder was moved or made anew")

// hasOthersSignIn reports whether the sign-in file belongs to another server. The lock of a data
// folder excludes others only as long as the folder is not moved.
func (s *Server) hasOthersSignIn() bool {
	own := s.signIn.Load()
	return own != nil && identity.IsOthersSignIn(s.Dir(), *own)
}

func (s *Server) writeSignIn(dev *identity.Dev, email string, now func() time.Time) error {
	token, err := dev.IssueToken(email, signInLifetime)
	if err != nil {
		return err
	}
	in := SignIn{Address: s.URL(), Token: token, User: email, ExpiresAt: now().Add(signInLifetime).UTC()}
	s.signIn.Store(&in)
	return identity.WriteSignIn(s.Dir(), in)
}

func renewSignIn(ctx context.Context, write func() error, log *slog.Logger) {
	ticker := time.NewTicker(signInRenewal)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := withoutPanic(log, write); err != nil {
				log.LogAttrs(ctx, slog.LevelError, "renew the sign-in file", slog.Any("error", err))
			}
		}
	}
}
