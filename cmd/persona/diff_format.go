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
	style    cli.Style
	markdown bool
	b        strings.Builder
}

var diffSigns = map[string][2]string{
	"added": {"+", "2"}, "gained": {"+", "2"}, "removed": {"-", "1"}, "lost": {"-", "1"}, "changed": {"~", "3"},
	"moved": {"~", "3"},
}

func (w *diffWriter) writeLine(indent, kind, text string) {
	sign := diffSigns[kind]
	switch {
	case !w.markdown:
		fmt.Fprintf(&w.b, "  %s%s %s\n", indent, w.style.Color(sign[1], sign[0]), text)
	case kind == "changed":
		fmt.Fprintf(&w.b, "%s- %s\n", indent, text)
	default:
		fmt.Fprintf(&w.b, "%s- **%s** %s\n", indent, kind, text)
	}
}

func (w *diffWriter) writeHeading(text string) {
	if w.markdown {
		text = "**" + w.escape(text) + "**\n"
	} else {
		text = w.escape(text)
	}
	fmt.Fprintf(&w.b, "\n%s\n", text)
}

func (w *diffWriter) escape(text string) string {
	if w.markdown {
		return markdownPlain(text)
	}
	return terminal.Clean(text)
}

func (w *diffWriter) writeDifference(difference *Difference) {
	if w.markdown {
		same := difference.sameText()
		if !difference.Same {
			same = cli.Pluralize(len(difference.Changes), "change")
		}
		fmt.Fprintf(&w.b, "### %s\n\nCompared with %s: %s.\n", w.escape(difference.After), w.escape(difference.Before), same)
	} else if !difference.Same {
		fmt.Fprintf(&w.b, "%s\n%s\n", w.style.Color("1", "--- "+w.escape(difference.Before)),
			w.style.Color("2", "+++ "+w.escape(difference.After)))
	}
	if difference.Same {
		return
	}
	group := ""
	for _, c := range difference.Changes {
		if head := groupHead(c); head != group {
			group = head
			w.writeHeading(head)
		}
		w.writeChange(c)
	}
	if len(difference.Effects) > 0 {
		w.writeHeading("what it means for players")
	}
	for _, e := range difference.Effects {
		kind := string(e.Turn)
		if e.Turn == diff.Never {
			kind = string(diff.Lost)
		}
		w.writeLine("", kind, w.escape(e.Text()))
	}
	if difference.Unproved != "" {
		fmt.Fprintf(&w.b, "\nwhat it means for players is not known: %s\n", w.escape(difference.Unproved))
	}
}

func (w *diffWriter) writeChange(change diff.Change) {
	thing := w.escape(thingName(change))
	named := cmp.Or(thing, "machine "+w.escape(change.Name))
	what := strings.TrimPrefix(thing+", "+w.escape(change.Member), ", ")
	switch {
	case change.Kind == diff.Added || change.Kind == diff.Removed:
		w.writeLine("", string(change.Kind), named)
	case change.Kind == diff.Renamed:
		w.writeLine("", "changed", fmt.Sprintf("%s was called %s", named, w.escape(plainValue(change.Before))))
	case change.Kind == diff.Reordered && change.Thing == diff.ThePersona:
		w.writeLine("", "changed", "the machines have a different order, and players begin with the first")
	case change.Kind == diff.Reordered:
		w.writeLine("", "changed", thing+": transitions of the same priority are tried in a different order")
	case change.Items != nil:
		w.writeLine("", "changed", what+":")
		for _, p := range change.Items {
			kind := "added"
			if p.Op == diff.Delete {
				kind = "removed"
			}
			w.writeLine("  ", kind, w.escape(clipValue(p.Text)))
		}
	case change.Words != nil:
		w.writeLine("", "changed", what+": "+w.formatWords(change.Words))
	default:
		w.writeLine("", "changed",
			fmt.Sprintf("%s: %s -> %s", what, w.escape(plainValue(change.Before)), w.escape(plainValue(change.After))))
	}
}

const (
	shownAround = 40  // characters shown of unchanged text next to a change
	shownValue  = 200 // characters shown of a value or a change
)

func clipValue(text string) string { return plaintext.ClipAfter(text, shownValue, plaintext.Ellipsis) }

func (w *diffWriter) formatWords(pieces []diff.Piece) string {
	var b strings.Builder
	for i, p := range pieces {
		text := showBreaks(p.Text)
		if p.Op == diff.Keep {
			text = clipUnchanged(p.Text, i == 0, i == len(pieces)-1)
		}
		switch {
		case w.markdown:
			tag := map[diff.Op]string{diff.Delete: "del", diff.Insert: "ins"}[p.Op]
			text = markdownSpaced(text)
			if tag != "" {
				text = "<" + tag + ">" + text + "</" + tag + ">"
			}
		case p.Op == diff.Delete:
			text = w.style.Color("1", "[-"+terminal.Clean(text)+"-]")
		case p.Op == diff.Insert:
			text = w.style.Color("2", "{+"+terminal.Clean(text)+"+}")
		default:
			text = strings.ReplaceAll(terminal.CleanLines(text), "\n", "\n      ")
		}
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
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
	return strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\t", `\t`).Replace(clipValue(text))
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

func markdownPlain(text string) string {
	return strings.NewReplacer("@", "&#64;", "~", "\\~", "#", "\\#").Replace(personafiles.EscapeMarkdown(text))
}

type Since struct {
	Theirs    *diff.Report        `json:"theirs"`
	Mine      *diff.Report        `json:"mine"`
	Conflicts []personas.Conflict `json:"conflicts"`
	saved     string              // when this machine saved the file
}

func (o *diffOptions) findSince(file string, before, after diffSide, address string) (*Since, error) {
	if file == "-" {
		return nil, nil
	}
	entry, known, err := readLockEntry(address, file)
	if err != nil || !known {
		return nil, err
	}
	if entry.ID != before.id || entry.UpdatedAt == formatTimestamp(before.updated) {
		return nil, nil
	}
	base, err := readContent(personafiles.NewSavedContents(o.SavedContents()), entry.SHA256)
	if err != nil {
		return nil, nil //nolint:nilerr // two sides are compared where the third is not kept
	}
	merged, err := personas.Merge(&base, &after.doc, &before.doc)
	if err != nil {
		return nil, err
	}
	s := &Since{Theirs: diff.Compare(&base, &before.doc), Mine: diff.Compare(&base, &after.doc),
		Conflicts: merged.Conflicts, saved: entry.UpdatedAt}
	if s.Conflicts == nil {
		s.Conflicts = []personas.Conflict{}
	}
	return s, nil
}

func (w *diffWriter) writeSince(difference *Difference) {
	was := fmt.Sprintf("%s as saved at %s", difference.After, difference.Since.saved)
	for i, side := range []struct {
		title string
		d     *Difference
	}{
		{"saved elsewhere since", &Difference{Before: was, After: difference.Before, Report: difference.Since.Theirs}},
		{"changed here", &Difference{Before: was, After: difference.After, Report: difference.Since.Mine}},
	} {
		w.b.WriteString(strings.Repeat("\n", i) + w.formatTitle(side.title))
		w.writeDifference(side.d)
		if side.d.Same && !w.markdown {
			w.b.WriteString("nothing\n")
		}
	}
	if len(difference.Since.Conflicts) > 0 {
		w.b.WriteString("\n" + w.formatTitle("changed on both sides in different ways"))
	}
	for _, c := range difference.Since.Conflicts {
		w.writeLine("", "changed", fmt.Sprintf("%s: was %s, there %s, here %s", w.escape(c.Path),
			w.escape(plainValue([]byte(c.Base))), w.escape(plainValue([]byte(c.Theirs))), w.escape(plainValue([]byte(c.Mine)))))
	}
}

func (w *diffWriter) formatTitle(title string) string {
	if w.markdown {
		return "## " + title + "\n\n"
	}
	return w.style.Bold(title) + "\n"
}

func newSinceFailure(d *Difference, file string) error {
	return &cli.Failure{Code: cli.ExitNo,
		Err: fmt.Errorf("%s was changed on the server since %s: %s there, %s here, %s", d.After, d.Since.saved,
			cli.Pluralize(len(d.Since.Theirs.Changes), "change"), cli.Pluralize(len(d.Since.Mine.Changes), "change"),
			cli.Pluralize(len(d.Since.Conflicts), "conflict")),
		Hint: fmt.Sprintf("merge both with `parley persona pull --merge %s %s`", plaintext.ShellWord(d.ID),
			plaintext.ShellFile(file))}
}
