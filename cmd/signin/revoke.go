package signin

import (
	"context"
	"errors"
	"net/url"
)

// ErrNoRevocation means that a provider does not support revocation.
var ErrNoRevocation = errors.New("the identity provider does not support revoking tokens")

// ErrNotRevocable means that a provider cannot revoke this token, as many cannot revoke access
// tokens.
var ErrNotRevocable = errors.New("the identity provider does not support revoking access tokens")

// codeKind is the error code for a kind of token that cannot be revoked (RFC 7009 section 2.2.1).
const codeKind = "unsupported_token_type"

// Revoke revokes the refresh token at the provider (RFC 7009), or the access token if there is no
// refresh token.
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
