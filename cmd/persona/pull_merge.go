package persona

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

func (o *pullOptions) mergeInto(lock *lockedFile, full wire.FullPersona) error {
	mine, err := readWholePersona(o.Streams, o.file, "correct the errors before merging")
	if err != nil {
		return err
	}
	base, err := o.findBase(lock, full.Persona.ID)
	if err != nil {
		return err
	}
	theirs := full.Document()
	merged, err := personas.Merge(&base, &mine.Doc, &theirs)
	if err != nil {
		return cli.WrapTrouble(fmt.Errorf("pull %s: %w", o.persona, err), "")
	}
	if merged.Unchanged {
		o.Say("the server has no changes since %s was saved: the file is unchanged", terminal.Clean(o.file))
		return nil
	}
	if err := personafiles.RefuseLinkAt(o.file); err != nil {
		return err
	}
	if err := o.takePortraitsOut(mine, merged); err != nil {
		return err
	}
	text, err := o.writeMerged(mine, merged, full.Persona)
	if err != nil {
		return err
	}
	put := o.writeText
	if len(merged.Conflicts) > 0 {
		put = o.putText // the conflict marks would be reported as errors
	}
	if err := put(text, merged.Mine); err != nil {
		return err
	}
	if err := lock.recordSave(theirs, full.Persona, !o.guessed); err != nil {
		return cli.WrapTrouble(fmt.Errorf("%s was written, but: %w", o.file, err), "")
	}
	if len(merged.Conflicts) == 0 {
		return nil
	}
	return &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s in %s%s", cli.Pluralize(len(merged.Conflicts), "conflict"), o.file, listConflicts(merged.Conflicts)),
		Hint: fmt.Sprintf("choose one version between each pair of lines <<<<<<< and >>>>>>>, then run `parley persona save %s`", plaintext.ShellFile(o.file))}
}

func (o *pullOptions) takePortraitsOut(mine *personafiles.File, merged *personas.Merged) error {
	if mine.PortraitFile == "" && mine.Doc.Portrait != "" {
		return nil
	}
	return errors.Join(personafiles.TakePortraitOut(&merged.Mine, o.file, mine.PortraitFile),
		personafiles.TakePortraitOut(&merged.Theirs, o.file, mine.PortraitFile))
}

func (o *pullOptions) findBase(lock *lockedFile, id string) (personas.Persona, error) {
	hint := fmt.Sprintf("see `parley persona diff --id %s %s`, then change the file by hand, or overwrite it with --force", plaintext.ShellWord(id), plaintext.ShellFile(o.file))
	if !lock.known || lock.entry.ID != id {
		return personas.Persona{}, &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("parley.lock has no entry for %s as a file of this persona, so the version before your changes is unknown", o.file), Hint: hint}
	}
	base, err := readContent(lock.contents, lock.entry.SHA256)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return base, &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("the saved version of %s is not stored on this machine: it was saved on another machine, or long ago", o.file), Hint: hint}
	case err != nil:
		return base, cli.WrapTrouble(fmt.Errorf("saved version of %s: %w", o.file, err), "")
	}
	return base, nil
}

// writeMerged returns the text of the merged file. A file without comments and conflicts can be
// encoded again.
func (o *pullOptions) writeMerged(mine *personafiles.File, merged *personas.Merged, there wire.Persona) ([]byte, error) {
	text, err := personas.Rewrite(o.file, mine.Source,
		personas.Choice{Label: "here, in " + terminal.Clean(o.file), Doc: merged.Mine},
		personas.Choice{Label: "there, saved " + formatTimestamp(there.UpdatedAt), Doc: merged.Theirs})
	if err == nil {
		return text, nil
	}
	if len(merged.Conflicts) == 0 && len(mine.Places.Comments()) == 0 {
		return encodeForFile(o.file, merged.Mine)
	}
	return nil, &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s is unchanged: %w%s", o.file, err, listConflicts(merged.Conflicts)),
		Hint: "change the file by hand, or overwrite it with --force"}
}

const shownConflicts = 20

func listConflicts(conflicts []personas.Conflict) string {
	var paths []string
	for _, c := range conflicts[:min(len(conflicts), shownConflicts)] {
		paths = append(paths, terminal.Clean(c.Path))
	}
	if rest := len(conflicts) - len(paths); rest > 0 {
		paths = append(paths, fmt.Sprintf("%d more", rest))
	}
	if len(paths) == 0 {
		return ""
	}
	return ": " + strings.Join(paths, ", ")
}
