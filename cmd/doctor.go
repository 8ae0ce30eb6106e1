package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

type doctorOptions struct {
	*app
	json jsonFlag
}

// The verdicts of an examination.
const (
	verdictOK   = "ok"
	verdictWarn = "warning"
	verdictFail = "failed"
)

// examined is a finding of the doctor: what was looked at, how it is, and what to do.
type examined struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Message string `json:"message"`
	// Remedy is what to do, a command where there is one; "" where all is well.
	Remedy string `json:"remedy"`
}

func newDoctorCmd(a *app, run func(context.Context, *doctorOptions) error) *cobra.Command {
	o := &doctorOptions{app: a}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong on this machine and with the server",
		Long: `Look at what Parley needs, and say what is wrong and what to do about it: settings, the
server and its clock, who is signed in, the keyring, the terminal, the folders, the
local server's database, models, and the project's parley.lock. All is looked at at
once and takes at most five seconds. Keys and tokens are named and never shown.

The exit code is 1 when something has failed; a warning is something to know.`,
		Example: "  parley doctor\n  parley doctor --json=check,verdict\n  parley doctor --server https://npc.example.com",
		Args:    exactly(),
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), o) },
	}
	o.json.add(c, examined{})
	return c
}

// Patience of the doctor: all examinations run at once, and what has not ended
// then is said to hang.
const (
	doctorPatience = 4500 * time.Millisecond
	checkPatience  = 3 * time.Second
)

// examination looks at one thing, and gives what it found.
type examination struct {
	name string
	look func(ctx context.Context) []examined
}

func (o *doctorOptions) examinations() []examination {
	return []examination{
		{"parley", o.examineBuild},
		{"settings", o.examineSettings},
		{"server", o.examineServer},
		{"keyring", o.examineKeyring},
		{"terminal", o.examineTerminal},
		{"folders", o.examineFolders},
		{"database", o.examineDatabase},
		{"models", o.examineModels},
		{"project", o.examineProject},
	}
}

func runDoctor(ctx context.Context, o *doctorOptions) error {
	found := o.examine(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := o.report(found); err != nil {
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
	return &failure{code: exitNo, err: fmt.Errorf("%s failed", count(failed, "check")), said: o.tty.out}
}

// examine runs all examinations at once and gives their findings in order.
func (o *doctorOptions) examine(ctx context.Context) []examined {
	ctx, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	list := o.examinations()
	results := make([]chan []examined, len(list))
	for i, e := range list {
		results[i] = make(chan []examined, 1)
		go func() {
			bounded, cancel := context.WithTimeout(ctx, checkPatience)
			defer cancel()
			results[i] <- e.look(bounded)
		}()
	}
	var found []examined
	for i, e := range list {
		select {
		case some := <-results[i]:
			found = append(found, some...)
		case <-ctx.Done():
			found = append(found, examined{e.name, verdictWarn, "no answer within " + doctorPatience.String(), "try again"})
		}
	}
	return found
}

// report prints the findings: for people a line each with the remedy below it.
func (o *doctorOptions) report(found []examined) error {
	if o.json.on {
		return o.printJSON(o.json, found)
	}
	if !o.tty.out {
		rows := make([][]string, len(found))
		for i, e := range found {
			rows[i] = []string{e.Verdict, e.Check, e.Message, e.Remedy}
		}
		return o.printTable(nil, rows)
	}
	s := o.styleFor(o.tty.out)
	for _, e := range found {
		if err := o.reportOne(s, e); err != nil {
			return err
		}
	}
	return nil
}

// marks of a verdict: a sign, its plain counterpart, and a colour.
var verdictMarks = map[string]struct{ sign, plain, colour string }{
	verdictOK:   {"✓", "+", "2"},
	verdictWarn: {"!", "!", "3"},
	verdictFail: {"✗", "x", "1"},
}

func (o *doctorOptions) reportOne(s style, e examined) error {
	m := verdictMarks[e.Verdict]
	sign := m.plain
	if o.unicode() {
		sign = m.sign
	}
	message := terminal.Clean(e.Message)
	if e.Verdict == verdictFail {
		message += s.faint(" [failed]")
	}
	text := fmt.Sprintf("%s %s  %s", s.colour(m.colour, sign), padded(e.Check, 10), o.hung(message, 14))
	if e.Remedy != "" {
		text += "\n" + strings.Repeat(" ", 14) + s.faint("-> "+o.hung(terminal.Clean(e.Remedy), 17))
	}
	_, err := fmt.Fprintln(o.out, text)
	return err
}

// hung breaks a text between words for the terminal's width, its lines below each
// other behind a margin.
func (o *doctorOptions) hung(text string, margin int) string {
	if width := o.width(); width > 2*margin {
		text = ansi.Wordwrap(text, width-margin, "")
	}
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", margin))
}

func well(check, format string, args ...any) examined {
	return examined{check, verdictOK, fmt.Sprintf(format, args...), ""}
}

func (e examined) as(verdict, remedy string) examined {
	e.Verdict, e.Remedy = verdict, remedy
	return e
}
