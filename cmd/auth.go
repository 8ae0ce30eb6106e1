package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

func newAuthCmd(access *service.Access) *cobra.Command {
	c := cli.NewGroupCmd("auth", "Sign in and out, and see who you are",
		newLoginCmd(access), newAuthStatusCmd(access), newAuthTokenCmd(access), newLogoutCmd(access))
	c.Long = `Sign in to a service, show who you are, and sign out.

A sign-in is for one server: its token is sent nowhere else. It is kept in the
system's keyring and renewed before it ends. PARLEY_TOKEN overrides every sign-in.
On the machine of ` + "`parley localserver`" + ` you need not sign in: commands use a local
account.`
	c.Example = `  parley auth login
  parley auth login --server https://npc.example.com --device
  parley auth status
  curl -H "Authorization: Bearer $(parley auth token)" http://127.0.0.1:8787/api/v1/auth/me`
	return c
}

func explainSignIn(err error) error {
	refused, isRefusal := errors.AsType[*signin.RefusedError](err)
	_, explained := errors.AsType[*cli.Failure](err)
	_, answered := errors.AsType[*wire.Error](err)
	switch {
	case err == nil || explained || answered || service.IsUnreachable(err):
		return err
	case !isRefusal:
		return cli.WrapTrouble(err, "")
	case refused.Code == signin.CodeDenied:
		return cli.AnswerNo("not signed in: the sign-in was refused")
	case refused.Code == signin.CodeExpired:
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("not signed in: %s", refused.Description),
			Hint: "start again: parley auth login"}
	}
	return &cli.Failure{Code: cli.ExitNo, Err: err, Hint: "the provider's error code is " + refused.Code +
		"; --client-id, --scopes and --audience set the values sent to it"}
}

func newLogoutCmd(access *service.Access) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Sign out of a service",
		Long: `Delete the sign-in to a service, and revoke it at the identity provider if that is
supported. Signing out twice is not an error.`,
		Example: "  parley auth logout\n  parley auth logout --server https://npc.example.com",
		Args:    cli.ExactArgs(),
		RunE:    func(c *cobra.Command, _ []string) error { return runLogout(c.Context(), access) },
	}
}

func runLogout(ctx context.Context, access *service.Access) error {
	address, _, err := access.ServerAddress()
	if err != nil {
		return err
	}
	s, err := access.OpenSecrets()
	if err != nil {
		return err
	}
	server := service.ServerName(address)
	if _, ok, err := s.Find(server); err != nil || !ok {
		if err == nil {
			access.Say("nobody was signed in to %s", service.ServerLabel(address))
		}
		sayWhoRemains(access, address)
		return err
	}
	defer holdBriefly(ctx, s, server)()
	c, readErr := service.ReadAccount(s, server)
	if err := s.Forget(server); err != nil && !errors.Is(err, settings.ErrNoSecret) {
		return fmt.Errorf("cannot delete the stored sign-in to %s: %w", service.ServerLabel(address), err)
	}
	access.Say("signed out of %s", service.ServerLabel(address))
	switch {
	case readErr != nil:
		access.Say("the sign-in could not be revoked at its identity provider: %s", terminal.Clean(readErr.Error()))
	case c.Issuer == "":
		access.Say("the token was given with --with-token, so it cannot be revoked here and stays valid until it expires")
	default:
		revokeTokens(ctx, access, c)
	}
	sayWhoRemains(access, address)
	return nil
}

// holdBriefly may return without the lock. After a sign-out, a renewal in another process stores
// nothing.
func holdBriefly(ctx context.Context, s *settings.Secrets, server string) (release func()) {
	ctx, cancel := context.WithTimeout(ctx, service.ProviderPatience)
	defer cancel()
	release, err := service.HoldServer(ctx, s, server)
	if err != nil {
		return func() {}
	}
	return release
}

func revokeTokens(ctx context.Context, access *service.Access, c service.Account) {
	ctx, cancel := context.WithTimeoutCause(ctx, service.ProviderPatience,
		fmt.Errorf("the provider does not answer within %s", service.ProviderPatience))
	defer cancel()
	p, err := access.OpenProvider(ctx, c)
	if err == nil {
		err = p.Revoke(ctx, c.Tokens)
	}
	switch {
	case errors.Is(err, signin.ErrNoRevocation) || errors.Is(err, signin.ErrNotRevocable):
		access.Say("the sign-in was not revoked at %s: %s; it stays valid until it expires", terminal.Clean(c.Issuer), err)
	case err != nil:
		access.Say("the sign-in could not be revoked at %s and stays valid there until it expires: %s",
			terminal.Clean(c.Issuer), terminal.Clean(err.Error()))
	}
}

func sayWhoRemains(access *service.Access, address string) {
	if strings.TrimSpace(access.Env("PARLEY_TOKEN")) != "" {
		access.Say("PARLEY_TOKEN is still set: commands continue to use it")
		return
	}
	if now, err := readAuthStatus(access, address); err == nil && now.SignedIn {
		access.Say("for the local server on this machine, commands are still signed in as %s", terminal.Clean(now.Email))
	}
}
