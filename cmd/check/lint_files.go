package check

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/cmd/service"
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
	*personafiles.File
	found   personafiles.Found
	err     error
	own     []report.Finding // what was found in the file by itself, nothing ignored
	ignores []ignore
	ignored int // findings that are not told
	fixing  fixing
	away    bool // the source and the places are put away
}

// all are the findings of all files, by file and place.
func (b *batch) all() []report.Finding {
	all := []report.Finding{}
	for _, f := range b.files {
		all = append(all, f.Findings...)
	}
	return all
}

// load reads and checks the files, as many at a time as there are processors.
func (o *lintOptions) load(ctx context.Context) (*batch, error) {
	settings, err := o.LoadSettings(true)
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
	cli.RunParallel(runtime.NumCPU(), jobs)
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
		return cli.UsageError("there is no persona file in %s; a persona file is YAML or JSON with a %s and machines", strings.Join(o.paths, ", "), personafiles.PromptMember)
	}
	slices.SortStableFunc(b.files, func(x, y *lintedFile) int { return cmp.Compare(x.Name, y.Name) })
	for _, f := range b.files {
		if f.err != nil {
			trouble := service.Explain(ctx, f.err)
			o.ReportFailure(nil, trouble)
			b.code = max(b.code, trouble.Code)
		}
	}
	o.settle(b)
	return nil
}

// settle makes the files' findings of what was found in each, what is wrong
// between them, and what is ignored.
func (o *lintOptions) settle(b *batch) {
	for _, f := range b.files {
		f.Findings, f.ignores, f.ignored = slices.Clone(f.own), nil, 0
	}
	b.lookAcross(o.Streams)
	for _, f := range b.files {
		if !o.noIgnore && f.err == nil {
			f.ignore(o.Streams, b.ignores)
		}
		slices.SortStableFunc(f.Findings, report.ComparePlaces)
	}
}

// find gives the files of the command line, play-throughs left out.
func (o *lintOptions) find() ([]personafiles.Found, error) {
	files, err := personafiles.FindFiles(o.paths, personafiles.MayBePersona)
	if err != nil {
		return nil, err
	}
	documents := slices.DeleteFunc(slices.Clone(files), func(f personafiles.Found) bool { return personafiles.IsPlayFile(f.Path) })
	if len(documents) == 0 && len(files) > 0 {
		return nil, cli.UsageError("%s is a play-through, no persona file; `parley persona test` plays it", files[0].Path)
	}
	return documents, nil
}

// lintFile reads and checks one file; it is nil for a file in a folder that is no
// persona.
func (o *lintOptions) lintFile(file personafiles.Found) *lintedFile {
	f := &lintedFile{found: file}
	name, source, err := personafiles.ReadSource(o.Streams, file.Path)
	if file.Path == "-" && o.stdinName != "" {
		name = o.stdinName
	}
	if err != nil {
		f.File, f.err = &personafiles.File{Name: name}, err
		return f
	}
	if !file.Named && !personafiles.MentionsPersona(source) {
		return nil
	}
	f.File = personafiles.CheckSource(name, source)
	f.own = f.Findings
	if !file.Named && !f.IsPersona() {
		return nil
	}
	f.putAway()
	return f
}

// putAway drops what is large and probably not needed any more: the places in a
// file and, when nothing was found in it, its text.
func (f *lintedFile) putAway() {
	f.Places, f.away = personas.SourceMap{}, true
	if len(f.own) == 0 && f.found.Path != "-" && !mentionsDirective(f.Source) {
		f.Source = nil
	}
}

// takeOut reads again what was put away. A file that is gone meanwhile has its
// findings at its beginning.
func (f *lintedFile) takeOut(s *cli.Streams) {
	if !f.away {
		return
	}
	f.away = false
	if f.Source == nil {
		_, source, err := personafiles.ReadSource(s, f.found.Path)
		if err != nil {
			return
		}
		f.Source = source
	}
	_, f.Places, _ = personas.Parse(f.Name, f.Source)
}

// faulty tells whether the document could not be read, or not all of it.
func (f *lintedFile) faulty() bool {
	return slices.ContainsFunc(f.own, func(found report.Finding) bool { return found.Check == lint.FaultCheck })
}

// lookAcross adds what is wrong between the files that could be read.
func (b *batch) lookAcross(s *cli.Streams) {
	var project []lint.ProjectFile
	by := map[string]*lintedFile{}
	for _, f := range b.files {
		if f.err == nil && !f.faulty() {
			by[f.Name] = f
			project = append(project, lint.ProjectFile{Name: f.Name, Persona: &f.Doc})
		}
	}
	if len(project) < 2 {
		return
	}
	for _, found := range lint.Project(project) {
		f := by[found.Name]
		f.takeOut(s)
		f.AddFinding(found.Finding, personafiles.FindPlace(f.Places, found.Finding))
	}
}

// stateOfFiles is a text that changes when a file or the project's settings do.
func (o *lintOptions) stateOfFiles() string {
	files, err := personafiles.FindFiles(o.paths, personafiles.MayBePersona)
	if err != nil {
		return err.Error()
	}
	var state strings.Builder
	for _, f := range files {
		note(&state, f.Path)
	}
	note(&state, config.Project(o.WorkingFolder()))
	return state.String()
}
