// Package auth implements `parley auth`: signing in and out, and showing the current sign-in. It
// prints no secret except where that is the command's purpose, and never sends a token to a server
// other than its own.
package auth

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/personas/wire"
)

// NewAuthCmd returns the `parley auth` command with its subcommands.
func NewAuthCmd(access *service.Access) *cobra.Command {
	c := cli.NewGroupCmd("auth", "Sign in and out, and see who you are",
		newLoginCmd(access), newStatusCmd(access), newAuthTokenCmd(access), newLogoutCmd(access))
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

// explainSignIn returns the error of a sign-in with its exit code and a hint.
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
		return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("not signed in: %s", refused.Description), Hint: "start again: parley auth login"}
	}
	return &cli.Failure{Code: cli.ExitNo, Err: err, Hint: "the provider's error code is " + refused.Code + "; --client-id, --scopes and --audience set the values sent to it"}
}
