package persona

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type pullOptions struct {
	*service.Access
	persona string
	file    string
	force   bool
	noLock  bool
	yes     bool
	merge   bool
	guessed bool // file comes from a foreign entry without consent
}

func NewPullCmd(access *service.Access) *cobra.Command {
	o := &pullOptions{Access: access}
	c := &cobra.Command{
		Use:   "pull PERSONA [FILE]",
		Short: "Write a persona of a server to a file",
		Long: `Write the server's version of a persona (an id, a unique name or a play link) to a
file: YAML, or JSON if its name ends in .json; - is stdout. FILE defaults to the one
in parley.lock, else the persona's name with .yaml. For a parley.lock written by
another machine parley asks, or needs --yes; with CI=true it continues with a note.

A file with the same content is left unchanged. A different one is overwritten only
with --force, which keeps comments of members that still exist. --merge combines changes
on the server and in the file since this machine saved or pulled it. Conflicts are
written between lines that begin with <<<<<<< and >>>>>>>, with exit code 1: edit,
then save. parley.lock records the pull, so that ` + "`parley persona save FILE`" + ` updates
that persona.`,
		Example: "  parley persona pull Biscuit\n  parley persona pull Biscuit personas/biscuit.yaml\n  parley persona pull Biscuit - | less",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 2 {
				return cli.RefuseExtra(c, args[2])
			}
			return cli.MinArgs("PERSONA")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.persona = args[0]
			if len(args) > 1 {
				o.file = args[1]
			}
			return runPull(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.force, "force", false, "overwrite a file that has different content")
	c.Flags().BoolVar(&o.merge, "merge", false, "combine changes on the server and in the file")
	c.Flags().BoolVar(&o.noLock, "no-lock", false, "neither read nor write parley.lock")
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask; accept a parley.lock written by another machine")
	return c
}

func runPull(ctx context.Context, o *pullOptions) error {
	switch {
	case o.merge && o.file == "-":
		return cli.UsageError("--merge requires a FILE")
	case o.merge && (o.force || o.noLock):
		return cli.UsageError("--merge cannot be combined with --force or --no-lock: a merge overwrites no " +
			"changes, and reads from parley.lock which version you changed")
	}
	if err := cli.CheckFolder("pull "+o.persona, o.file); err != nil {
		return err
	}
	s, id, err := o.ConnectPersona(ctx, o.persona)
	if err != nil {
		return err
	}
	full, err := s.FullPersona(ctx, id)
	if err != nil {
		return fmt.Errorf("pull %s: %w", o.persona, err)
	}
	if o.file == "-" {
		text, err := encodeForFile(o.file, full.Document())
		if err == nil {
			err = o.WriteDocument(text)
		}
		return err
	}
	if o.file == "" {
		if o.file, err = o.chooseFile(ctx, s, full.Persona); err != nil {
			return err
		}
	}
	return o.pullInto(ctx, s, full)
}

func encodeForFile(name string, doc personas.Persona) ([]byte, error) {
	encode := personas.EncodeYAML
	if strings.HasSuffix(strings.ToLower(name), ".json") {
		encode = personas.EncodeJSON
	}
	text, err := encode(doc)
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("encode persona %s for a file: %w", doc.Name, err), "")
	}
	return text, nil
}

func (o *pullOptions) chooseFile(ctx context.Context, s *service.Service, persona wire.Persona) (string, error) {
	name := fileName(persona.Name) + ".yaml"
	if o.noLock {
		return name, nil
	}
	lock, path, _, err := readLock(name)
	if err != nil {
		return "", err
	}
	found := lock.FilesOf(serverLockName(s.Address), persona.ID)
	switch len(found) {
	case 0:
		return name, nil
	case 1:
		file := shortPath(filepath.Join(filepath.Dir(path), filepath.FromSlash(found[0].File)), o.WorkingFolder())
		if personafiles.ReadOwnEntries(o.OwnLocks(), path).HasEntry(found[0]) {
			return file, nil
		}
		line := fmt.Sprintf("%s is written to %s, %s", personaLabel(persona.Name, persona.ID), file, foreignText)
		agreed, err := askConsent(ctx, o.Streams, o.yes, []string{line}, "specify the FILE, or use --yes")
		o.guessed = !agreed
		return file, err
	}
	return "", cli.UsageError("parley.lock lists %d files for persona %s, such as %s and %s: name the FILE",
		len(found), persona.Name, found[0].File, found[1].File)
}

func shortPath(path, folder string) string {
	if inside, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(inside) {
		return inside
	}
	return path
}

func (o *pullOptions) pullInto(ctx context.Context, s *service.Service, full wire.FullPersona) error {
	var lock *lockedFile
	if !o.noLock {
		locks, err := holdLocks(ctx, o.Environment, s.Address, []string{o.file})
		defer locks.releaseAll()
		if err == nil {
			lock, err = locks.findFile(o.file)
		}
		if unwritable, ok := errors.AsType[*personafiles.UnwritableLockError](err); ok {
			return cli.WrapTrouble(unwritable, "nothing was written; to write the file without parley.lock, use --no-lock")
		}
		if err != nil {
			return err
		}
	}
	if o.merge {
		return o.mergeInto(lock, full)
	}
	doc, err := o.writeIfDifferent(full)
	if err != nil || lock == nil {
		return err
	}
	if err := lock.recordSave(doc, full.Persona, !o.guessed); err != nil {
		return cli.WrapTrouble(fmt.Errorf("%s was written, but: %w", o.file, err), "")
	}
	return nil
}

func (o *pullOptions) writeIfDifferent(full wire.FullPersona) (personas.Persona, error) {
	doc := full.Document()
	_, there, err := personafiles.ReadSource(o.Streams, o.file)
	if errors.Is(err, fs.ErrNotExist) {
		return doc, o.writePersona(&personafiles.File{}, doc)
	}
	if err != nil {
		return doc, err
	}
	old := personafiles.ParseSource(o.file, there)
	if len(old.Findings) == 0 && diff.Compare(&old.Doc, &doc).Same {
		o.Say("%s has the same content and is left unchanged", terminal.Clean(o.file))
		return old.Doc, nil
	}
	if !o.force {
		return doc, &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%s exists with different content", o.file),
			Hint: fmt.Sprintf("see `parley persona diff --id %s %s`, then merge the two versions with --merge, "+
				"overwrite the file with --force, or pull into another file",
				plaintext.ShellWord(full.Persona.ID), plaintext.ShellFile(o.file))}
	}
	return doc, o.writePersona(old, doc)
}

// writePersona rejects a symbolic link. A stranger may have created the link and the persona.
func (o *pullOptions) writePersona(old *personafiles.File, doc personas.Persona) error {
	if err := personafiles.RefuseLinkAt(o.file); err != nil {
		return err
	}
	if old.Doc.Portrait == "" || old.PortraitFile != "" {
		if err := personafiles.TakePortraitOut(&doc, o.file, old.PortraitFile); err != nil {
			return err
		}
	}
	text, err := encodeForFile(o.file, doc)
	if err != nil {
		return err
	}
	side := personas.Choice{Label: "theirs", Doc: doc}
	if withComments, err := personas.Rewrite(o.file, old.Source, side, side); err == nil && len(old.Source) > 0 {
		text = withComments
	}
	return o.writeText(text, doc)
}

func (o *pullOptions) writeText(text []byte, doc personas.Persona) error {
	if err := o.putText(text, doc); err != nil {
		return err
	}
	if f := personafiles.CheckSource(o.file, text); !f.IsSound() {
		o.Say("the file has errors, see `parley persona lint %s`", terminal.Clean(plaintext.ShellFile(o.file)))
	}
	return nil
}

func (o *pullOptions) putText(text []byte, doc personas.Persona) error {
	write := func() error { return atomicfile.Write(o.file, text, 0o644) }
	if _, err := os.Lstat(o.file); err == nil {
		write = func() error { return atomicfile.Rewrite(o.file, text) }
	}
	if err := write(); err != nil {
		return cli.WrapTrouble(fmt.Errorf("pull %s: %w", doc.Name, err), "")
	}
	o.Say("wrote %s", terminal.Clean(o.file))
	return nil
}

func (o *pullOptions) mergeInto(lock *lockedFile, full wire.FullPersona) error {
	mine, err := personafiles.ParsePersonaFile(o.Streams, o.file)
	if err != nil {
		return err
	}
	if len(mine.Findings) > 0 {
		return mine.Refuse(o.Streams, "has errors (see above): correct the errors before merging")
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
		put = o.putText // conflict marks would count as errors
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
	count := cli.Pluralize(len(merged.Conflicts), "conflict")
	return &cli.Failure{
		Code: cli.ExitNo,
		Err:  fmt.Errorf("%s in %s%s", count, o.file, listConflicts(merged.Conflicts)),
		Hint: fmt.Sprintf("choose one version between each pair of lines <<<<<<< and >>>>>>>, then run `parley persona save %s`",
			plaintext.ShellFile(o.file)),
	}
}

func (o *pullOptions) takePortraitsOut(mine *personafiles.File, merged *personas.Merged) error {
	if mine.PortraitFile == "" && mine.Doc.Portrait != "" {
		return nil
	}
	return errors.Join(personafiles.TakePortraitOut(&merged.Mine, o.file, mine.PortraitFile),
		personafiles.TakePortraitOut(&merged.Theirs, o.file, mine.PortraitFile))
}

func (o *pullOptions) findBase(lock *lockedFile, id string) (personas.Persona, error) {
	hint := fmt.Sprintf("see `parley persona diff --id %s %s`, then change the file by hand, or overwrite it with --force",
		plaintext.ShellWord(id), plaintext.ShellFile(o.file))
	if !lock.known || lock.entry.ID != id {
		err := fmt.Errorf("parley.lock has no entry for %s as a file of this persona, "+
			"so the version before your changes is unknown", o.file)
		return personas.Persona{}, &cli.Failure{Code: cli.ExitNo, Err: err, Hint: hint}
	}
	base, err := readContent(lock.contents, lock.entry.SHA256)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return base, &cli.Failure{Code: cli.ExitNo,
			Err: fmt.Errorf("the saved version of %s is not stored on this machine: it was saved on another machine, or long ago", o.file), Hint: hint}
	case err != nil:
		return base, cli.WrapTrouble(fmt.Errorf("saved version of %s: %w", o.file, err), "")
	}
	return base, nil
}

func (o *pullOptions) writeMerged(mine *personafiles.File, merged *personas.Merged,
	there wire.Persona) ([]byte, error) {
	text, err := personas.Rewrite(o.file, mine.Source,
		personas.Choice{Label: "here, in " + terminal.Clean(o.file), Doc: merged.Mine},
		personas.Choice{Label: "there, saved " + formatTimestamp(there.UpdatedAt), Doc: merged.Theirs})
	if err == nil {
		return text, nil
	}
	if len(merged.Conflicts) == 0 && len(mine.Places.Comments()) == 0 {
		return encodeForFile(o.file, merged.Mine)
	}
	return nil, &cli.Failure{Code: cli.ExitNo,
		Err:  fmt.Errorf("%s is unchanged: %w%s", o.file, err, listConflicts(merged.Conflicts)),
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
