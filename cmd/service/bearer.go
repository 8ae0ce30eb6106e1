package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	// holdPatience is how long another process may take to renew a sign-in.
	holdPatience = time.Minute
	// renewPatience bounds a renewal that has begun: it is not broken off by
	// Ctrl-C, because the provider then has forgotten the old tokens and nobody has
	// the new ones (docs/decisions/connect.md, renewal).
	renewPatience = 30 * time.Second
)

// minRenewAge is how old a sign-in's token must be to be renewed because the server
// refuses it: a server that does not take the newest one will not take the next,
// and would else make every command renew
// (docs/decisions/client.md, token-renewed).
const minRenewAge = time.Minute

// bearer gives the token for an address, and remembers that of a sign-in as long
// as it is good. It is safe for concurrent use.
type bearer struct {
	*Access
	address string
	mu      sync.Mutex
	known   *Account
}

func (a *Access) NewBearer(address string) *bearer { return &bearer{Access: a, address: address} }

// SendableToken is the token for each attempt of a call, if it may travel to the address.
func (b *bearer) SendableToken(ctx context.Context) (string, error) {
	token, err := b.Token(ctx)
	if err != nil || token == "" {
		return "", err
	}
	return token, b.CheckTravel(b.address)
}

// Token is PARLEY_TOKEN, else that of the sign-in to the server, renewed before it
// ends, else the one that the bundled server left for this machine's user if it is
// for just this address, else none.
func (b *bearer) Token(ctx context.Context) (string, error) {
	if t := strings.TrimSpace(b.Env("PARLEY_TOKEN")); t != "" {
		return t, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil || b.known.Tokens.Due(b.Now()) {
		known, err := b.findSignIn(ctx, b.address, "")
		if err != nil {
			return "", err
		}
		b.known = known
	}
	if b.known != nil {
		return b.known.Tokens.Access, nil
	}
	dir, err := b.Dirs().Data()
	if err != nil {
		return "", nil // without a home folder there is no sign-in file either
	}
	return b.signInToken(dir, b.address)
}

// renewRefused is told of a token that the server has refused before its end, and
// says whether there is another one now: the sign-in is renewed, once for all
// processes.
func (b *bearer) renewRefused(ctx context.Context, refused string) (again bool, err error) {
	if err := b.renewKnown(ctx, refused); err != nil {
		return false, err
	}
	now, err := b.SendableToken(ctx)
	return err == nil && now != "" && now != refused, err
}

func (b *bearer) renewKnown(ctx context.Context, refused string) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil || b.known.Tokens.Access != refused {
		return nil
	}
	b.known, err = b.findSignIn(ctx, b.address, refused)
	return err
}

// findSignIn is the sign-in to a server with a token that is good, nil when there is
// no sign-in. refused is a token that the server does not take.
func (a *Access) findSignIn(ctx context.Context, address, refused string) (*Account, error) {
	s, err := a.OpenSecrets()
	if err != nil {
		return nil, nil //nolint:nilerr // without a home folder nothing is kept
	}
	server := ServerName(address)
	if _, ok, err := s.Find(server); err != nil || !ok {
		return nil, err
	}
	c, err := ReadAccount(s, server)
	if errors.Is(err, config.ErrNoSecret) {
		return nil, a.SignInAgain(server, errors.New("its token is no longer where it was kept"))
	}
	if err != nil {
		return nil, fmt.Errorf("the sign-in to %s: %w", server, err)
	}
	if c.isUsable(refused, a.Now()) {
		return &c, nil
	}
	return a.renewSignIn(ctx, s, server, refused)
}

// isUsable tells whether a sign-in's token is the one to use: it is good as far as
// can be told here, or there is no way to a better one.
func (c *Account) isUsable(refused string, now time.Time) bool {
	t := c.Tokens
	if t.Access == refused {
		age := now.Sub(t.Issued)
		return t.Refresh == "" || age >= 0 && age < minRenewAge
	}
	return !t.Due(now) || t.Refresh == "" && !t.Expired(now)
}

// SignInAgain says that a sign-in is over.
func (a *Access) SignInAgain(server string, why error) error {
	return &cli.Failure{Code: cli.ExitSignIn, Err: fmt.Errorf("the sign-in to %s is over: %w", server, why), Hint: a.LoginHint()}
}

// HoldServer keeps other processes from the sign-in to a server until it is released.
func HoldServer(ctx context.Context, s *config.Secrets, server string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, holdPatience)
	defer cancel()
	return s.Hold(ctx, server)
}

// renewSignIn gets new tokens for a sign-in, once for all processes that need them: who
// comes second finds what the first one has kept.
func (a *Access) renewSignIn(ctx context.Context, s *config.Secrets, server, refused string) (*Account, error) {
	release, err := HoldServer(ctx, s, server)
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("renew the sign-in to %s: %w", server, err), "")
	}
	defer release()
	c, err := ReadAccount(s, server)
	switch {
	case errors.Is(err, config.ErrNoSecret):
		return nil, a.SignInAgain(server, errors.New("somebody has signed out"))
	case err != nil:
		return nil, fmt.Errorf("the sign-in to %s: %w", server, err)
	case c.isUsable(refused, a.Now()):
		return &c, nil
	case c.Tokens.Refresh == "":
		return nil, a.SignInAgain(server, errors.New("its token has expired"))
	}
	fresh, err := a.renewHeld(ctx, s, server, c)
	if err != nil && c.Tokens.Access != refused && !c.Tokens.Expired(a.Now()) {
		return &c, nil // still good, and the next call tries again
	}
	return fresh, err
}

// renewHeld asks the provider and keeps what it gives.
func (a *Access) renewHeld(ctx context.Context, s *config.Secrets, server string, c Account) (*Account, error) {
	p, err := a.OpenProvider(ctx, c)
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("renew the sign-in to %s: %w", server, err), "try again, or "+a.LoginHint())
	}
	return a.RenewWith(ctx, p, s, server, c)
}

// RenewWith lets nothing come between the provider's answer and the keeping.
func (a *Access) RenewWith(ctx context.Context, p *signin.Provider, s *config.Secrets, server string, c Account) (*Account, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewPatience)
	defer cancel()
	fresh, err := p.Renew(ctx, c.Tokens)
	if refused, ok := errors.AsType[*signin.Refused](err); ok {
		return nil, a.SignInAgain(server, refused)
	}
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("renew the sign-in to %s: %w", server, err), "try again, or "+a.LoginHint())
	}
	c.Tokens = fresh
	kept, _, err := s.Find(server)
	if err == nil {
		err = keepStubbornly(s, server, c, kept.Stored)
	}
	if err != nil && !a.FullScreen {
		a.Say("the renewed token could not be kept, so that you will have to sign in again: %s", terminal.Clean(err.Error()))
	}
	return &c, nil
}

// keepStubbornly tries twice: the provider takes the old token no more.
func keepStubbornly(s *config.Secrets, server string, c Account, where config.Storage) error {
	if KeepAccount(s, server, c, where) == nil {
		return nil
	}
	return KeepAccount(s, server, c, where)
}

// OpenProvider asks the provider of a sign-in to describe itself.
func (a *Access) OpenProvider(ctx context.Context, c Account) (*signin.Provider, error) {
	return signin.Open(ctx, signin.Options{
		Issuer: c.Issuer, ClientID: c.ClientID, Audience: c.Audience, Scopes: c.Scopes, UserAgent: "parley/" + cli.VersionText(), Now: a.Now,
	})
}
