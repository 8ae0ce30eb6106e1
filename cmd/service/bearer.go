package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/parley-npc/parley/cmd/settings"
)

// minRenewAge is how old a rejected token must be before the sign-in is renewed. A server that
// rejects a new token also rejects the next token.
const minRenewAge = time.Minute

// renewPause is how long a process waits after a failed renewal while the token is still valid.
const renewPause = 30 * time.Second

// A Bearer returns bearer tokens for an address. It reads the stored sign-in once, and again when
// the token is due for renewal. It is safe for concurrent use.
type Bearer struct {
	*Access
	address string
	mu      sync.Mutex
	account *Account

	calmUntil time.Time // no renewal before this time, after a failed renewal
}

// NewBearer returns the source of tokens for an address.
func (a *Access) NewBearer(address string) *Bearer { return &Bearer{Access: a, address: address} }

// SendableToken is Token with the error of CheckTransport.
func (b *Bearer) SendableToken(ctx context.Context) (string, error) {
	token, err := b.Token(ctx)
	if err != nil || token == "" {
		return "", err
	}
	return token, b.CheckTransport(b.address)
}

// Token returns the first of these that exists: PARLEY_TOKEN, the token of the sign-in to the
// server, the token that a local server stored for this user, or "". A sign-in is renewed before
// its token expires. The error has ExitSignIn if the sign-in has expired.
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
		b.account, b.calmUntil = known, b.Now().Add(renewPause)
	}
	if b.account != nil {
		return b.account.Tokens.Access, nil
	}
	dir, err := b.Dirs().Data()
	if err != nil {
		return "", nil // without a home directory there is no sign-in file either
	}
	return b.readSignInToken(dir, b.address)
}

func (b *Bearer) isLookupDue() bool {
	if b.account == nil {
		return true
	}
	now := b.Now()
	calm := now.Before(b.calmUntil) && !b.account.Tokens.IsExpired(now)
	return b.account.Tokens.IsDue(now) && !calm
}

// renewRefused renews a sign-in whose token was rejected before it expired. Of several processes,
// one asks the provider. again reports whether there is a new token.
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

// findSignIn returns the sign-in to a server, renewed if necessary, or nil. refused is a token that
// the server rejected, or "".
func (a *Access) findSignIn(ctx context.Context, address, refused string) (*Account, error) {
	s, err := a.OpenSecrets()
	if err != nil {
		return nil, nil //nolint:nilerr // without a home directory no sign-in is stored
	}
	server := ServerName(address)
	if _, ok, err := s.Find(server); err != nil || !ok {
		return nil, err
	}
	c, err := ReadAccount(s, server)
	if errors.Is(err, settings.ErrNoSecret) {
		return nil, a.SignInAgain(server, errors.New("its stored token is missing"))
	}
	if err != nil {
		return nil, fmt.Errorf("read the sign-in to %s: %w", server, err)
	}
	if c.isUsable(refused, a.Now()) {
		return &c, nil
	}
	return a.renewSignIn(ctx, s, server, c, refused)
}

// isUsable reports whether a token needs no renewal, because it seems valid or cannot be renewed.
func (c *Account) isUsable(refused string, now time.Time) bool {
	t := c.Tokens
	if t.Access == refused {
		age := now.Sub(t.Issued)
		return t.Refresh == "" || age >= 0 && age < minRenewAge
	}
	return !t.IsDue(now) || t.Refresh == "" && !t.IsExpired(now)
}

func (c *Account) isLiving(refused string, now time.Time) bool {
	return c.Tokens.Access != refused && !c.Tokens.IsExpired(now)
}
