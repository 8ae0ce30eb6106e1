package persona

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

// Since divides a difference into changes on the server (Theirs), changes in the file (Mine), and
// conflicts. The persona was saved elsewhere after this machine saved the file.
type Since struct {
	Theirs    *diff.Report        `json:"theirs"`
	Mine      *diff.Report        `json:"mine"`
	Conflicts []personas.Conflict `json:"conflicts"`
	saved     string              // when this machine saved the file
}

// findSince compares the file and the server's version with the content that was last saved from
// this computer. It returns nil if the server's version has not changed since then, or if no copy of
// the content was kept.
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
