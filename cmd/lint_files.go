package cmd

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

var errFindings = errors.New("there are findings")

// batch is everything that is checked in one run.
type batch struct {
	files   []*lintedFile // by name
	ignores []config.LintIgnore
	code    int // of what went wrong besides findings
}

// lintedFile is a file that was checked; err is that it could not be read.
type lintedFile struct {
	*File
	found   Found
	err     error
	own     []finding // what was found in the file by itself, nothing ignored
	ignores []ignore
	ignored int // findings that are not told
	fixing  fixing
	away    bool // the source and the places are put away
}

// all are the findings of all files, by file and place.
func (b *batch) all() []finding {
	all := []finding{}
	for _, f := range b.files {
		all = append(all, f.findings...)
	}
	return all
}

// load reads and checks the files, as many at a time as there are processors.
func (o *lintOptions) load(ctx context.Context) (*batch, error) {
	settings, err := o.loadSettings(true)
	if err != nil {
		return nil, err
	}
	ignores, err := o.projectIgnores(settings.LintIgnores())
	if err != nil {
		return nil, err
	}
	files, err := o.find()
	if err != nil {
		return nil, err
	}
	b := &batch{files: make([]*lintedFile, len(files)), ignores: ignores}
	jobs := make([]func(), len(files))
	for i, file := range files {
		jobs[i] = func() {
			if ctx.Err() == nil {
				b.files[i] = o.lintFile(file)
			}
		}
	}
	RunParallel(runtime.NumCPU(), jobs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return b, o.sortOut(ctx, b)
}

// sortOut leaves files that are no personas, and reports those that could not
// be read.
func (o *lintOptions) sortOut(ctx context.Context, b *batch) error {
	b.files = slices.DeleteFunc(b.files, func(f *lintedFile) bool { return f == nil })
	if len(b.files) == 0 {
		return UsageError("there is no persona file in %s; a persona file is YAML or JSON with a %s and machines", strings.Join(o.paths, ", "), promptMember)
	}
	slices.SortStableFunc(b.files, func(x, y *lintedFile) int { return cmp.Compare(x.name, y.name) })
	for _, f := range b.files {
		if f.err != nil {
			trouble := explain(ctx, f.err)
			o.ReportFailure(nil, trouble)
			b.code = max(b.code, trouble.code)
		}
	}
	o.settle(b)
	return nil
}

// settle makes the files' findings of what was found in each, what is wrong
// between them, and what is ignored.
func (o *lintOptions) settle(b *batch) {
	for _, f := range b.files {
		f.findings, f.ignores, f.ignored = slices.Clone(f.own), nil, 0
	}
	b.lookAcross(o.Streams)
	for _, f := range b.files {
		if !o.noIgnore && f.err == nil {
			f.ignore(o.Streams, b.ignores)
		}
		slices.SortStableFunc(f.findings, ComparePlaces)
	}
}

// find gives the files of the command line, play-throughs left out.
func (o *lintOptions) find() ([]Found, error) {
	files, err := findFiles(o.paths, mayBePersona)
	if err != nil {
		return nil, err
	}
	documents := slices.DeleteFunc(slices.Clone(files), func(f Found) bool { return isPlayFile(f.path) })
	if len(documents) == 0 && len(files) > 0 {
		return nil, UsageError("%s is a play-through, no persona file; `parley persona test` plays it", files[0].path)
	}
	return documents, nil
}

// lintFile reads and checks one file; it is nil for a file in a folder that is no
// persona.
func (o *lintOptions) lintFile(file Found) *lintedFile {
	f := &lintedFile{found: file}
	name, source, err := readSource(o.Streams, file.path)
	if file.path == "-" && o.stdinName != "" {
		name = o.stdinName
	}
	if err != nil {
		f.File, f.err = &File{name: name}, err
		return f
	}
	if !file.named && !mentionsPersona(source) {
		return nil
	}
	f.File = CheckSource(name, source)
	f.own = f.findings
	if !file.named && !f.isPersona() {
		return nil
	}
	f.putAway()
	return f
}

// putAway drops what is large and probably not needed any more: the places in a
// file and, when nothing was found in it, its text.
func (f *lintedFile) putAway() {
	f.places, f.away = personas.SourceMap{}, true
	if len(f.own) == 0 && f.found.path != "-" && !mentionsDirective(f.source) {
		f.source = nil
	}
}

// takeOut reads again what was put away. A file that is gone meanwhile has its
// findings at its beginning.
func (f *lintedFile) takeOut(s *Streams) {
	if !f.away {
		return
	}
	f.away = false
	if f.source == nil {
		_, source, err := readSource(s, f.found.path)
		if err != nil {
			return
		}
		f.source = source
	}
	_, f.places, _ = personas.Parse(f.name, f.source)
}

// faulty tells whether the document could not be read, or not all of it.
func (f *lintedFile) faulty() bool {
	return slices.ContainsFunc(f.own, func(found finding) bool { return found.Check == lint.FaultCheck })
}

// lookAcross adds what is wrong between the files that could be read.
func (b *batch) lookAcross(s *Streams) {
	var project []lint.ProjectFile
	by := map[string]*lintedFile{}
	for _, f := range b.files {
		if f.err == nil && !f.faulty() {
			by[f.name] = f
			project = append(project, lint.ProjectFile{Name: f.name, Persona: &f.doc})
		}
	}
	if len(project) < 2 {
		return
	}
	for _, found := range lint.Project(project) {
		f := by[found.Name]
		f.takeOut(s)
		f.AddFinding(found.Finding, FindPlace(f.places, found.Finding))
	}
}

// stateOfFiles is a text that changes when a file or the project's settings do.
func (o *lintOptions) stateOfFiles() string {
	files, err := findFiles(o.paths, mayBePersona)
	if err != nil {
		return err.Error()
	}
	var state strings.Builder
	for _, f := range files {
		note(&state, f.path)
	}
	note(&state, config.Project(o.WorkingFolder()))
	return state.String()
}
