package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/playtest"
)

const playFileCheck = "play-file"

func (o *testOptions) loadRun(ctx context.Context, paths []string) (*testRun, error) {
	files, err := personafiles.FindFiles(paths, personafiles.IsPlayFile)
	if err != nil {
		return nil, err
	}
	run := &testRun{}
	for _, file := range files {
		if err := o.loadFile(run, file); err != nil {
			return nil, err
		}
	}
	if err := o.loadUnplayed(ctx, run, paths); err != nil {
		return nil, err
	}
	if len(files) == 0 && (!o.stubs || len(run.personas)+len(run.faulty) == 0) {
		return nil, cli.UsageError("there is no play file (*.play.yaml) in %s", strings.Join(paths, ", "))
	}
	return run, nil
}

func (o *testOptions) loadFile(run *testRun, file personafiles.Found) error {
	path := file.Path
	if !personafiles.IsPlayFile(path) && path != "-" {
		return o.loadNamedPersona(run, path)
	}
	name, source, err := personafiles.ReadPlaySource(o.Streams, path)
	p := &playFile{name: name, place: file, source: source}
	run.playFiles = append(run.playFiles, p)
	if err != nil {
		run.unread++
		p.addFault("", err.Error())
		return nil
	}
	var faults []personas.Diagnostic
	p.doc, p.places, faults = playtest.Parse(name, source)
	p.faults = listFaults(playFileCheck, name, faults)
	if len(p.faults) == 0 {
		o.loadPersonaOf(run, p, path)
	}
	if len(p.faults) > 0 {
		p.doc.Plays = nil
	}
	return nil
}

func (o *testOptions) loadPersonaOf(run *testRun, play *playFile, path string) {
	persona := resolvePersona(path, play.doc.Persona)
	if err := personafiles.CheckReference(persona); err != nil {
		play.addFault("persona", err.Error())
		return
	}
	tested, errorCount, err := o.loadPersona(run, persona)
	switch {
	case err != nil:
		run.unread++
		play.addFault("persona", err.Error())
	case errorCount > 0:
		play.addFault("persona", fmt.Sprintf("%s has %s, so that nothing can be played: see `parley persona lint %s`",
			persona, cli.Pluralize(errorCount, "error"), plaintext.ShellWord(persona)))
	default:
		play.persona, tested.played = tested, true
		play.checkReading(persona)
	}
}

// maxRead is in characters of messages times compared bytes of a state.
const maxRead = 500_000_000

func (p *playFile) checkReading(path string) {
	texts := intent.CountTexts(&p.persona.Doc)
	if said := p.doc.CountSaid(); said*texts > maxRead {
		p.addFault("persona", fmt.Sprintf("the messages of the file have %d characters, and a state of %s compares "+
			"each message with %d bytes of examples, answers and criteria, which is too much to play; split the file",
			said, path, texts))
	}
}

func resolvePersona(playFile, persona string) string {
	persona = filepath.FromSlash(strings.ReplaceAll(persona, `\`, "/"))
	if filepath.IsAbs(persona) || playFile == "-" {
		return persona
	}
	return filepath.Join(filepath.Dir(playFile), persona)
}

func (o *testOptions) loadNamedPersona(run *testRun, path string) error {
	if _, err := os.Stat(path); err != nil {
		return cli.WrapTrouble(fmt.Errorf("play-throughs in %s: %w", path, cli.PathReason(err)), "")
	}
	if err := personafiles.CheckForeign(o.Streams, path); err != nil {
		return err
	}
	if !o.stubs {
		return cli.UsageError("%s is not a play file (*.play.yaml); only --stubs accepts a persona file", path)
	}
	_, errorCount, err := o.loadPersona(run, path)
	if err != nil || errorCount == 0 {
		return err
	}
	for _, f := range run.faulty {
		if err := personafiles.ReportFindings(o.Streams, o.Err, f); err != nil {
			return err
		}
	}
	return cli.AnswerNo("%s cannot be played", cli.Pluralize(len(run.faulty), "file"))
}

func (o *testOptions) loadUnplayed(ctx context.Context, run *testRun, paths []string) error {
	found, err := personafiles.FindFiles(paths, personafiles.MayBePersona)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, tested := range run.personas {
		known[wholePath(tested.path)] = true
	}
	for _, f := range run.faulty {
		known[wholePath(f.Name)] = true
	}
	found = slices.DeleteFunc(found, func(f personafiles.Found) bool { return f.Named || known[wholePath(f.Path)] })
	files, err := personafiles.ReadAll(ctx, o.Streams, found, personafiles.CheckRunnable)
	if err != nil {
		return err
	}
	for _, f := range files {
		switch {
		case f.Err != nil:
			return f.Err
		case !f.File.IsSound():
			run.uncounted++
			o.Warn("%s has %s, so its coverage is not counted: see `parley persona lint`", f.Path,
				cli.Pluralize(countErrors(f.File), "error"))
		default:
			if _, err := run.addPersona(f.Path, f.File); err != nil {
				return err
			}
		}
	}
	return nil
}

func wholePath(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return whole
}

func (o *testOptions) loadPersona(run *testRun, path string) (tested *testedPersona, errors int, err error) {
	path = filepath.Clean(path)
	if i := slices.IndexFunc(run.personas, func(tested *testedPersona) bool { return tested.path == path }); i >= 0 {
		return run.personas[i], 0, nil
	}
	if i := slices.IndexFunc(run.faulty, func(f *personafiles.File) bool { return f.Name == path }); i >= 0 {
		return nil, countErrors(run.faulty[i]), nil
	}
	f, err := personafiles.ReadRunnableFile(o.Streams, path)
	if err != nil {
		return nil, 0, err
	}
	if !f.IsSound() {
		f.DropInfos()
		run.faulty = append(run.faulty, f)
		return nil, countErrors(f), nil
	}
	tested, err = run.addPersona(path, f)
	return tested, 0, err
}

func (run *testRun) addPersona(path string, f *personafiles.File) (*testedPersona, error) {
	tested := &testedPersona{File: f, path: path, names: playtest.NewNames(&f.Doc), counts: playtest.Hits{}}
	if err := tested.findPoints(); err != nil {
		return nil, err
	}
	run.personas = append(run.personas, tested)
	return tested, nil
}

func countErrors(f *personafiles.File) int {
	n := 0
	for _, found := range f.Findings {
		if found.Severity == lint.Error {
			n++
		}
	}
	return n
}

func (p *playFile) addFault(path, message string) {
	if !p.places.Has(path) {
		p.faults = append(p.faults, personafiles.NewFileFinding(p.name, playFileCheck, message))
		return
	}
	p.faults = append(p.faults, p.newFinding(path, playFileCheck, lint.Error, message))
}

func listFaults(check, name string, faults []personas.Diagnostic) []personas.Diagnostic {
	all := slices.Clone(faults)
	for i := range all {
		all[i].File, all[i].Check, all[i].Severity, all[i].Fix = name, check, lint.Error, nil
	}
	return all
}

type testRun struct {
	playFiles  []*playFile
	personas   []*testedPersona
	faulty     []*personafiles.File // personas with errors
	mutants    []mutantResult
	notUpdated int // number of expectations that --update could not rewrite
	unread     int
	uncounted  int // number of personas with errors that no play file refers to

	mutantsLeftOut int // number of mutants skipped because they would take too much work
}

type playFile struct {
	name    string
	place   personafiles.Found
	source  []byte
	doc     playtest.File
	places  personas.SourceMap
	persona *testedPersona
	faults  []personas.Diagnostic // why the file cannot be played
	results []playtest.Result
	took    []time.Duration // by result
}

type testedPersona struct {
	*personafiles.File
	path       string
	played     bool // a play file refers to the persona
	saved      *playtest.Subject
	saveErr    error
	points     []playtest.Point // points that a player can reach
	witnesses  witnesses
	names      *playtest.Names
	counts     playtest.Hits
	impossible int
}

type runCounts struct {
	results, steps, failed int
	broken                 int // play files that cannot be played
}

func (run *testRun) count() (c runCounts) {
	for _, p := range run.playFiles {
		if len(p.faults) > 0 {
			c.broken++
		}
		c.results += len(p.results)
		for i := range p.results {
			r := &p.results[i]
			c.steps += r.CountSteps()
			if r.Err != nil || len(r.Failures()) > 0 {
				c.failed++
			}
		}
	}
	return c
}

func (run *testRun) sumCoverage() playtest.Tally { return playtest.Sum(run.sumByKind()) }

func (run *testRun) sumByKind() map[playtest.Kind]playtest.Tally {
	sum := map[playtest.Kind]playtest.Tally{}
	for _, tested := range run.personas {
		for kind, t := range tested.countCoverage() {
			sum[kind] = playtest.Tally{Covered: sum[kind].Covered + t.Covered, Total: sum[kind].Total + t.Total}
		}
	}
	return sum
}

func (tested *testedPersona) countCoverage() map[playtest.Kind]playtest.Tally {
	return playtest.Count(tested.points, tested.counts)
}
