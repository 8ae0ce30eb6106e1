package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/lipgloss/table"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/tui"
)

// style is the little colour that commands use on stderr and in tables.
type style struct {
	renderer *lipgloss.Renderer
}

func (a *app) newStyle() style { return a.styleFor(a.tty.err) }

// styleFor is the style of a stream that is a terminal or not.
func (a *app) styleFor(terminal bool) style {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	if a.tintFor(terminal) {
		r.SetColorProfile(termenv.ANSI)
	}
	r.SetHasDarkBackground(true)
	return style{renderer: r}
}

// tint tells whether talk on stderr is coloured: NO_COLOR, CLICOLOR_FORCE,
// TERM=dumb and --no-color are honoured.
func (a *app) tint() bool { return a.tintFor(a.tty.err) }

func (a *app) tintFor(terminal bool) bool {
	if a.noTint || a.env("NO_COLOR") != "" || a.env("TERM") == "dumb" {
		return false
	}
	force := a.env("CLICOLOR_FORCE")
	return terminal || force != "" && force != "0"
}

func (s style) bad(text string) string {
	return s.renderer.NewStyle().Foreground(lipgloss.Color("1")).Bold(true).Render(text)
}

// colour is one of the terminal's 16 colours.
func (s style) colour(code, text string) string {
	return s.renderer.NewStyle().Foreground(lipgloss.Color(code)).Render(text)
}

func (s style) bold(text string) string {
	return s.renderer.NewStyle().Bold(true).Render(text)
}

func (s style) faint(text string) string {
	return s.renderer.NewStyle().Faint(true).Render(text)
}

// say writes talk to stderr.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.err, format+"\n", args...)
}

// sayRetry tells a person that a call is tried again and when.
func (a *app) sayRetry(r client.Retry) {
	if a.tty.err && !a.screen {
		a.say("%s", a.style.faint(fmt.Sprintf("%s; trying again in %s", tui.Clean(r.Reason), r.Wait.Round(100*time.Millisecond))))
	}
}

// jsonFlag is --json with an optional list of fields: bare it asks for all.
type jsonFlag struct {
	on     bool
	fields []string
	sample any
}

// add puts the flag on a command. sample is an answer of the kind that the
// command prints: a field that it has not is refused before anything is done.
// nil leaves that to the printing, for commands that change nothing.
func (f *jsonFlag) add(c *cobra.Command, sample any) {
	f.sample = sample
	c.Flags().Var(f, "json", "print JSON, or with `FIELDS` (comma-separated) only these members")
	c.Flags().Lookup("json").NoOptDefVal = allFields
}

const allFields = "*"

func (f *jsonFlag) String() string { return strings.Join(f.fields, ",") }

// Type names the value in the help text.
func (f *jsonFlag) Type() string { return "fields" }

// Set reads the list of fields.
func (f *jsonFlag) Set(text string) error {
	f.on = true
	if text == allFields {
		return nil
	}
	f.fields = strings.Split(text, ",")
	if f.sample == nil {
		return nil
	}
	example, err := json.Marshal(f.sample)
	if err == nil {
		_, err = chooseMembers(example, f.fields)
	}
	return err
}

// printJSON writes a value as JSON on stdout, with the members asked for.
func (a *app) printJSON(f jsonFlag, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if text, err = chooseFields(text, f.fields); err != nil {
		return err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, text, "", "  "); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, pretty.String())
	return err
}

// chooseFields keeps the named members of an object, or of each object of an
// array, in the order in which they were named.
func chooseFields(text []byte, fields []string) ([]byte, error) {
	if len(fields) == 0 {
		return text, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return chooseMembers(text, fields)
	}
	chosen := make([]json.RawMessage, 0, len(list))
	for _, item := range list {
		kept, err := chooseMembers(item, fields)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, kept)
	}
	return json.Marshal(chosen)
}

func chooseMembers(object []byte, fields []string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for i, name := range fields {
		value, ok := members[name]
		if !ok {
			return nil, usage("there is no field %q; the fields are %s", name, strings.Join(sortedKeys(members), ", "))
		}
		fmt.Fprintf(&b, "%c%q:%s", separator(i), name, value)
	}
	return append(b.Bytes(), '}'), nil
}

func separator(i int) rune {
	if i == 0 {
		return '{'
	}
	return ','
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// printTable writes rows: aligned columns with a head on a terminal, values
// separated by tabs and without a head elsewhere.
func (a *app) printTable(head []string, rows [][]string) error {
	for _, row := range rows {
		for i := range row {
			row[i] = tui.Clean(row[i])
		}
	}
	if a.tty.out {
		return a.printAligned(head, rows)
	}
	for _, row := range rows {
		if _, err := fmt.Fprintln(a.out, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printAligned(head []string, rows [][]string) error {
	plain := a.style.renderer.NewStyle()
	t := table.New().Border(lipgloss.HiddenBorder()).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderHeader(false).
		Headers(head...).Rows(rows...).
		StyleFunc(func(row, _ int) lipgloss.Style {
			if row == table.HeaderRow {
				return plain.Bold(true).PaddingRight(1)
			}
			return plain.PaddingRight(1)
		})
	text := t.Render()
	if width := a.width(); width > 0 && lipgloss.Width(text) > width {
		text = t.Width(width).Render()
	}
	_, err := fmt.Fprintln(a.out, text)
	return err
}

// width is the width of the terminal behind stdout in cells, 0 when unknown.
func (a *app) width() int {
	width, _, err := term.GetSize(a.tty.stdout.Fd())
	if err != nil {
		return 0
	}
	return width
}
