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

// bill is everything that is played in one run.
type bill struct {
	programmes []*programme
	casts      []*cast
	mutants    []mutantResult
	notUpdated int
}

// plays counts the play-throughs.
func (b *bill) plays() int {
	n := 0
	for _, p := range b.programmes {
		n += len(p.file.Plays)
	}
	return n
}

// programme is one play file.
type programme struct {
	name    string
	source  []byte
	file    playtest.File
	places  personas.SourceMap
	cast    *cast
	results []playtest.Result
}

// cast is one persona file with what its play-throughs have reached.
type cast struct {
	*personafiles.File
	path    string
	subject *playtest.Subject
	points  []playtest.Point
	ways    map[playtest.Point]way
	hits    playtest.Hits
	// impossible is how many points no player can ever reach.
	impossible int
}

func (b *bill) count() int {
	n := 0
	for _, p := range b.programmes {
		n += len(p.results)
	}
	return n
}

func (b *bill) steps() int {
	n := 0
	for _, p := range b.programmes {
		for i := range p.results {
			n += len(p.results[i].Steps)
		}
	}
	return n
}

// failed is how many play-throughs did not go as they should.
func (b *bill) failed() int {
	n := 0
	for _, p := range b.programmes {
		for i := range p.results {
			if r := &p.results[i]; r.Err != nil || len(r.Failures()) > 0 {
				n++
			}
		}
	}
	return n
}

// total is the coverage over all personas.
func (b *bill) total() playtest.Tally {
	var sum playtest.Tally
	for _, c := range b.casts {
		t := c.total()
		sum.Covered, sum.Total = sum.Covered+t.Covered, sum.Total+t.Total
	}
	return sum
}

func (c *cast) total() playtest.Tally { return playtest.Sum(playtest.Count(c.points, c.hits)) }

// loadBill reads the play files and the personas that they name. Faults in
// them are reported here.
func (o *testOptions) loadBill(paths []string) (*bill, error) {
	files, err := personafiles.FindFiles(paths, personafiles.IsPlayFile)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, cli.UsageError("there is no play file (*.play.yaml) in %s", strings.Join(paths, ", "))
	}
	b, bad := &bill{}, 0
	for _, file := range files {
		ok, err := o.load(b, file.Path)
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
	return b, nil
}

// load reads one file; it is false when its faults were reported.
func (o *testOptions) load(b *bill, path string) (bool, error) {
	if !personafiles.IsPlayFile(path) && path != "-" {
		if !o.stubs {
			return false, cli.UsageError("%s is no play file (*.play.yaml); with --stubs a persona file is taken too", path)
		}
		c, err := o.castOf(b, path)
		return c != nil, err
	}
	name, source, err := personafiles.ReadSource(o.Streams, path)
	if err != nil {
		return false, err
	}
	p := &programme{name: name, source: source}
	var faults []personas.Fault
	p.file, p.places, faults = playtest.Parse(name, source)
	if len(faults) > 0 {
		return false, o.reportFaults(name, source, faults)
	}
	persona := filepath.FromSlash(p.file.Persona)
	if !filepath.IsAbs(persona) && path != "-" {
		persona = filepath.Join(filepath.Dir(path), persona)
	}
	if p.cast, err = o.castOf(b, persona); err != nil || p.cast == nil {
		return false, err
	}
	b.programmes = append(b.programmes, p)
	return true, nil
}

func (o *testOptions) reportFaults(name string, source []byte, faults []personas.Fault) error {
	f := &personafiles.File{Name: name, Source: source}
	for _, fault := range faults {
		f.Findings = append(f.Findings, report.Finding{
			File: name, Line: fault.Pos.Line, Column: fault.Pos.Column, EndLine: fault.Pos.EndLine, EndColumn: fault.Pos.EndColumn,
			Path: fault.Path, Check: "play-file", Severity: "error", Message: fault.Message,
		})
	}
	return personafiles.ReportFindings(o.Streams, o.Err, f)
}

// castOf reads a persona once; it gives nil when its errors were reported.
func (o *testOptions) castOf(b *bill, path string) (*cast, error) {
	path = filepath.Clean(path)
	if i := slices.IndexFunc(b.casts, func(c *cast) bool { return c.path == path }); i >= 0 {
		return b.casts[i], nil
	}
	f, err := personafiles.ReadPersonaFile(o.Streams, path)
	if err != nil {
		return nil, err
	}
	if !f.IsSound() {
		f.DropInfos()
		return nil, personafiles.ReportFindings(o.Streams, o.Err, f)
	}
	c := &cast{File: f, path: path, hits: playtest.Hits{}}
	if err := c.survey(); err != nil {
		return nil, err
	}
	b.casts = append(b.casts, c)
	return c, nil
}
