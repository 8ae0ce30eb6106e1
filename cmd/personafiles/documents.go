package personafiles

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
)

// FindPersonaFiles returns the files in paths that may be personas. single reports that paths is
// one file. Without a persona file it returns a usage error.
func FindPersonaFiles(streams *cli.Streams, paths []string) (found []Found, single bool, err error) {
	files, err := FindFiles(paths, MayBePersona)
	if err != nil {
		return nil, false, err
	}
	found = slices.DeleteFunc(slices.Clone(files), func(f Found) bool { return IsPlayFile(f.Path) })
	switch {
	case len(found) == 0 && len(files) > 0:
		return nil, false, cli.UsageError("%s is a play-through, not a persona file; `parley persona test` plays it", files[0].Path)
	case len(found) == 0:
		return nil, false, NoPersonaError(paths)
	}
	return found, len(paths) == 1 && IsOneFile(paths[0]), nil
}

// NoPersonaError returns the usage error for paths without a persona file.
func NoPersonaError(paths []string) error {
	return cli.UsageError("there is no persona file in %s; a persona file is YAML or JSON with a %s and machines", strings.Join(paths, ", "), PromptMember)
}

// IsOneFile reports whether path is not a directory or glob. The file need not exist.
func IsOneFile(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return !IsGlob(path)
	}
	return !info.IsDir()
}

// A Document is a persona file that was read. Doc is only valid if Err is nil.
type Document struct {
	Name string
	Doc  personas.Persona
	Err  error
}

// An acceptFunc reports the findings of a file and returns the file's document. It returns an error
// if the document must not be used. Examples are Policy.CheckDocument and CheckPlayable.
type acceptFunc func(streams *cli.Streams, f *File) (personas.Persona, error)

// ReadSoundFiles reads and checks files in parallel, and reports their findings on stderr. If a
// file cannot be read or is not accepted, its Document has Err.
func ReadSoundFiles(ctx context.Context, streams *cli.Streams, found []Found, accept acceptFunc) ([]Document, error) {
	all, err := ReadAll(ctx, streams, found, CheckSource)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, cli.UsageError("there is no persona among %s", cli.Pluralize(len(found), "file"))
	}
	files := make([]Document, len(all))
	for i, r := range all {
		files[i] = Document{Name: r.Path, Err: r.Err}
		if r.Err == nil {
			files[i].Doc, files[i].Err = accept(streams, r.File)
		}
	}
	return files, nil
}

// A CheckFunc parses the text of a file. CheckSource, CheckRunnable and ParseSource are CheckFuncs.
type CheckFunc func(name string, source []byte) *File

// A ReadResult is a file or the error of reading it, and the time that reading took.
type ReadResult struct {
	Found
	File *File
	Err  error
	Took time.Duration
}

// ReadAll reads files in parallel, and keeps their order. In a directory it skips files that are
// not personas. It returns an error only if ctx is cancelled.
func ReadAll(ctx context.Context, streams *cli.Streams, found []Found, check CheckFunc) ([]ReadResult, error) {
	all := make([]ReadResult, len(found))
	jobs := make([]func(), len(found))
	for i, file := range found {
		jobs[i] = func() {
			r, began := &all[i], streams.Now()
			r.Found = file
			if ctx.Err() == nil {
				r.File, r.Err = ReadFound(streams, file, check)
			}
			r.Took = streams.Now().Sub(began)
		}
	}
	cli.RunParallel(runtime.NumCPU(), jobs)
	return slices.DeleteFunc(all, func(r ReadResult) bool { return r.File == nil && r.Err == nil }), ctx.Err()
}

// ReadFound reads a file. It returns nil if the file was found in a directory and is not a persona.
func ReadFound(streams *cli.Streams, found Found, check CheckFunc) (*File, error) {
	name, source, err := ReadSource(streams, found.Path)
	if err != nil {
		return nil, err
	}
	if !found.Named && !mentionsPersona(source) {
		return nil, nil
	}
	f := check(name, source)
	if !found.Named && !f.IsPersona() {
		return nil, nil
	}
	return f, nil
}

// ReadPlayablePersona reads a file for a temporary server, and reports its errors on stderr.
func ReadPlayablePersona(streams *cli.Streams, file string) (personas.Persona, error) {
	f, err := ReadPersonaFile(streams, file)
	if err != nil {
		return personas.Persona{}, err
	}
	all := len(f.Findings)
	f.Findings = slices.DeleteFunc(f.Findings, func(found personas.Diagnostic) bool { return found.Severity == lint.Warning })
	warnings := all - len(f.Findings)
	doc, err := CheckPlayable(streams, f)
	if warnings > 0 {
		streams.Say("%s: parley persona lint %s", cli.Pluralize(warnings, "warning"), plaintext.ShellWord(file))
	}
	return doc, err
}

// CheckDocument reports a file's errors and warnings on stderr. It fails if there are errors.
func (p Policy) CheckDocument(streams *cli.Streams, f *File) (personas.Persona, error) {
	f.Findings = p.Apply(f.Findings)
	return checkDocument(streams, f, f.IsSound)
}

// CheckPlayable is like CheckDocument, but fails only for errors that make a service reject the
// persona, so that authors can try an unfinished persona.
func CheckPlayable(streams *cli.Streams, f *File) (personas.Persona, error) {
	return checkDocument(streams, f, func() bool { return f.FindRefusal() == nil })
}

func checkDocument(streams *cli.Streams, f *File, sound func() bool) (personas.Persona, error) {
	f.DropInfos()
	if !sound() {
		return personas.Persona{}, f.Refuse(streams, "has errors (see above) and was not sent")
	}
	return f.Doc, ReportFindings(streams, streams.Err, f)
}

// ReadSeeds reads the persona files in paths for a new server. All files must be usable.
func ReadSeeds(ctx context.Context, streams *cli.Streams, paths []string) ([]Document, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	found, _, err := FindPersonaFiles(streams, paths)
	if err != nil {
		return nil, err
	}
	files, err := ReadSoundFiles(ctx, streams, found, CheckPlayable)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Err != nil {
			return nil, fmt.Errorf("seed: %w", f.Err)
		}
	}
	return files, nil
}
