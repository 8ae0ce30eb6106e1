package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	holdTimeout = time.Minute // for another process that renews a sign-in
	// renewTimeout ends a renewal. Ctrl-C does not, because the new tokens would be lost after the
	// provider has invalidated the old ones.
	renewTimeout = 30 * time.Second
	// ProviderPatience is how long a command waits for an identity provider that does not answer.
	ProviderPatience = 3 * time.Second
)

// SignInAgain returns the error for an expired sign-in, with ExitSignIn and a hint.
func (a *Access) SignInAgain(server string, why error) error {
	return &cli.Failure{Code: cli.ExitSignIn, Err: fmt.Errorf("the sign-in to %s is over: %w", server, why), Hint: a.LoginHint()}
}

// HoldServer locks the sign-in to a server against changes by other processes. It waits up to one
// minute for the lock.
func HoldServer(ctx context.Context, s *settings.Secrets, server string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	return s.Hold(ctx, server)
}

type renewal struct {
	account *Account
	err     error
}

// renewSignIn requests new tokens, or returns a valid old token after ProviderPatience. Then the
// request continues in the background, and the next call uses its result.
func (a *Access) renewSignIn(ctx context.Context, s *settings.Secrets, server string, known Account, refused string) (*Account, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, ProviderPatience, explainSilence(known))
	defer cancel()
	done, answered := make(chan renewal, 1), make(chan struct{})
	go func() {
		c, err := a.renewOnce(bounded, s, server, refused, func() { close(answered) })
		done <- renewal{c, err}
	}()
	var r renewal
	silence := time.NewTimer(ProviderPatience)
	defer silence.Stop()
	select {
	case r = <-done:
	case <-answered: // The tokens have arrived and are being stored.
		r = <-done
		return r.account, r.err
	case <-silence.C:
	}
	switch {
	case r.account != nil || r.err != nil && (bounded.Err() == nil || ctx.Err() != nil):
		return r.account, r.err
	case known.isLiving(refused, a.Now()):
		return &known, nil
	}
	return nil, a.explainRenewal(server, explainSilence(known))
}

func explainSilence(c Account) error {
	return fmt.Errorf("identity provider %s does not answer within %s", c.Issuer, ProviderPatience)
}

func (a *Access) explainRenewal(server string, err error) error {
	return cli.WrapTrouble(fmt.Errorf("renew the sign-in to %s: %w", server, err), "try again, or "+a.LoginHint())
}

// renewOnce requests new tokens once for all processes. A second process finds the stored tokens of
// the first. answered is called when the provider has returned tokens.
func (a *Access) renewOnce(ctx context.Context, s *settings.Secrets, server, refused string, answered func()) (*Account, error) {
	release, err := HoldServer(ctx, s, server)
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("renew the sign-in to %s: %w", server, err), "")
	}
	defer release()
	c, err := ReadAccount(s, server)
	switch {
	case errors.Is(err, settings.ErrNoSecret):
		return nil, a.SignInAgain(server, errors.New("you signed out in the meantime"))
	case err != nil:
		return nil, fmt.Errorf("read the sign-in to %s: %w", server, err)
	case c.isUsable(refused, a.Now()):
		return &c, nil
	case c.Tokens.Refresh == "":
		return nil, a.SignInAgain(server, errors.New(cmp.Or(c.Over, "its token has expired")))
	}
	fresh, err := a.renewAtProvider(ctx, s, server, c, answered)
	if refusal, ok := errors.AsType[*signin.RefusedError](err); ok && !refusal.IsPassing() {
		c = a.keepRefusal(s, server, c, refused, refusal)
	}
	if err != nil && c.isLiving(refused, a.Now()) {
		return &c, nil // still valid, and the next call tries again
	}
	return fresh, err
}

// keepRefusal stores that the provider no longer renews a sign-in, for `auth status`. It discards a
// refresh token that was finally rejected, and marks a rejected access token as expired.
func (a *Access) keepRefusal(s *settings.Secrets, server string, c Account, refused string, refusal *signin.RefusedError) Account {
	c.Over = "the identity provider refuses to renew the sign-in: " + cmp.Or(refusal.Description, refusal.Code)
	if refusal.Code == signin.CodeOver {
		c.Tokens.Refresh = ""
	}
	if c.Tokens.Access == refused {
		c.Tokens.Expires = a.Now().UTC()
	}
	if kept, found, err := s.Find(server); err == nil && found {
		// If storing fails, the next command asks the provider again.
		_ = KeepAccount(s, server, c, kept.Stored)
	}
	return c
}

func (a *Access) renewAtProvider(ctx context.Context, s *settings.Secrets, server string, c Account, answered func()) (*Account, error) {
	p, err := a.OpenProvider(ctx, c)
	if err != nil {
		return nil, a.explainRenewal(server, err)
	}
	return a.RenewWith(ctx, p, s, server, c, answered)
}

// RenewWith requests new tokens from a provider and stores them, even if ctx is cancelled. It
// returns tokens that it cannot store, and prints a note. answered is called before the tokens are
// stored.
func (a *Access) RenewWith(ctx context.Context, p *signin.Provider, s *settings.Secrets, server string, c Account, answered func()) (*Account, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer cancel()
	fresh, err := p.Renew(ctx, c.Tokens)
	if refused, ok := errors.AsType[*signin.RefusedError](err); ok && !refused.IsPassing() {
		return nil, a.SignInAgain(server, refused)
	}
	if err != nil {
		return nil, a.explainRenewal(server, err)
	}
	answered()
	c.Tokens, c.Over = fresh, ""
	kept, found, err := s.Find(server)
	if err == nil && found { // otherwise the user signed out in the meantime
		if err = KeepAccount(s, server, c, kept.Stored); err != nil { // try again, because the old tokens are invalid now
			err = KeepAccount(s, server, c, kept.Stored)
		}
	}
	if err != nil && !a.FullScreen {
		a.Say("the renewed token could not be stored, so you will have to sign in again: %s", terminal.Clean(err.Error()))
	}
	return &c, nil
}

// OpenProvider fetches the description of a sign-in's provider.
func (a *Access) OpenProvider(ctx context.Context, c Account) (*signin.Provider, error) {
	return signin.Open(ctx, signin.Options{
		Issuer: c.Issuer, ClientID: c.ClientID, Audience: c.Audience, Resource: c.Resource, Scopes: c.Scopes, UserAgent: UserAgent(), Now: a.Now,
	})
}

// UserAgent returns the User-Agent for requests to identity providers.
func UserAgent() string { return "parley/" + cli.VersionText() }
