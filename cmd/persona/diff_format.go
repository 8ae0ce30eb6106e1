package persona

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/tui/terminal"
)

type diffWriter struct {
	cli.Style
	b     strings.Builder
	group string
}

// textDiff marks removed lines with -, added ones with + and changed ones with ~. Changed words are
// [-removed-] and {+added+}.
func textDiff(s cli.Style, d *Difference) string {
	if d.Same {
		return ""
	}
	w := &diffWriter{Style: s}
	fmt.Fprintf(&w.b, "%s\n%s\n", w.markRemoved("--- "+terminal.Clean(d.Before)), w.markAdded("+++ "+terminal.Clean(d.After)))
	for _, c := range d.Changes {
		if head := groupHead(c); head != w.group {
			w.group = head
			fmt.Fprintf(&w.b, "\n%s\n", terminal.Clean(head))
		}
		w.writeChange(c)
	}
	w.writeEffects(d)
	return w.b.String()
}

func (w *diffWriter) markRemoved(text string) string { return w.Color("1", text) }
func (w *diffWriter) markAdded(text string) string   { return w.Color("2", text) }
func (w *diffWriter) markChanged(text string) string { return w.Color("3", text) }

func (w *diffWriter) writeChange(c diff.Change) {
	thing := terminal.Clean(thingName(c))
	named := cmp.Or(thing, "machine "+terminal.Clean(c.Name))
	switch c.Kind {
	case diff.Added:
		w.writeLine(w.markAdded("+ " + named))
	case diff.Removed:
		w.writeLine(w.markRemoved("- " + named))
	case diff.Renamed:
		w.writeLine(w.markChanged("~ ") + fmt.Sprintf("%s was called %s", named, terminal.Clean(plainValue(c.Before))))
	case diff.Reordered:
		w.writeLine(w.markChanged("~ ") + orderChangeText(c, thing))
	default:
		what := strings.TrimPrefix(thing+", "+terminal.Clean(c.Member), ", ")
		switch {
		case c.Items != nil:
			w.writeLine(w.markChanged("~ ") + what + ":")
			for _, p := range c.Items {
				text := terminal.Clean(clipValue(p.Text))
				if p.Op == diff.Delete {
					w.writeLine("    " + w.markRemoved("- "+text))
				} else {
					w.writeLine("    " + w.markAdded("+ "+text))
				}
			}
		case c.Words != nil:
			w.writeWords(what, c.Words)
		default:
			w.writeLine(w.markChanged("~ ") + fmt.Sprintf("%s: %s -> %s", what, w.markRemoved(terminal.Clean(plainValue(c.Before))), w.markAdded(terminal.Clean(plainValue(c.After)))))
		}
	}
}

func orderChangeText(c diff.Change, thing string) string {
	if c.Thing == diff.ThePersona {
		return "the machines have a different order, and players begin with the first"
	}
	return thing + ": transitions of the same priority are tried in a different order"
}

func (w *diffWriter) writeLine(text string) { fmt.Fprintf(&w.b, "  %s\n", text) }

const (
	shownAround = 40  // characters shown of unchanged text next to a change
	shownValue  = 200 // characters shown of a value or a change
)

func clipValue(text string) string { return plaintext.ClipAfter(text, shownValue, plaintext.Ellipsis) }

func (w *diffWriter) writeWords(what string, pieces []diff.Piece) {
	var text strings.Builder
	for i, p := range pieces {
		switch p.Op {
		case diff.Keep:
			text.WriteString(terminal.CleanLines(clipUnchanged(p.Text, i == 0, i == len(pieces)-1)))
		case diff.Delete:
			text.WriteString(w.markRemoved("[-" + showBreaks(p.Text) + "-]"))
		case diff.Insert:
			text.WriteString(w.markAdded("{+" + showBreaks(p.Text) + "+}"))
		}
	}
	shown := strings.TrimRight(text.String(), "\n")
	if !strings.Contains(shown, "\n") && len(shown) < 100 {
		w.writeLine(w.markChanged("~ ") + what + ": " + shown)
		return
	}
	w.writeLine(w.markChanged("~ ") + what + ":")
	for line := range strings.SplitSeq(shown, "\n") {
		fmt.Fprintf(&w.b, "      %s\n", line)
	}
}

func clipUnchanged(text string, first, last bool) string {
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

func showBreaks(text string) string {
	return terminal.Clean(strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\t", `\t`).Replace(clipValue(text)))
}

func plainValue(value json.RawMessage) string {
	if len(value) == 0 {
		return "none"
	}
	var text string
	var list []string
	switch {
	case value[0] == '"' && json.Unmarshal(value, &text) == nil:
		return cmp.Or(portrait.DescribeURI(text), clipValue(text))
	case value[0] == '[' && json.Unmarshal(value, &list) == nil && len(list) > 0:
		return clipValue(strings.Join(list, " | "))
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return clipValue(string(value))
	}
	return clipValue(compact.String())
}

func (w *diffWriter) writeEffects(d *Difference) {
	if len(d.Effects) > 0 {
		w.b.WriteString("\nwhat it means for players\n")
	}
	for _, e := range d.Effects {
		text := terminal.Clean(e.Text())
		switch e.Turn {
		case diff.Gained:
			w.writeLine(w.markAdded("+ " + text))
		case diff.Moved:
			w.writeLine(w.markChanged("~ ") + text)
		default:
			w.writeLine(w.markRemoved("- " + text))
		}
	}
	if d.Unproved != "" {
		fmt.Fprintf(&w.b, "\nwhat it means for players is not known: %s\n", terminal.Clean(d.Unproved))
	}
}

func markdownDiff(d *Difference) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", markdownPlain(d.After))
	if d.Same {
		fmt.Fprintf(&b, "Compared with %s: %s.\n", markdownPlain(d.Before), d.sameText())
		return b.String()
	}
	fmt.Fprintf(&b, "Compared with %s: %s.\n", markdownPlain(d.Before), cli.Pluralize(len(d.Changes), "change"))
	group := ""
	for _, c := range d.Changes {
		if head := groupHead(c); head != group {
			group = head
			fmt.Fprintf(&b, "\n**%s**\n\n", markdownPlain(head))
		}
		markdownChange(&b, c)
	}
	if len(d.Effects) > 0 {
		b.WriteString("\n**What it means for players**\n\n")
	}
	for _, e := range d.Effects {
		word := cmp.Or(map[diff.Turn]string{diff.Gained: "gained", diff.Moved: "moved"}[e.Turn], "lost")
		fmt.Fprintf(&b, "- **%s** %s\n", word, markdownPlain(e.Text()))
	}
	if d.Unproved != "" {
		fmt.Fprintf(&b, "\nWhat it means for players is not known: %s.\n", markdownPlain(d.Unproved))
	}
	return b.String()
}

func markdownChange(b *strings.Builder, c diff.Change) {
	thing := markdownPlain(thingName(c))
	named := cmp.Or(thing, "machine "+markdownPlain(c.Name))
	switch c.Kind {
	case diff.Added, diff.Removed:
		fmt.Fprintf(b, "- **%s** %s\n", c.Kind, named)
	case diff.Renamed:
		fmt.Fprintf(b, "- **renamed** %s, before: %s\n", named, markdownPlain(plainValue(c.Before)))
	case diff.Reordered:
		fmt.Fprintf(b, "- %s\n", orderChangeText(c, thing))
	default:
		what := strings.TrimPrefix(thing+", "+markdownPlain(c.Member), ", ")
		switch {
		case c.Items != nil:
			fmt.Fprintf(b, "- %s\n", what)
			for _, p := range c.Items {
				fmt.Fprintf(b, "  - %s\n", markdownPiece(p))
			}
		case c.Words != nil:
			fmt.Fprintf(b, "- %s: %s\n", what, markdownWords(c.Words))
		default:
			fmt.Fprintf(b, "- %s: %s → %s\n", what, markdownPlain(plainValue(c.Before)), markdownPlain(plainValue(c.After)))
		}
	}
}

func markdownWords(pieces []diff.Piece) string {
	var b strings.Builder
	for i, p := range pieces {
		if p.Op == diff.Keep {
			p.Text = clipUnchanged(p.Text, i == 0, i == len(pieces)-1)
		}
		b.WriteString(markdownPiece(p))
	}
	return strings.TrimSpace(b.String())
}

func markdownPiece(p diff.Piece) string {
	switch p.Op {
	case diff.Delete:
		return "<del>" + markdownSpaced(showBreaks(p.Text)) + "</del>"
	case diff.Insert:
		return "<ins>" + markdownSpaced(showBreaks(p.Text)) + "</ins>"
	}
	return markdownSpaced(p.Text)
}

func markdownSpaced(text string) string {
	lead, tail := "", ""
	if plain := strings.TrimLeft(text, " \t\r\n"); plain != text {
		lead = " "
	}
	if plain := strings.TrimRight(text, " \t\r\n"); plain != text && strings.TrimSpace(text) != "" {
		tail = " "
	}
	return lead + markdownPlain(text) + tail
}

// markdownPlain returns text as one line that Markdown does not format and that mentions no @user.
func markdownPlain(text string) string {
	return strings.NewReplacer("@", "&#64;", "~", "\\~", "#", "\\#").Replace(personafiles.EscapeMarkdown(text))
}

// Since divides a difference into changes on the server, changes in the file, and conflicts.
type Since struct {
	Theirs    *diff.Report        `json:"theirs"`
	Mine      *diff.Report        `json:"mine"`
	Conflicts []personas.Conflict `json:"conflicts"`
	saved     string              // when this machine saved the file
}

// findSince compares the file and the server's version with the content that this machine saved. It
// returns nil if the server's version has not changed since, or no content was kept.
func (o *diffOptions) findSince(file string, before, after diffSide, address string) (*Since, error) {
	if file == "-" {
		return nil, nil
	}
	entry, known, err := readLockEntry(address, file)
	if err != nil || !known || entry.ID != before.id || entry.UpdatedAt == formatTimestamp(before.updated) {
		return nil, err
	}
	base, err := readContent(personafiles.NewSavedContents(o.SavedContents()), entry.SHA256)
	if err != nil {
		return nil, nil //nolint:nilerr // two sides are compared where the third is not kept
	}
	merged, err := personas.Merge(&base, &after.doc, &before.doc)
	if err != nil {
		return nil, err
	}
	s := &Since{Theirs: diff.Compare(&base, &before.doc), Mine: diff.Compare(&base, &after.doc), Conflicts: merged.Conflicts, saved: entry.UpdatedAt}
	if s.Conflicts == nil {
		s.Conflicts = []personas.Conflict{}
	}
	return s, nil
}

func (d *Difference) split() (theirs, mine *Difference) {
	was := fmt.Sprintf("%s as saved at %s", d.After, d.Since.saved)
	theirs = &Difference{Before: was, After: d.Before, Report: d.Since.Theirs}
	mine = &Difference{Before: was, After: d.After, Report: d.Since.Mine}
	return theirs, mine
}

func textSince(s cli.Style, d *Difference) string {
	theirs, mine := d.split()
	var b strings.Builder
	b.WriteString(s.Bold("saved elsewhere since") + "\n" + textSide(s, theirs))
	b.WriteString("\n" + s.Bold("changed here") + "\n" + textSide(s, mine))
	if len(d.Since.Conflicts) > 0 {
		b.WriteString("\n" + s.Bold("changed on both sides in different ways") + "\n")
	}
	for _, c := range d.Since.Conflicts {
		fmt.Fprintf(&b, "  %s: was %s, there %s, here %s\n", terminal.Clean(c.Path), terminal.Clean(plainJSON(c.Base)), terminal.Clean(plainJSON(c.Theirs)), terminal.Clean(plainJSON(c.Mine)))
	}
	return b.String()
}

func textSide(s cli.Style, d *Difference) string {
	if d.Same {
		return "nothing\n"
	}
	return textDiff(s, d)
}

func plainJSON(value string) string {
	if value == "" {
		return "none"
	}
	return plainValue([]byte(value))
}

func markdownSince(d *Difference) string {
	theirs, mine := d.split()
	text := "## Saved elsewhere since\n\n" + markdownDiff(theirs) + "\n## Changed here\n\n" + markdownDiff(mine)
	if len(d.Since.Conflicts) > 0 {
		text += "\n## Changed on both sides in different ways\n\n"
	}
	for _, c := range d.Since.Conflicts {
		text += fmt.Sprintf("- %s: was %s, there %s, here %s\n", markdownPlain(c.Path), markdownPlain(plainJSON(c.Base)), markdownPlain(plainJSON(c.Theirs)), markdownPlain(plainJSON(c.Mine)))
	}
	return text
}

func newSinceFailure(d *Difference, file string) error {
	return &cli.Failure{Code: cli.ExitNo,
		Err: fmt.Errorf("%s was changed on the server since %s: %s there, %s here, %s", d.After, d.Since.saved,
			cli.Pluralize(len(d.Since.Theirs.Changes), "change"), cli.Pluralize(len(d.Since.Mine.Changes), "change"), cli.Pluralize(len(d.Since.Conflicts), "conflict")),
		Hint: fmt.Sprintf("merge both with `parley persona pull --merge %s %s`", plaintext.ShellWord(d.ID), plaintext.ShellFile(file))}
}
