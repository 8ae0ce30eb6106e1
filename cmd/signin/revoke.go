package signin

import (
	"context"
	"errors"
	"net/url"
)

// ErrNoRevocation means that a provider takes no tokens back.
var ErrNoRevocation = errors.New("the identity provider takes no tokens back")

// ErrNotRevocable means that a provider takes tokens back, but not the one there is: many
// cannot end an access token that services verify by themselves.
var ErrNotRevocable = errors.New("the identity provider takes no access tokens back")

// codeKind refuses to take back a token of this kind (RFC 7009 section 2.2.1).
const codeKind = "unsupported_token_type"

// Revoke ends a sign-in at the provider (RFC 7009): by its refresh token if there is one, else by
// its access token.
func (p *Provider) Revoke(ctx context.Context, t Tokens) error {
	if p.metadata.Revocation == "" {
		return ErrNoRevocation
	}
	form := url.Values{"token": {t.Access}, "token_type_hint": {"access_token"}}
	if t.Refresh != "" {
		form = url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}}
	}
	err := p.postForm(ctx, p.metadata.Revocation, form, nil)
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Code == codeKind {
		return ErrNotRevocable
	}
	return err
}
