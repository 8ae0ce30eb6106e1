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

// FindPersonaFiles returns the files in paths that may be personas. No file is a usage error.
func FindPersonaFiles(streams *cli.Streams, paths []string) (found []Found, single bool, err error) {
	files, err := FindFiles(paths, MayBePersona)
	if err != nil {
		return nil, false, err
	}
	found = slices.DeleteFunc(slices.Clone(files), func(f Found) bool { return IsPlayFile(f.Path) })
	switch {
	case len(found) == 0 && len(files) > 0:
		return nil, false, cli.UsageError(
			"%s is a play-through, not a persona file; `parley persona test` plays it", files[0].Path)
	case len(found) == 0:
		return nil, false, NoPersonaError(paths)
	}
	return found, len(paths) == 1 && IsOneFile(paths[0]), nil
}

// NoPersonaError returns the usage error for paths without a persona file.
func NoPersonaError(paths []string) error {
	return cli.UsageError("there is no persona file in %s; a persona file is YAML or JSON with a %s and machines",
		strings.Join(paths, ", "), PromptMember)
}

// IsOneFile reports whether path names a single file. The file may be missing.
func IsOneFile(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return !IsGlob(path)
	}
	return !info.IsDir()
}

// A Document is the result of reading a persona file. Doc is valid only if Err is nil.
type Document struct {
	Name string
	Doc  personas.Persona
	Err  error
}

type acceptFunc func(streams *cli.Streams, f *File) (personas.Persona, error)

// ReadSoundFiles reads files in parallel. A Document has Err for an unreadable or rejected file.
func ReadSoundFiles(ctx context.Context, streams *cli.Streams, found []Found, accept acceptFunc) ([]Document, error) {
	all, err := ReadAll(ctx, streams, found, CheckSource)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, cli.UsageError("there is no persona among %s", cli.Pluralize(len(found), "file"))
	}
	files := make([]Document, len(all))
	for i, result := range all {
		files[i] = Document{Name: result.Path, Err: result.Err}
		if result.Err == nil {
			files[i].Doc, files[i].Err = accept(streams, result.File)
		}
	}
	return files, nil
}

// A CheckFunc parses the text of a file, like CheckSource.
type CheckFunc func(name string, source []byte) *File

// A ReadResult is the outcome of reading one file. Took is the duration of the read.
type ReadResult struct {
	Found
	File *File
	Err  error
	Took time.Duration
}

// ReadAll reads files in parallel and keeps the order of found. Non-personas from directories are
// skipped. The error is ctx.Err().
func ReadAll(ctx context.Context, streams *cli.Streams, found []Found, check CheckFunc) ([]ReadResult, error) {
	all := make([]ReadResult, len(found))
	jobs := make([]func(), len(found))
	for i, file := range found {
		jobs[i] = func() {
			result, start := &all[i], streams.Now()
			result.Found = file
			if ctx.Err() == nil {
				result.File, result.Err = ReadFound(streams, file, check)
			}
			result.Took = streams.Now().Sub(start)
		}
	}
	cli.RunParallel(runtime.NumCPU(), jobs)
	return slices.DeleteFunc(all, func(r ReadResult) bool { return r.File == nil && r.Err == nil }), ctx.Err()
}

// ReadFound reads and checks a file. Unless found.Named is set, a non-persona yields nil.
func ReadFound(streams *cli.Streams, found Found, check CheckFunc) (*File, error) {
	name, source, err := ReadSource(streams, found.Path)
	if err != nil {
		return nil, err
	}
	if !found.Named && !mayContainPersona(source) {
		return nil, nil
	}
	f := check(name, source)
	if !found.Named && !f.IsPersona() {
		return nil, nil
	}
	return f, nil
}

// ReadPlayablePersona reads a persona for a temporary server. Errors are reported on stderr.
func ReadPlayablePersona(streams *cli.Streams, file string) (personas.Persona, error) {
	f, err := ReadPersonaFile(streams, file)
	if err != nil {
		return personas.Persona{}, err
	}
	all := len(f.Findings)
	f.Findings = slices.DeleteFunc(f.Findings, hasSeverity(lint.Warning))
	warnings := all - len(f.Findings)
	doc, err := CheckPlayable(streams, f)
	if warnings > 0 {
		streams.Say("%s: parley persona lint %s", cli.Pluralize(warnings, "warning"), plaintext.ShellWord(file))
	}
	return doc, err
}

// CheckDocument reports errors and warnings of f on stderr. Errors make the call fail.
func (p Policy) CheckDocument(streams *cli.Streams, f *File) (personas.Persona, error) {
	f.Findings = p.Apply(f.Findings)
	return checkDocument(streams, f, f.IsSound)
}

// CheckPlayable is like CheckDocument, but fails only for errors that a service rejects.
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

// ReadSeeds reads the persona files for a new server. An unusable file is an error.
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
