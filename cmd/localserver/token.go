package localservercmd

import (
	"errors"
	"fmt"
	"io/fs"
	"net/mail"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/tui/terminal"
)

type tokenOptions struct {
	*service.Environment
	data       string
	user       string
	ttl        time.Duration
	secretFile string
	audience   string
}

func newTokenCmd(env *service.Environment) *cobra.Command {
	o := &tokenOptions{Environment: env}
	c := &cobra.Command{
		Use:   "token",
		Short: "Print a bearer token of the local server",
		Long: `Print a bearer token for a user of the local server with this data directory,
running or not.

Servers with --jwt-secret-file refuse such tokens. For tests, pass the same file and
the server's --audience to make one that they accept; anybody who can read the file
can do this. For servers with --issuer only the provider makes tokens.`,
		Example: `  PARLEY_TOKEN=$(parley localserver token --user alice@example.com) parley persona list --mine
  parley localserver token --user alice@example.com --jwt-secret-file jwt-secret --audience parley --ttl 10m`,
		Args: cli.ExactArgs(),
		RunE: func(_ *cobra.Command, _ []string) error { return runToken(o) },
	}
	addDataFlag(c, &o.data)
	c.Flags().StringVar(&o.user, "user", "", "the user's e-mail `ADDRESS`")
	c.Flags().DurationVar(&o.ttl, "ttl", 12*time.Hour, "how long it is valid, `DURATION`")
	c.Flags().StringVar(&o.secretFile, "jwt-secret-file", "", "the same `FILE` as the server's --jwt-secret-file")
	c.Flags().StringVar(&o.audience, "audience", "", "the same `NAME` as the server's --audience")
	return c
}

func runToken(o *tokenOptions) error {
	if o.user == "" {
		return cli.UsageError("--user is missing: give the user's e-mail address")
	}
	if _, err := mail.ParseAddress(o.user); err != nil {
		return cli.UsageError("--user %q is not an e-mail address", o.user)
	}
	issue := o.issueOwnToken
	if o.secretFile != "" {
		issue = o.signToken
	} else if o.audience != "" {
		return cli.UsageError("--audience needs --jwt-secret-file")
	}
	token, err := issue()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.Out, token)
	return err
}

func (o *tokenOptions) signToken() (string, error) {
	if o.data != "" {
		return "", cli.UsageError("--data and --jwt-secret-file are mutually exclusive")
	}
	secret, err := identity.OpenSecret(o.secretFile, nil, nil)
	if err != nil {
		return explainToken("", err)
	}
	return explainToken(secret.IssueToken(o.user, o.audience, o.ttl))
}

func explainToken(token string, err error) (string, error) {
	if err != nil {
		return "", cli.WrapTrouble(fmt.Errorf("make a token: %w", err), "")
	}
	return token, nil
}

func (o *tokenOptions) issueOwnToken() (string, error) {
	data, err := o.DataFolder(o.data)
	if err != nil {
		return "", err
	}
	if o.data != datafolder.Memory && takesTokensFromElsewhere(data) {
		return "", &cli.Failure{
			Code: cli.ExitNo, Err: fmt.Errorf("the server with the data in %s accepts only tokens from another "+
				"issuer, and would reject this token", terminal.Clean(data)),
			Hint: "if the server was started with --jwt-secret-file, give the same --jwt-secret-file and --audience here; if with --issuer, sign in: parley auth login",
		}
	}
	if !datafolder.IsUsed(data) {
		o.Say("no server has used %s yet: the token will be valid once a server uses that folder", data)
	}
	dev, err := identity.OpenDev(data, nil)
	if err != nil {
		return explainToken("", err)
	}
	return explainToken(dev.IssueToken(o.user, o.ttl))
}

func takesTokensFromElsewhere(data string) bool {
	_, err := identity.ReadSignIn(data)
	return errors.Is(err, fs.ErrNotExist) && datafolder.IsLocked(data)
}
