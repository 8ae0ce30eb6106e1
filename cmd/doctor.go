package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/tui/terminal"
)

type doctorOptions struct {
	*service.Access
	json     cli.JSONFlag
	database string
}

const (
	verdictOK   = "ok"
	verdictWarn = "warning"
	verdictFail = "failed"
)

type doctorResult struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"` // a command if possible, or ""
}

func newDoctorCmd(access *service.Access) *cobra.Command {
	o := &doctorOptions{Access: access}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Find problems on this machine and with the server",
		Long: `Check what Parley needs and suggest remedies: settings, the server and its clock,
sign-in, keyring, terminal, directories, the local server's database, models and the
project's parley.lock. All checks run at once and take at most five seconds. Keys
and tokens are never shown.

The exit code is 1 if a check failed. Warnings do not change it.`,
		Example: "  parley doctor\n  parley doctor --json check,verdict\n" +
			"  parley doctor --server https://npc.example.com\n" +
			"  parley doctor --database 'postgres://parley@db.example/parley?sslmode=verify-full'",
		Args: cli.ExactArgs(),
		RunE: func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), o) },
	}
	c.Flags().StringVar(&o.database, "database", "", "the `ADDRESS` of a server's database to check: sqlite:PATH "+
		"or postgres://USER@HOST/NAME (default: PARLEY_DATABASE, else the database in the data folder)")
	o.json.AddFlags(c, doctorResult{})
	return c
}

// doctorTimeout is less than the five seconds in the help.
const doctorTimeout = 4500 * time.Millisecond

func runDoctor(ctx context.Context, o *doctorOptions) error {
	if _, _, err := o.FindDatabase(o.database, false); err != nil {
		return err
	}
	found := o.runExaminations(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := o.printFindings(found); err != nil {
		return err
	}
	failed := 0
	for _, e := range found {
		if e.Verdict == verdictFail {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s failed", cli.Pluralize(failed, "check")),
		Reported: o.TTY.Out}
}

func (o *doctorOptions) runExaminations(ctx context.Context) []doctorResult {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	list := []struct {
		name    string
		examine func(ctx context.Context) []doctorResult
	}{
		{"settings", o.examineSettings},
		{"server", o.examineServer},
		{"keyring", o.examineKeyring},
		{"terminal", o.examineTerminal},
		{"folders", o.examineFolders},
		{"rights", o.examineRights},
		{"database", o.examineDatabase},
		{"models", o.examineModels},
		{"project", o.examineProject},
	}
	results := make([]chan []doctorResult, len(list))
	for i, e := range list {
		results[i] = make(chan []doctorResult, 1)
		go func() { results[i] <- e.examine(ctx) }()
	}
	b := cli.ReadBuildInfo()
	found := []doctorResult{foundOK("parley", "%s, %s, %s", b.Version, b.Go, b.Platform)}
	for i, e := range list {
		select {
		case some := <-results[i]:
			found = append(found, some...)
		case <-ctx.Done():
			found = append(found, foundOK(e.name, "no answer within %s", doctorTimeout).warn("try again"))
		}
	}
	return found
}

func (o *doctorOptions) printFindings(found []doctorResult) error {
	if o.json.On {
		return o.PrintJSON(o.json, found)
	}
	if !o.TTY.Out {
		rows := make([][]string, len(found))
		for i, e := range found {
			rows[i] = []string{e.Verdict, e.Check, e.Message, e.Remedy}
		}
		return o.PrintTable(nil, rows)
	}
	s := o.StyleFor(o.TTY.Out)
	for _, e := range found {
		if err := o.printFinding(s, e); err != nil {
			return err
		}
	}
	return nil
}

var verdictMarks = map[string]struct{ sign, plain, colour string }{
	verdictOK:   {"✓", "+", "2"},
	verdictWarn: {"!", "!", "3"},
	verdictFail: {"✗", "x", "1"},
}

func (o *doctorOptions) printFinding(s cli.Style, e doctorResult) error {
	m := verdictMarks[e.Verdict]
	sign := m.plain
	if o.ShowsUnicode() {
		sign = m.sign
	}
	message := terminal.Clean(e.Message)
	if e.Verdict == verdictFail {
		message += s.Faint(" [failed]")
	}
	text := fmt.Sprintf("%s %-10s  %s", s.Color(m.colour, sign), e.Check, message)
	if e.Remedy != "" {
		text += "\n" + strings.Repeat(" ", 14) + s.Faint("-> "+terminal.Clean(e.Remedy))
	}
	_, err := fmt.Fprintln(o.Out, text)
	return err
}

func foundOK(check, format string, args ...any) doctorResult {
	return doctorResult{check, verdictOK, fmt.Sprintf(format, args...), ""}
}

func (e doctorResult) warn(remedy string) doctorResult {
	e.Verdict, e.Remedy = verdictWarn, remedy
	return e
}

func (e doctorResult) fail(remedy string) doctorResult {
	e.Verdict, e.Remedy = verdictFail, remedy
	return e
}
