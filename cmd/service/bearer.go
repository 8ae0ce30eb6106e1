package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/tui/terminal"
)

// minRenewAge prevents useless renewals after a server has rejected a new token.
const minRenewAge = time.Minute

const renewPause = 30 * time.Second

// A Bearer returns bearer tokens for an address. Concurrent use is safe.
type Bearer struct {
	*Access
	address string
	mu      sync.Mutex
	account *Account

	nextRenewal time.Time
}

// NewBearer returns a source of bearer tokens for an address.
func (a *Access) NewBearer(address string) *Bearer { return &Bearer{Access: a, address: address} }

// SendableToken is like Token, but also returns the error of CheckTransport.
func (b *Bearer) SendableToken(ctx context.Context) (string, error) {
	token, err := b.Token(ctx)
	if err != nil || token == "" {
		return "", err
	}
	return token, b.CheckTransport(b.address)
}

// Token returns PARLEY_TOKEN, or else the token of the sign-in or of a local server, or "". A
// sign-in is renewed before its token expires. An expired sign-in is an error with ExitSignIn.
func (b *Bearer) Token(ctx context.Context) (string, error) {
	if t := strings.TrimSpace(b.Env("PARLEY_TOKEN")); t != "" {
		return t, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isLookupDue() {
		known, err := b.findSignIn(ctx, b.address, "")
		if err != nil {
			return "", err
		}
		b.account, b.nextRenewal = known, b.Now().Add(renewPause)
	}
	if b.account != nil {
		return b.account.Tokens.Access, nil
	}
	dir, err := b.Dirs().Data()
	if err != nil {
		return "", nil
	}
	return b.readSignInToken(dir, b.address)
}

func (b *Bearer) isLookupDue() bool {
	if b.account == nil {
		return true
	}
	now := b.Now()
	isPaused := now.Before(b.nextRenewal) && !b.account.Tokens.IsExpired(now)
	return b.account.Tokens.IsDue(now) && !isPaused
}

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

func (a *Access) findSignIn(ctx context.Context, address, refused string) (*Account, error) {
	secrets, err := a.OpenSecrets()
	if err != nil {
		return nil, nil //nolint:nilerr // without a home directory no sign-in is stored
	}
	server := ServerName(address)
	if _, ok, err := secrets.Find(server); err != nil || !ok {
		return nil, err
	}
	account, err := ReadAccount(secrets, server)
	if errors.Is(err, settings.ErrNoSecret) {
		return nil, a.SignInAgain(server, errors.New("its stored token is missing"))
	}
	if err != nil {
		return nil, fmt.Errorf("read the stored sign-in for %s: %w", server, err)
	}
	if account.isUsable(refused, a.Now()) {
		return &account, nil
	}
	return a.renewSignIn(ctx, secrets, server, account, refused)
}

func (c *Account) isUsable(refused string, now time.Time) bool {
	t := c.Tokens
	if t.Access == refused {
		age := now.Sub(t.Issued)
		return t.Refresh == "" || age >= 0 && age < minRenewAge
	}
	return !t.IsDue(now) || t.Refresh == "" && !t.IsExpired(now)
}

func (c *Account) isStillValid(refused string, now time.Time) bool {
	return c.Tokens.Access != refused && !c.Tokens.IsExpired(now)
}

const (
	holdTimeout  = time.Minute
	renewTimeout = 30 * time.Second
	// ProviderPatience is the time that a command waits for a silent identity provider.
	ProviderPatience = 3 * time.Second
)

// SignInAgain returns the error for an expired sign-in, with ExitSignIn and a hint.
func (a *Access) SignInAgain(server string, why error) error {
	err := fmt.Errorf("the sign-in to %s is over: %w", server, why)
	return &cli.Failure{Code: cli.ExitSignIn, Err: err, Hint: a.LoginHint()}
}

// HoldServer locks the sign-in to a server. The wait for another process lasts up to one minute.
func HoldServer(ctx context.Context, s *settings.Secrets, server string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	return s.Hold(ctx, server)
}

type renewal struct {
	account *Account
	err     error
}

// renewSignIn returns the old sign-in if the provider is silent and the old token is still valid.
func (a *Access) renewSignIn(
	ctx context.Context, secrets *settings.Secrets, server string, known Account, refused string,
) (*Account, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, ProviderPatience, explainSilence(known))
	defer cancel()
	done, answered := make(chan renewal, 1), make(chan struct{})
	go func() {
		c, err := a.renewOnce(bounded, secrets, server, refused, func() { close(answered) })
		done <- renewal{c, err}
	}()
	var result renewal
	silence := time.NewTimer(ProviderPatience)
	defer silence.Stop()
	select {
	case result = <-done:
	case <-answered: // The new tokens are being stored.
		result = <-done
		return result.account, result.err
	case <-silence.C:
	}
	isSilent := bounded.Err() != nil && ctx.Err() == nil
	switch {
	case result.account != nil || result.err != nil && !isSilent:
		return result.account, result.err
	case known.isStillValid(refused, a.Now()):
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

func (a *Access) renewOnce(
	ctx context.Context, secrets *settings.Secrets, server, refused string, answered func(),
) (*Account, error) {
	release, err := HoldServer(ctx, secrets, server)
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("renew the sign-in to %s: %w", server, err), "")
	}
	defer release()
	account, err := ReadAccount(secrets, server)
	switch {
	case errors.Is(err, settings.ErrNoSecret):
		return nil, a.SignInAgain(server, errors.New("you signed out in the meantime"))
	case err != nil:
		return nil, fmt.Errorf("read the sign-in to %s: %w", server, err)
	case account.isUsable(refused, a.Now()):
		return &account, nil
	case account.Tokens.Refresh == "":
		return nil, a.SignInAgain(server, errors.New(cmp.Or(account.Over, "its token has expired")))
	}
	fresh, err := a.renewAtProvider(ctx, secrets, server, account, answered)
	if refusal, ok := errors.AsType[*signin.RefusedError](err); ok && !refusal.IsPassing() {
		account = a.storeRefusal(secrets, server, account, refused, refusal)
	}
	if err != nil && account.isStillValid(refused, a.Now()) {
		return &account, nil
	}
	return fresh, err
}

func (a *Access) storeRefusal(
	secrets *settings.Secrets, server string, account Account, refused string, refusal *signin.RefusedError,
) Account {
	account.Over = "the identity provider refuses to renew the sign-in: " + cmp.Or(refusal.Description, refusal.Code)
	if refusal.Code == signin.CodeOver {
		account.Tokens.Refresh = ""
	}
	if account.Tokens.Access == refused {
		account.Tokens.Expires = a.Now().UTC()
	}
	if kept, found, err := secrets.Find(server); err == nil && found {
		// If this fails, the next command asks the provider again.
		_ = KeepAccount(secrets, server, account, kept.Stored)
	}
	return account
}

func (a *Access) renewAtProvider(
	ctx context.Context, secrets *settings.Secrets, server string, account Account, answered func(),
) (*Account, error) {
	provider, err := a.OpenProvider(ctx, account)
	if err != nil {
		return nil, a.explainRenewal(server, err)
	}
	return a.RenewWith(ctx, provider, secrets, server, account, answered)
}

// RenewWith requests new tokens and stores them. Cancelling ctx has no effect, because the provider
// may already have revoked the old tokens. A failure to store the new tokens is only printed.
func (a *Access) RenewWith(
	ctx context.Context, provider *signin.Provider, secrets *settings.Secrets,
	server string, account Account, answered func(),
) (*Account, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer cancel()
	fresh, err := provider.Renew(ctx, account.Tokens)
	if refused, ok := errors.AsType[*signin.RefusedError](err); ok && !refused.IsPassing() {
		return nil, a.SignInAgain(server, refused)
	}
	if err != nil {
		return nil, a.explainRenewal(server, err)
	}
	answered()
	account.Tokens, account.Over = fresh, ""
	kept, found, err := secrets.Find(server)
	if err == nil && found {
		err = KeepAccount(secrets, server, account, kept.Stored)
		if err != nil { // Try again, because the old tokens are no longer valid.
			err = KeepAccount(secrets, server, account, kept.Stored)
		}
	}
	if err != nil && !a.FullScreen {
		a.Say("the renewed token could not be stored, so you will have to sign in again: %s", terminal.Clean(err.Error()))
	}
	return &account, nil
}

// OpenProvider reads the description of a sign-in's provider.
func (a *Access) OpenProvider(ctx context.Context, account Account) (*signin.Provider, error) {
	return signin.Open(ctx, signin.Options{
		Issuer: account.Issuer, ClientID: account.ClientID, Audience: account.Audience, Resource: account.Resource,
		Scopes: account.Scopes, UserAgent: UserAgent(), Now: a.Now,
	})
}

// UserAgent returns the User-Agent for requests to identity providers.
func UserAgent() string { return "parley/" + cli.VersionText() }
