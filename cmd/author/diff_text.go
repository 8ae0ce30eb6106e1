package author

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

// diffWriter writes a difference for people.
type diffWriter struct {
	cli.Style
	b     strings.Builder
	group string
}

// textDiff is a difference as text: what went behind -, what came behind +, what
// is another behind ~, words within texts as [-gone-] and {+come+}. Nothing is
// written of versions that are the same.
func textDiff(s cli.Style, d *Difference) string {
	if d.Same {
		return ""
	}
	w := &diffWriter{Style: s}
	fmt.Fprintf(&w.b, "%s\n%s\n", w.red("--- "+terminal.Clean(d.Before)), w.green("+++ "+terminal.Clean(d.After)))
	for _, c := range d.Changes {
		if head := groupOf(c); head != w.group {
			w.group = head
			fmt.Fprintf(&w.b, "\n%s\n", terminal.Clean(head))
		}
		w.change(c)
	}
	w.effects(d)
	return w.b.String()
}

func (w *diffWriter) red(text string) string    { return w.Color("1", text) }
func (w *diffWriter) green(text string) string  { return w.Color("2", text) }
func (w *diffWriter) yellow(text string) string { return w.Color("3", text) }

func (w *diffWriter) change(c diff.Change) {
	thing := terminal.Clean(thingOf(c))
	switch c.Kind {
	case diff.Added:
		w.line(w.green("+ " + orMachine(c, thing)))
	case diff.Removed:
		w.line(w.red("- " + orMachine(c, thing)))
	case diff.Renamed:
		w.line(w.yellow("~ ") + fmt.Sprintf("%s was called %s", orMachine(c, thing), terminal.Clean(plainValue(c.Before))))
	case diff.Reordered:
		w.line(w.yellow("~ ") + reordered(c, thing))
	default:
		w.changed(c, strings.TrimPrefix(thing+", "+terminal.Clean(c.Member), ", "))
	}
}

// orMachine names the machine itself where the change is about it.
func orMachine(c diff.Change, thing string) string {
	if thing == "" {
		return "machine " + terminal.Clean(c.Name)
	}
	return thing
}

func reordered(c diff.Change, thing string) string {
	if c.Thing == diff.ThePersona {
		return "machines stand in another order, and players begin with the first"
	}
	return thing + ": transitions of the same priority are tried in another order"
}

func (w *diffWriter) line(text string) { fmt.Fprintf(&w.b, "  %s\n", text) }

func (w *diffWriter) changed(c diff.Change, what string) {
	switch {
	case c.Items != nil:
		w.line(w.yellow("~ ") + what + ":")
		for _, p := range c.Items {
			w.piece("      ", p)
		}
	case c.Words != nil:
		w.words(what, c.Words)
	default:
		w.line(w.yellow("~ ") + fmt.Sprintf("%s: %s -> %s", what, w.red(terminal.Clean(plainValue(c.Before))), w.green(terminal.Clean(plainValue(c.After)))))
	}
}

func (w *diffWriter) piece(indent string, p diff.Piece) {
	text := terminal.Clean(clipValue(p.Text))
	if p.Op == diff.Delete {
		fmt.Fprintf(&w.b, "%s%s\n", indent, w.red("- "+text))
		return
	}
	fmt.Fprintf(&w.b, "%s%s\n", indent, w.green("+ "+text))
}

const (
	shownAround = 40  // characters of an unchanged part beside a changed one
	shownValue  = 200 // characters of a value or of a changed part
)

// clipValue shortens a text that is shown as a whole.
func clipValue(text string) string { return plaintext.ClipAfter(text, shownValue, plaintext.Ellipsis) }

// words writes a text with what has changed in it, in as many lines as it has;
// what is far from any change is left out.
func (w *diffWriter) words(what string, pieces []diff.Piece) {
	var text strings.Builder
	for i, p := range pieces {
		switch p.Op {
		case diff.Keep:
			text.WriteString(terminal.CleanLines(around(p.Text, i == 0, i == len(pieces)-1)))
		case diff.Delete:
			text.WriteString(w.red("[-" + visible(p.Text) + "-]"))
		case diff.Insert:
			text.WriteString(w.green("{+" + visible(p.Text) + "+}"))
		}
	}
	shown := strings.TrimRight(text.String(), "\n")
	if !strings.Contains(shown, "\n") && len(shown) < 100 {
		w.line(w.yellow("~ ") + what + ": " + shown)
		return
	}
	w.line(w.yellow("~ ") + what + ":")
	for line := range strings.SplitSeq(shown, "\n") {
		fmt.Fprintf(&w.b, "      %s\n", line)
	}
}

// around is an unchanged part as far as it stands beside a changed one.
func around(text string, first, last bool) string {
	runes := []rune(text)
	switch {
	case first && len(runes) > shownAround:
		return "…" + string(runes[len(runes)-shownAround:])
	case last && len(runes) > shownAround:
		return string(runes[:shownAround]) + "…"
	case !first && !last && len(runes) > 2*shownAround:
		return string(runes[:shownAround]) + " … " + string(runes[len(runes)-shownAround:])
	}
	return text
}

// visible is a changed part in one line: line breaks are written as \n.
func visible(text string) string {
	return terminal.Clean(strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\t", `\t`).Replace(clipValue(text)))
}

// plainValue is a value in one line: a text as it is, "none" for no value.
func plainValue(value json.RawMessage) string {
	var text string
	var list []string
	switch {
	case value == nil:
		return "none"
	case json.Unmarshal(value, &text) == nil && string(value) != "null":
		return clipValue(text)
	case json.Unmarshal(value, &list) == nil && len(list) > 0:
		return clipValue(strings.Join(list, " | "))
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return clipValue(string(value))
	}
	return clipValue(compact.String())
}

// effects writes what the changes mean.
func (w *diffWriter) effects(d *Difference) {
	if len(d.Effects) > 0 {
		w.b.WriteString("\nwhat it means for players\n")
	}
	for _, e := range d.Effects {
		text := terminal.Clean(e.Text())
		switch e.Turn {
		case diff.Gained:
			w.line(w.green("+ " + text))
		case diff.Moved:
			w.line(w.yellow("~ ") + text)
		default:
			w.line(w.red("- " + text))
		}
	}
	if d.Unproved != "" {
		fmt.Fprintf(&w.b, "\nwhat it means for players is not known: %s\n", terminal.Clean(d.Unproved))
	}
}
