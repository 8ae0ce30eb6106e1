package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/tui/terminal"
)

type logoutOptions struct{ *app }

func newLogoutCmd(a *app, run func(context.Context, *logoutOptions) error) *cobra.Command {
	o := &logoutOptions{app: a}
	return &cobra.Command{
		Use:   "logout",
		Short: "Sign out of a service",
		Long: `Forget the sign-in to a service, and end it at the identity provider where that takes
tokens back. Signing out twice is fine.`,
		Example: "  parley auth logout\n  parley auth logout --server https://npc.example.com",
		Args:    exactly(),
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), o) },
	}
}

func runLogout(ctx context.Context, o *logoutOptions) error {
	address, _, err := o.address()
	if err != nil {
		return err
	}
	s, err := o.secrets()
	if err != nil {
		return err
	}
	server := serverName(address)
	if _, ok, err := s.Find(server); err != nil || !ok {
		if err == nil {
			o.say("nobody was signed in to %s", server)
		}
		o.sayWhoRemains(address)
		return err
	}
	release, err := held(ctx, s, server)
	if err != nil {
		return trouble(err, "")
	}
	defer release()
	c, readErr := readAccount(s, server)
	if err := s.Forget(server); err != nil && !errors.Is(err, config.ErrNoSecret) {
		return fmt.Errorf("forget the sign-in to %s: %w", server, err)
	}
	o.say("signed out of %s", server)
	switch {
	case readErr != nil:
		o.say("it could not be ended at its identity provider: %s", terminal.Clean(readErr.Error()))
	case c.Issuer == "":
		o.say("the token came from elsewhere and is good until it ends")
	default:
		o.revoke(ctx, c, "the sign-in")
	}
	o.sayWhoRemains(address)
	return nil
}

// revoke ends a sign-in at its provider. That it could not is told and no failure:
// here it is forgotten. what names the sign-in.
func (a *app) revoke(ctx context.Context, c account, what string) {
	p, err := a.provider(ctx, c)
	if err == nil {
		err = p.Revoke(ctx, c.Tokens)
	}
	switch {
	case errors.Is(err, signin.ErrNoRevocation):
		a.say("%s", err)
	case err != nil:
		a.say("%s could not be ended at %s, where it lasts until it expires: %s", what, terminal.Clean(c.Issuer), terminal.Clean(err.Error()))
	}
}

// sayWhoRemains says as whom commands call the service all the same.
func (o *logoutOptions) sayWhoRemains(address string) {
	if strings.TrimSpace(o.env("PARLEY_TOKEN")) != "" {
		o.say("PARLEY_TOKEN is still set: commands go on with it")
		return
	}
	if now, err := o.status(address); err == nil && now.SignedIn {
		o.say("commands go on as %s, this machine's user, for the local server here", terminal.Clean(now.Email))
	}
}
