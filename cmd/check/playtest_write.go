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

// updateFiles rewrites expectations that were not met.
func (o *testOptions) updateFiles(b *bill) error {
	for _, p := range b.programmes {
		changed, changes := playtest.Update(p.source, p.results)
		written := 0
		for _, c := range changes {
			at := p.places.Lookup(c.Path)
			place := fmt.Sprintf("%s:%d:%d", terminal.Clean(p.name), at.Line, at.Column)
			if c.Err != nil {
				b.notUpdated++
				o.Warn("%s: not updated: %s", place, terminal.Clean(c.Err.Error()))
				continue
			}
			written++
			o.Say("%s: %s is now %s", place, terminal.Clean(c.From), terminal.Clean(c.To))
		}
		if written == 0 {
			continue
		}
		if p.name == "<stdin>" {
			return cli.UsageError("--update cannot write what came on stdin")
		}
		if err := atomicfile.Write(p.name, changed, modeOf(p.name)); err != nil {
			return cli.WrapTrouble(fmt.Errorf("update %s: %w", p.name, cli.PathReason(err)), "")
		}
	}
	return nil
}

// modeOf is the mode of a file that is to be replaced.
func modeOf(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// writeStubs writes play-throughs of what is missing into a new play file
// beside those of the persona.
func (o *testOptions) writeStubs(b *bill) error {
	for _, c := range b.casts {
		missing := playtest.Missing(c.points, c.hits)
		path := b.stubPath(c)
		persona, err := filepath.Rel(filepath.Dir(path), c.path)
		if err != nil {
			persona = c.path
		}
		text, err := playtest.Stubs(filepath.ToSlash(persona), &c.Doc, missing, c.wayTo)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		switch {
		case text == nil && len(missing) > 0:
			o.Say("%s: no way is known to what is not covered", terminal.Clean(c.Name))
			continue
		case text == nil:
			o.Say("%s: everything is covered", terminal.Clean(c.Name))
			continue
		}
		if err := create(path, text); err != nil {
			return err
		}
		o.Say("wrote %s", terminal.Clean(path))
	}
	return nil
}

func (c *cast) wayTo(p playtest.Point) []playtest.Move {
	if way := c.ways[p]; way != nil {
		return way()
	}
	return nil
}

// stubPath is where the stubs of a persona go: NAME.play.yaml beside a persona
// that has no play file yet, else NAME.stubs.play.yaml beside its first one.
func (b *bill) stubPath(c *cast) string {
	base := strings.TrimSuffix(filepath.Base(c.path), filepath.Ext(c.path))
	for _, p := range b.programmes {
		if p.cast == c {
			return filepath.Join(filepath.Dir(p.name), base+".stubs.play.yaml")
		}
	}
	return filepath.Join(filepath.Dir(c.path), base+".play.yaml")
}

// create writes a file that is not there yet.
func create(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return cli.AnswerNo("%s is there already: play it, or move it away", path)
	}
	if err != nil {
		return cli.WrapTrouble(fmt.Errorf("write %s: %w", path, cli.PathReason(err)), "")
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return cli.WrapTrouble(fmt.Errorf("write %s: %w", path, cli.PathReason(err)), "")
	}
	return nil
}

// stateOfFiles is a text that changes when a file does.
func (o *testOptions) stateOfFiles() string {
	files, err := personafiles.FindFiles(o.paths, personafiles.IsPlayFile)
	if err != nil {
		return err.Error()
	}
	var state strings.Builder
	for _, file := range files {
		note(&state, file.Path)
		if source, err := os.ReadFile(file.Path); err == nil {
			f, _, _ := playtest.Parse(file.Path, source)
			note(&state, filepath.Join(filepath.Dir(file.Path), filepath.FromSlash(f.Persona)))
		}
	}
	return state.String()
}
