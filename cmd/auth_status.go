package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/tui/terminal"
)

type authStatus struct {
	Server    string     `json:"server"`
	SignedIn  bool       `json:"signed_in"`
	Subject   string     `json:"sub"`
	Email     string     `json:"email"`
	Name      string     `json:"name"`
	Stored    string     `json:"stored"`
	ExpiresAt *time.Time `json:"expires_at"`
	Renewable bool       `json:"renewable"`
	Issuer    string     `json:"issuer"`
	ClientID  string     `json:"client_id"`
	Scopes    []string   `json:"scopes"`
	Problem   string     `json:"problem"`
}

const (
	storedEnvironment = "environment"
	storedServer      = "local server"
)

func storedText(where string) string {
	switch where {
	case storedEnvironment:
		return "in PARLEY_TOKEN"
	case storedServer:
		return "by the local server, for this machine's user"
	case string(settings.StoredKeyring):
		return "in the system's keyring"
	}
	return "in a file that only you can read"
}

type authStatusOptions struct {
	*service.Access
	json cli.JSONFlag
}

func newAuthStatusCmd(access *service.Access) *cobra.Command {
	o := &authStatusOptions{Access: access}
	c := &cobra.Command{
		Use:   "status",
		Short: "Show who you are on a service, and until when",
		Long: "Show which user you are signed in as, where the token is stored and when it expires.\n" +
			"This does not contact the service. The exit code is 4 if nobody is signed in.",
		Example: "  parley auth status\n  parley auth status --json email,expires_at",
		Args:    cli.ExactArgs(),
		RunE:    func(_ *cobra.Command, _ []string) error { return runStatus(o) },
	}
	o.json.AddFlags(c, authStatus{})
	return c
}

func runStatus(o *authStatusOptions) error {
	address, _, err := o.ServerAddress()
	if err != nil {
		return err
	}
	for _, wide := range service.NarrowRights(o.Environment) {
		message, remedy := service.DescribeWidened(wide)
		o.Warn("%s\n  %s", terminal.Clean(message), terminal.Clean(remedy))
	}
	now, fault := readAuthStatus(o.Access, address)
	if fault != nil {
		now.Problem = fault.Error()
	}
	over := &cli.Failure{Code: cli.ExitSignIn, Err: fmt.Errorf("not signed in to %s", now.Server),
		Hint: o.LoginHint(), Reported: o.json.On}
	if o.json.On {
		if err := o.PrintJSON(o.json, now); err != nil {
			return err
		}
	} else if now.Stored != "" {
		if err := o.printStatus(now); err != nil {
			return err
		}
	}
	switch {
	case fault != nil:
		return fault
	case !now.SignedIn && now.Stored != "":
		over.Err = o.SignInAgain(now.Server, errors.New(cmp.Or(now.Problem, "its token has expired")))
		return over
	case !now.SignedIn:
		return over
	}
	return nil
}

// readAuthStatus returns an error and the known part of the status if the sign-in is unusable.
func readAuthStatus(access *service.Access, address string) (authStatus, error) {
	now := authStatus{Server: service.ServerName(address), Scopes: []string{}}
	if token := strings.TrimSpace(access.Env("PARLEY_TOKEN")); token != "" {
		who, expires := signin.ReadClaims(token)
		now.applyNote(service.SignInNote{Person: who, Expires: expires}, storedEnvironment, access.Now())
		return now, nil
	}
	found, err := readKeptStatus(access, &now)
	if found || err != nil {
		return now, err
	}
	dir, err := access.Dirs().Data()
	if err != nil {
		return now, nil //nolint:nilerr // without a home directory nobody is signed in
	}
	in, err := identity.ReadSignIn(dir)
	if err != nil || in.Address != address || access.Now().After(in.ExpiresAt) {
		return now, nil //nolint:nilerr // no server runs there
	}
	who, _ := signin.ReadClaims(in.Token)
	now.applyNote(service.SignInNote{Person: who, Expires: in.ExpiresAt, Renewable: true}, storedServer, access.Now())
	return now, nil
}

func readKeptStatus(access *service.Access, now *authStatus) (found bool, err error) {
	s, err := access.OpenSecrets()
	if err != nil {
		return false, nil //nolint:nilerr // without a home directory no sign-in is stored
	}
	kept, ok, err := s.Find(now.Server)
	if err != nil || !ok {
		return false, err
	}
	var n service.SignInNote
	if json.Unmarshal(kept.Note, &n) != nil {
		n = service.SignInNote{}
	}
	now.applyNote(n, string(kept.Stored), access.Now())
	c, err := service.ReadAccount(s, now.Server)
	if err != nil {
		now.SignedIn = false
		return true, fmt.Errorf("the sign-in to %s cannot be read: %w", now.Server, err)
	}
	now.applyNote(c.Note(), string(kept.Stored), access.Now())
	return true, nil
}

func (t *authStatus) applyNote(n service.SignInNote, stored string, now time.Time) {
	t.Stored, t.Issuer, t.ClientID, t.Renewable = stored, n.Issuer, n.ClientID, n.Renewable
	t.Subject, t.Email, t.Name = n.Person.Subject, n.Person.Email, n.Person.Name
	if fields := strings.Fields(n.Scope); len(fields) > 0 {
		t.Scopes = fields
	}
	isRenewable := n.Renewable && n.Over == ""
	t.SignedIn = isRenewable || n.Expires.IsZero() || now.Before(n.Expires)
	t.Problem = n.Over
	t.ExpiresAt = nil
	if !n.Expires.IsZero() {
		expires := n.Expires.UTC()
		t.ExpiresAt = &expires
	}
}

func (o *authStatusOptions) printStatus(s authStatus) error {
	who := signin.Person{Subject: s.Subject, Email: s.Email, Name: s.Name}.Label()
	if s.Name != "" && s.Name != who {
		who += " (" + s.Name + ")"
	}
	lines := [][2]string{{"server", s.Server}, {"user", cmp.Or(who, "unknown: not in the token")},
		{"token", "kept " + storedText(s.Stored)}, {"ends", s.endText(o.Now(), o.ShownTime)}}
	if s.Issuer != "" {
		lines = append(lines, [2]string{"issuer", s.Issuer + ", as client " + s.ClientID})
	}
	if s.Problem != "" && s.SignedIn {
		lines = append(lines, [2]string{"problem", s.Problem + "; sign in again before it ends"})
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(o.Out, "%-8s %s\n", line[0], terminal.Clean(line[1])); err != nil {
			return err
		}
	}
	return nil
}

func (t *authStatus) endText(now time.Time, inZone func(time.Time) time.Time) string {
	switch {
	case t.ExpiresAt == nil:
		return "unknown"
	case !now.Before(*t.ExpiresAt) && t.Renewable && t.Problem == "":
		return "is renewed by the next command that needs it"
	case !now.Before(*t.ExpiresAt):
		return "expired at " + inZone(*t.ExpiresAt).Format(time.DateTime+" MST")
	case t.Renewable && t.Problem == "":
		return "in " + roughDuration(t.ExpiresAt.Sub(now)) + ", and is renewed before"
	}
	return "in " + roughDuration(t.ExpiresAt.Sub(now)) + ", at " + inZone(*t.ExpiresAt).Format(time.DateTime+" MST")
}

func roughDuration(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d.Round(unit.length) / unit.length); n > 1 || n == 1 && unit.length == time.Second {
			return cli.Pluralize(n, unit.name)
		}
	}
	return "a moment"
}

func newAuthTokenCmd(access *service.Access) *cobra.Command {
	return &cobra.Command{
		Use:     "token",
		Short:   "Print the bearer token for a service",
		Long:    "Print the bearer token that commands send, renewed if it is about to expire. Anybody who\nhas the token can act as you.",
		Example: "  curl -H \"Authorization: Bearer $(parley auth token)\" http://127.0.0.1:8787/api/v1/auth/me",
		Args:    cli.ExactArgs(),
		RunE:    func(c *cobra.Command, _ []string) error { return printToken(c.Context(), access) },
	}
}

func printToken(ctx context.Context, access *service.Access) error {
	address, _, err := access.ServerAddress()
	if err != nil {
		return err
	}
	// The server needs no check, because the token is printed and not sent.
	token, err := access.NewBearer(address).Token(ctx)
	if err != nil {
		return err
	}
	if token == "" {
		return &cli.Failure{Code: cli.ExitSignIn, Err: fmt.Errorf("not signed in to %s", service.ServerLabel(address)),
			Hint: access.LoginHint()}
	}
	_, err = fmt.Fprintln(access.Out, terminal.Clean(token))
	return err
}
