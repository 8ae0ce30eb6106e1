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
	// holdTimeout is how long to wait while another process renews a sign-in.
	holdTimeout = time.Minute
	// renewTimeout is how long a renewal may take. Ctrl-C does not end one: the
	// provider may have dropped the old tokens, and nobody would have the new ones
	// (docs/decisions/connect.md, renewal).
	renewTimeout = 30 * time.Second
)

// minRenewAge is how old a token that the server refuses must be for the sign-in to be
// renewed. A server that refuses a new token will refuse the next one too, and without
// this every command would renew
// (docs/decisions/client.md, token-renewed).
const minRenewAge = time.Minute

// Bearer gives the bearer token for an address. It reads a sign-in once and again when its
// token is due. It is safe for concurrent use.
type Bearer struct {
	*Access
	address string
	mu      sync.Mutex
	account *Account
}

// NewBearer makes the source of the tokens for an address.
func (a *Access) NewBearer(address string) *Bearer { return &Bearer{Access: a, address: address} }

// SendableToken gives what Token gives, or the error of CheckTransport where it must not
// be sent.
func (b *Bearer) SendableToken(ctx context.Context) (string, error) {
	token, err := b.Token(ctx)
	if err != nil || token == "" {
		return "", err
	}
	return token, b.CheckTransport(b.address)
}

// Token gives PARLEY_TOKEN, else the token of the sign-in to the server, renewed before it
// ends, else the one that a local server has left for this user and address, else "".
// When the sign-in is over, the error has ExitSignIn.
func (b *Bearer) Token(ctx context.Context) (string, error) {
	if t := strings.TrimSpace(b.Env("PARLEY_TOKEN")); t != "" {
		return t, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.account == nil || b.account.Tokens.IsDue(b.Now()) {
		known, err := b.findSignIn(ctx, b.address, "")
		if err != nil {
			return "", err
		}
		b.account = known
	}
	if b.account != nil {
		return b.account.Tokens.Access, nil
	}
	dir, err := b.Dirs().Data()
	if err != nil {
		return "", nil // without a home folder there is no sign-in file either
	}
	return b.readSignInToken(dir, b.address)
}

// renewRefused renews the sign-in whose token the server has refused before its end, once
// for all processes. It tells whether there is another token now.
func (b *Bearer) renewRefused(ctx context.Context, refused string) (again bool, err error) {
	if err := b.renewKnown(ctx, refused); err != nil {
		return false, err
	}
	now, err := b.SendableToken(ctx)
	return err == nil && now != "" && now != refused, err
}

func (b *Bearer) renewKnown(ctx context.Context, refused string) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.account == nil || b.account.Tokens.Access != refused {
		return nil
	}
	b.account, err = b.findSignIn(ctx, b.address, refused)
	return err
}

// findSignIn gives the sign-in to a server, renewed if it has to be, nil when there is
// none. refused is a token that the server does not take, or "".
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

// isUsable tells whether to use a sign-in's token as it is: it seems valid, or it cannot be
// renewed.
func (c *Account) isUsable(refused string, now time.Time) bool {
	t := c.Tokens
	if t.Access == refused {
		age := now.Sub(t.Issued)
		return t.Refresh == "" || age >= 0 && age < minRenewAge
	}
	return !t.IsDue(now) || t.Refresh == "" && !t.IsExpired(now)
}

// SignInAgain gives the error of a sign-in that is over, with ExitSignIn and a hint.
func (a *Access) SignInAgain(server string, why error) error {
	return &cli.Failure{Code: cli.ExitSignIn, Err: fmt.Errorf("the sign-in to %s is over: %w", server, why), Hint: a.LoginHint()}
}

// HoldServer keeps other processes from changing the sign-in to a server until release is
// called. It waits for one minute at most.
func HoldServer(ctx context.Context, s *config.Secrets, server string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	return s.Hold(ctx, server)
}

// renewSignIn gets new tokens for a sign-in, once for all processes that need them: the
// second one finds the tokens that the first one has kept.
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
	fresh, err := a.renewAtProvider(ctx, s, server, c)
	if err != nil && c.Tokens.Access != refused && !c.Tokens.IsExpired(a.Now()) {
		return &c, nil // still good, and the next call tries again
	}
	return fresh, err
}

// renewAtProvider gets new tokens from the provider and keeps them.
func (a *Access) renewAtProvider(ctx context.Context, s *config.Secrets, server string, c Account) (*Account, error) {
	p, err := a.OpenProvider(ctx, c)
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("renew the sign-in to %s: %w", server, err), "try again, or "+a.LoginHint())
	}
	return a.RenewWith(ctx, p, s, server, c)
}

// RenewWith gets new tokens from a provider and keeps them, even when ctx ends meanwhile.
// Tokens that could not be kept are used all the same, and the user is told.
func (a *Access) RenewWith(ctx context.Context, p *signin.Provider, s *config.Secrets, server string, c Account) (*Account, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer cancel()
	fresh, err := p.Renew(ctx, c.Tokens)
	if refused, ok := errors.AsType[*signin.RefusedError](err); ok {
		return nil, a.SignInAgain(server, refused)
	}
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("renew the sign-in to %s: %w", server, err), "try again, or "+a.LoginHint())
	}
	c.Tokens = fresh
	kept, _, err := s.Find(server)
	if err == nil {
		err = keepWithRetry(s, server, c, kept.Stored)
	}
	if err != nil && !a.FullScreen {
		a.Say("the renewed token could not be kept, so that you will have to sign in again: %s", terminal.Clean(err.Error()))
	}
	return &c, nil
}

// keepWithRetry tries twice to keep a sign-in, since the old tokens are no longer valid.
func keepWithRetry(s *config.Secrets, server string, c Account, where config.Storage) error {
	if KeepAccount(s, server, c, where) == nil {
		return nil
	}
	return KeepAccount(s, server, c, where)
}

// OpenProvider reads the description of a sign-in's provider from the network.
func (a *Access) OpenProvider(ctx context.Context, c Account) (*signin.Provider, error) {
	return signin.Open(ctx, signin.Options{
		Issuer: c.Issuer, ClientID: c.ClientID, Audience: c.Audience, Scopes: c.Scopes, UserAgent: "parley/" + cli.VersionText(), Now: a.Now,
	})
}
