package check

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
)

// testRun is a test run: the play files of the command line, the personas that they
// play, and what came of it.
type testRun struct {
	playFiles  []*playFile
	personas   []*testedPersona
	mutants    []mutantResult
	notUpdated int // expectations that --update could not rewrite
}

// countPlays counts the play-throughs.
func (run *testRun) countPlays() int {
	n := 0
	for _, p := range run.playFiles {
		n += len(p.doc.Plays)
	}
	return n
}

// playFile is one play file, with the results of its play-throughs once they were
// played.
type playFile struct {
	name    string
	source  []byte
	doc     playtest.File
	places  personas.SourceMap
	persona *testedPersona
	results []playtest.Result
}

// testedPersona is a persona under test: its file, what there is to cover in it, and
// what its play-throughs have covered.
type testedPersona struct {
	*personafiles.File
	path      string
	saved     *playtest.Subject // as the service has it
	points    []playtest.Point  // what a player can reach
	witnesses witnesses
	names     *playtest.Names
	counts    playtest.Hits // how often each point was reached
	// impossible is how many points no player can ever reach.
	impossible int
}

// countResults counts the play-throughs that were played.
func (run *testRun) countResults() int {
	n := 0
	for _, p := range run.playFiles {
		n += len(p.results)
	}
	return n
}

// countSteps counts the steps of all play-throughs that were played.
func (run *testRun) countSteps() int {
	n := 0
	for _, p := range run.playFiles {
		for i := range p.results {
			n += len(p.results[i].Steps)
		}
	}
	return n
}

// countFailed counts the play-throughs that did not go as they should.
func (run *testRun) countFailed() int {
	n := 0
	for _, p := range run.playFiles {
		for i := range p.results {
			if r := &p.results[i]; r.Err != nil || len(r.Failures()) > 0 {
				n++
			}
		}
	}
	return n
}

// sumCoverage is the coverage over all personas.
func (run *testRun) sumCoverage() playtest.Tally { return playtest.Sum(run.sumByKind()) }

// sumByKind is the coverage over all personas by the kind of point.
func (run *testRun) sumByKind() map[playtest.Kind]playtest.Tally {
	sum := map[playtest.Kind]playtest.Tally{}
	for _, tested := range run.personas {
		for kind, t := range tested.countCoverage() {
			sum[kind] = playtest.Tally{Covered: sum[kind].Covered + t.Covered, Total: sum[kind].Total + t.Total}
		}
	}
	return sum
}

// countCoverage is the coverage of one persona by the kind of point.
func (tested *testedPersona) countCoverage() map[playtest.Kind]playtest.Tally {
	return playtest.Count(tested.points, tested.counts)
}

// loadRun reads the play files and the personas that they name. Faults in
// them are reported here.
func (o *testOptions) loadRun(paths []string) (*testRun, error) {
	files, err := personafiles.FindFiles(paths, personafiles.IsPlayFile)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, cli.UsageError("there is no play file (*.play.yaml) in %s", strings.Join(paths, ", "))
	}
	run, bad := &testRun{}, 0
	for _, file := range files {
		ok, err := o.loadFile(run, file.Path)
		if err != nil {
			return nil, err
		}
		if !ok {
			bad++
		}
	}
	if bad > 0 {
		return nil, cli.AnswerNo("%s cannot be played", cli.Pluralize(bad, "file"))
	}
	return run, nil
}

// loadFile reads one play file into the run, or with --stubs a persona file. It gives
// false when the file has faults, which are reported then.
func (o *testOptions) loadFile(run *testRun, path string) (bool, error) {
	if !personafiles.IsPlayFile(path) && path != "-" {
		if !o.stubs {
			return false, cli.UsageError("%s is no play file (*.play.yaml); with --stubs a persona file is taken too", path)
		}
		tested, err := o.loadPersona(run, path)
		return tested != nil, err
	}
	name, source, err := personafiles.ReadSource(o.Streams, path)
	if err != nil {
		return false, err
	}
	p := &playFile{name: name, source: source}
	var faults []personas.Fault
	p.doc, p.places, faults = playtest.Parse(name, source)
	if len(faults) > 0 {
		return false, o.reportFaults("play-file", name, source, faults)
	}
	persona := filepath.FromSlash(p.doc.Persona)
	if !filepath.IsAbs(persona) && path != "-" {
		persona = filepath.Join(filepath.Dir(path), persona)
	}
	if p.persona, err = o.loadPersona(run, persona); err != nil || p.persona == nil {
		return false, err
	}
	run.playFiles = append(run.playFiles, p)
	return true, nil
}

// reportFaults writes the faults of a play file or corpus on stderr, with their source
// lines. check says which of the two it is.
func (o *testOptions) reportFaults(check, name string, source []byte, faults []personas.Fault) error {
	f := &personafiles.File{Name: name, Source: source}
	for _, fault := range faults {
		f.Findings = append(f.Findings, report.Finding{
			File: name, Line: fault.Pos.Line, Column: fault.Pos.Column, EndLine: fault.Pos.EndLine, EndColumn: fault.Pos.EndColumn,
			Path: fault.Path, Check: check, Severity: "error", Message: fault.Message,
		})
	}
	return personafiles.ReportFindings(o.Streams, o.Err, f)
}

// loadPersona reads a persona file once for the run. It gives nil when the file has
// errors, which are reported then.
func (o *testOptions) loadPersona(run *testRun, path string) (*testedPersona, error) {
	path = filepath.Clean(path)
	if i := slices.IndexFunc(run.personas, func(tested *testedPersona) bool { return tested.path == path }); i >= 0 {
		return run.personas[i], nil
	}
	f, err := personafiles.ReadRunnableFile(o.Streams, path)
	if err != nil {
		return nil, err
	}
	if !f.IsSound() {
		f.DropInfos()
		return nil, personafiles.ReportFindings(o.Streams, o.Err, f)
	}
	tested := &testedPersona{File: f, path: path, names: playtest.NewNames(&f.Doc), counts: playtest.Hits{}}
	if err := tested.findPoints(); err != nil {
		return nil, err
	}
	run.personas = append(run.personas, tested)
	return tested, nil
}
