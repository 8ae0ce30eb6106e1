package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

func (o *testOptions) updateFiles(run *testRun) error {
	for _, play := range run.playFiles {
		changed, changes := playtest.Update(play.source, play.results)
		if err := play.place.RefuseLink(); err != nil && len(changes) > 0 {
			run.notUpdated += len(changes)
			o.Warn("%s: not updated: %s", terminal.Clean(play.name), terminal.Clean(err.Error()))
			continue
		}
		written := 0
		for _, c := range changes {
			at := play.places.Lookup(c.Path)
			place := fmt.Sprintf("%s:%d:%d", terminal.Clean(play.name), at.Line, at.Column)
			if c.Err != nil {
				run.notUpdated++
				o.Warn("%s: not updated: %s", place, terminal.Clean(c.Err.Error()))
				continue
			}
			written++
			o.Say("%s: %s is now %s", place, terminal.Clean(c.From), terminal.Clean(c.To))
		}
		if written == 0 {
			continue
		}
		if play.name == personafiles.StdinName {
			return cli.UsageError("--update cannot change stdin: give a file name")
		}
		if err := atomicfile.Rewrite(play.name, changed); err != nil {
			return cli.WrapTrouble(fmt.Errorf("update %s: %w", play.name, cli.PathReason(err)), "")
		}
	}
	return nil
}

func (o *testOptions) writeStubs(run *testRun) error {
	for _, tested := range run.personas {
		missing := playtest.FindMissing(tested.points, tested.counts)
		path := run.chooseStubPath(tested)
		persona, err := filepath.Rel(filepath.Dir(path), tested.path)
		if err != nil {
			persona = tested.path
		}
		text, err := playtest.WriteStubs(filepath.ToSlash(persona), &tested.Doc, missing, tested.findMoves)
		if err != nil {
			return fmt.Errorf("%s: %w", tested.Name, err)
		}
		switch {
		case text == nil && len(missing) > 0:
			o.Say("%s: no way to the uncovered points is known", terminal.Clean(tested.Name))
			continue
		case text == nil:
			o.Say("%s: everything is covered", terminal.Clean(tested.Name))
			continue
		}
		if err := createPlayFile(path, text); err != nil {
			return err
		}
		o.Say("wrote %s", terminal.Clean(path))
	}
	return nil
}

func (tested *testedPersona) findMoves(p playtest.Point) []playtest.Move {
	if w := tested.witnesses[p]; w != nil {
		return w()
	}
	return nil
}

func (run *testRun) chooseStubPath(tested *testedPersona) string {
	base := strings.TrimSuffix(filepath.Base(tested.path), filepath.Ext(tested.path))
	for _, p := range run.playFiles {
		if p.persona == tested {
			return filepath.Join(filepath.Dir(p.name), base+".stubs.play.yaml")
		}
	}
	return filepath.Join(filepath.Dir(tested.path), base+".play.yaml")
}

func createPlayFile(path string, text []byte) error {
	err := cli.CreateFile(path, text, 0o644)
	if errors.Is(err, os.ErrExist) {
		return cli.AnswerNo("%s already exists: run it, or move it away", path)
	}
	return cli.WrapTrouble(err, "")
}

func (o *testOptions) noteFiles() string {
	files, err := personafiles.FindFiles(o.paths, func(path string) bool {
		return personafiles.IsPlayFile(path) || personafiles.MayBePersona(path)
	})
	if err != nil {
		return err.Error()
	}
	var note strings.Builder
	for _, file := range files {
		noteFile(&note, file.Path)
		if !personafiles.IsPlayFile(file.Path) {
			continue
		}
		if source, err := atomicfile.Read(file.Path); err == nil {
			f, _, _ := playtest.Parse(file.Path, source)
			noteFile(&note, resolvePersona(file.Path, f.Persona))
		}
	}
	return note.String()
}
