package check

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

var errFindings = errors.New("there are findings")

type batch struct {
	files   []*lintedFile // by name
	others  int           // number of files in directories that are not personas
	policy  personafiles.Policy
	ignores []settings.LintIgnore
	code    int // exit code of the files that could not be read, else 0
}

type lintedFile struct {
	*personafiles.File
	place       personafiles.Found
	err         error
	took        time.Duration
	ownFindings []personas.Diagnostic // findings in this file alone, including ignored ones
	ignored     int
	fixes       fixResult
	released    bool // set by releaseText
}

func (b *batch) listFindings() []personas.Diagnostic {
	all := []personas.Diagnostic{}
	for _, f := range b.files {
		all = append(all, f.Findings...)
	}
	return all
}

func (b *batch) listReported() []personas.Diagnostic {
	all := []personas.Diagnostic{}
	for _, f := range b.files {
		if f.err != nil {
			all = append(all, personafiles.NewFileFinding(f.Name, lint.FaultCheck, f.err.Error()))
		}
		all = append(all, f.Findings...)
	}
	return all
}

func (o *lintOptions) loadBatch(ctx context.Context) (*batch, error) {
	current, err := o.LoadSettings(true)
	if err != nil {
		return nil, err
	}
	policy, err := personafiles.NewPolicy(current)
	if err != nil {
		return nil, err
	}
	ignores := current.LintIgnores()
	for _, i := range ignores {
		if !isIgnorable(policy, i.Check) {
			return nil, cli.UsageError("settings file %s: lint.ignore: %s", i.Origin, explainNotIgnorable(policy, i.Check))
		}
	}
	files, _, err := personafiles.FindPersonaFiles(o.Streams, o.paths)
	if err != nil {
		return nil, err
	}
	b := &batch{files: make([]*lintedFile, len(files)), policy: policy, ignores: ignores}
	defer tuneCollector(collectorPercent)()
	jobs := make([]func(), len(files))
	for i, file := range files {
		jobs[i] = func() {
			if ctx.Err() == nil {
				b.files[i] = o.lintFile(file)
			}
		}
	}
	cli.RunParallel(runtime.NumCPU(), jobs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return b, o.finishBatch(ctx, b)
}

func (o *lintOptions) finishBatch(ctx context.Context, b *batch) error {
	looked := len(b.files)
	b.files = slices.DeleteFunc(b.files, func(f *lintedFile) bool { return f == nil })
	b.others = looked - len(b.files)
	if len(b.files) == 0 {
		return personafiles.NoPersonaError(o.paths)
	}
	slices.SortStableFunc(b.files, func(x, y *lintedFile) int { return cmp.Compare(x.Name, y.Name) })
	for _, f := range b.files {
		if f.err != nil {
			trouble := service.Explain(ctx, f.err)
			o.ReportFailure(nil, trouble)
			b.code = max(b.code, trouble.Code)
		}
	}
	o.collectFindings(b)
	return nil
}

func (o *lintOptions) collectFindings(b *batch) {
	for _, f := range b.files {
		f.Findings, f.ignored = slices.Clone(f.ownFindings), 0
	}
	b.checkProject(o.Streams)
	for _, f := range b.files {
		f.Findings = b.policy.Apply(f.Findings)
		if !o.noIgnore && f.err == nil {
			f.applyIgnores(o.Streams, b.policy, b.ignores)
		}
		slices.SortStableFunc(f.Findings, personafiles.ComparePlaces)
	}
}

func (o *lintOptions) lintFile(file personafiles.Found) *lintedFile {
	linted, began := &lintedFile{place: file}, o.Now()
	name := file.Path
	if name == "-" {
		name = cmp.Or(o.stdinName, personafiles.StdinName)
	}
	linted.File, linted.err = personafiles.ReadFound(o.Streams, file, func(_ string, source []byte) *personafiles.File {
		if len(source) > largeFile {
			tuneCollector(100)
		}
		return personafiles.CheckSource(name, source)
	})
	linted.took = o.Now().Sub(began)
	switch {
	case linted.err != nil:
		linted.File = &personafiles.File{Name: name}
	case linted.File == nil:
		return nil
	default:
		linted.ownFindings = linted.Findings
		linted.releaseText()
	}
	return linted
}

// releaseText saves memory. A file without findings keeps only the data of lint.Project.
func (f *lintedFile) releaseText() {
	f.Places, f.released = personas.SourceMap{}, true
	if len(f.ownFindings) == 0 && f.place.Path != "-" && !mentionsDirective(f.Source) {
		f.Source, f.Doc = nil, lint.KeepCompared(&f.Doc)
	}
}

func (f *lintedFile) restoreText(s *cli.Streams) {
	if !f.released {
		return
	}
	f.released = false
	if f.Source == nil {
		_, source, err := personafiles.ReadSource(s, f.place.Path)
		if err != nil {
			return
		}
		f.Source = source
	}
	_, f.Places, _ = personas.Parse(f.Name, f.Source)
}

func (f *lintedFile) hasFaults() bool {
	return slices.ContainsFunc(f.ownFindings, func(found personas.Diagnostic) bool {
		return found.Check == lint.FaultCheck
	})
}

func (b *batch) checkProject(s *cli.Streams) {
	var project []lint.ProjectFile
	by := map[string]*lintedFile{}
	for _, f := range b.files {
		if f.err == nil && !f.hasFaults() {
			by[f.Name] = f
			project = append(project, lint.ProjectFile{Name: f.Name, Persona: &f.Doc})
		}
	}
	if len(project) < 2 {
		return
	}
	for _, found := range lint.Project(project) {
		f := by[found.File]
		f.restoreText(s)
		f.AddFinding(found, personafiles.FindPlace(f.Places, found))
	}
}

func (o *lintOptions) noteFiles() string {
	files, err := personafiles.FindFiles(o.paths, personafiles.MayBePersona)
	if err != nil {
		return err.Error()
	}
	var note strings.Builder
	for _, f := range files {
		noteFile(&note, f.Path)
	}
	noteFile(&note, settings.FindProjectFile(o.WorkingFolder()))
	return note.String()
}

// collectorPercent is GOGC for small files. A document of several megabytes would need five times
// the memory.
const (
	collectorPercent = 400
	largeFile        = 256 << 10
)

func tuneCollector(percent int) (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
