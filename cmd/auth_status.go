package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/signin"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/tui/terminal"
)

// status is what `parley auth status --json` prints. Stored is environment,
// keyring, file, local server, or empty when nobody is signed in.
type status struct {
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

// Where a token can be besides the places of config.Storage.
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
	case string(config.StoredKeyring):
		return "in the system's keyring"
	}
	return "in a file that only you can read"
}

type statusOptions struct {
	*app
	json jsonFlag
}

func newStatusCmd(a *app, run func(context.Context, *statusOptions) error) *cobra.Command {
	o := &statusOptions{app: a}
	c := &cobra.Command{
		Use:     "status",
		Short:   "Say who you are for a service, and until when",
		Long:    "Say as whom commands call the service, where the token is kept and when it ends. The\nservice itself is not asked. Exit code 4 when nobody is signed in.",
		Example: "  parley auth status\n  parley auth status --json=email,expires_at",
		Args:    exactly(),
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), o) },
	}
	o.json.add(c, status{})
	return c
}

func runStatus(_ context.Context, o *statusOptions) error {
	address, _, err := o.address()
	if err != nil {
		return err
	}
	now, fault := o.status(address)
	if fault != nil {
		now.Problem = fault.Error()
	}
	over := &failure{code: exitSignIn, err: fmt.Errorf("not signed in to %s", now.Server), hint: o.loginHint(), said: o.json.on}
	if o.json.on {
		if err := o.printJSON(o.json, now); err != nil {
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
		over.err = o.signInAgain(now.Server, errors.New("its token has expired"))
		return over
	case !now.SignedIn:
		return over
	}
	return nil
}

// status finds who one is. The error is what keeps a sign-in from being used; the
// status then says what is known without it.
func (a *app) status(address string) (status, error) {
	now := status{Server: serverName(address), Scopes: []string{}}
	if token := strings.TrimSpace(a.env("PARLEY_TOKEN")); token != "" {
		who, expires := signin.Claims(token)
		now.take(signInNote{Person: who, Expires: expires}, storedEnvironment, a.now())
		return now, nil
	}
	found, err := a.keptStatus(&now)
	if found || err != nil {
		return now, err
	}
	dir, err := a.dirs().Data()
	if err != nil {
		return now, nil //nolint:nilerr // without a home folder nobody is signed in
	}
	in, err := localserver.ReadSignIn(dir)
	if err != nil || in.Address != address || a.now().After(in.ExpiresAt) {
		return now, nil //nolint:nilerr // no server runs there
	}
	who, _ := signin.Claims(in.Token)
	now.take(signInNote{Person: who, Expires: in.ExpiresAt, Renewable: true}, storedServer, a.now())
	return now, nil
}

// keptStatus looks at the sign-in that is kept, and whether its token can be read.
func (a *app) keptStatus(now *status) (found bool, err error) {
	s, err := a.secrets()
	if err != nil {
		return false, nil //nolint:nilerr // without a home folder nothing is kept
	}
	kept, ok, err := s.Find(now.Server)
	if err != nil || !ok {
		return false, err
	}
	var n signInNote
	if json.Unmarshal(kept.Note, &n) != nil {
		n = signInNote{}
	}
	now.take(n, string(kept.Stored), a.now())
	c, err := readAccount(s, now.Server)
	if err != nil {
		now.SignedIn = false
		return true, fmt.Errorf("the sign-in to %s cannot be read: %w", now.Server, err)
	}
	now.take(c.note(), string(kept.Stored), a.now())
	return true, nil
}

func (t *status) take(n signInNote, stored string, now time.Time) {
	t.Stored, t.Issuer, t.ClientID, t.Renewable = stored, n.Issuer, n.ClientID, n.Renewable
	t.Subject, t.Email, t.Name = n.Person.Subject, n.Person.Email, n.Person.Name
	if fields := strings.Fields(n.Scope); len(fields) > 0 {
		t.Scopes = fields
	}
	t.SignedIn = n.Renewable || n.Expires.IsZero() || now.Before(n.Expires)
	t.ExpiresAt = nil
	if !n.Expires.IsZero() {
		expires := n.Expires.UTC()
		t.ExpiresAt = &expires
	}
}

// printStatus says it in words, one fact a line.
func (o *statusOptions) printStatus(s status) error {
	who := signin.Person{Subject: s.Subject, Email: s.Email, Name: s.Name}.Label()
	if s.Name != "" && s.Name != who {
		who += " (" + s.Name + ")"
	}
	if who == "" {
		who = "not named by the token"
	}
	lines := [][2]string{{"server", s.Server}, {"user", who}, {"token", "kept " + storedText(s.Stored)}, {"ends", s.ends(o.now())}}
	if s.Issuer != "" {
		lines = append(lines, [2]string{"issuer", s.Issuer + ", as client " + s.ClientID})
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(o.out, "%-8s %s\n", line[0], terminal.Clean(line[1])); err != nil {
			return err
		}
	}
	return nil
}

func (t *status) ends(now time.Time) string {
	switch {
	case t.ExpiresAt == nil:
		return "nobody has said when"
	case !now.Before(*t.ExpiresAt) && t.Renewable:
		return "is renewed by the next command that needs it"
	case !now.Before(*t.ExpiresAt):
		return "has expired at " + t.ExpiresAt.Local().Format(time.DateTime)
	case t.Renewable:
		return "in " + roughly(t.ExpiresAt.Sub(now)) + ", and is renewed before"
	}
	return "in " + roughly(t.ExpiresAt.Sub(now)) + ", at " + t.ExpiresAt.Local().Format(time.DateTime)
}

// roughly is a time in its largest unit.
func roughly(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d.Round(unit.length) / unit.length); n > 1 || n == 1 && unit.length == time.Second {
			return fmt.Sprintf("%d %s%s", n, unit.name, map[bool]string{true: "s"}[n > 1])
		}
	}
	return "a moment"
}

type authTokenOptions struct{ *app }

func newAuthTokenCmd(a *app, run func(context.Context, *authTokenOptions) error) *cobra.Command {
	o := &authTokenOptions{app: a}
	return &cobra.Command{
		Use:     "token",
		Short:   "Print the bearer token for a service",
		Long:    "Print the bearer token with which commands call the service, renewed if it is about to\nend. Whoever has it can do what you can.",
		Example: "  curl -H \"Authorization: Bearer $(parley auth token)\" http://127.0.0.1:8787/api/v1/auth/me",
		Args:    exactly(),
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), o) },
	}
}

func runAuthToken(ctx context.Context, o *authTokenOptions) error {
	address, _, err := o.address()
	if err != nil {
		return err
	}
	// It is printed, not sent: where it would travel does not count.
	token, err := o.bearer(address).token(ctx)
	if err != nil {
		return err
	}
	if token == "" {
		return &failure{code: exitSignIn, err: fmt.Errorf("not signed in to %s", serverName(address)), hint: o.loginHint()}
	}
	_, err = fmt.Fprintln(o.out, terminal.Clean(token))
	return err
}
