package cmd

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// File is a persona file as it was read, with all that was found in it.
type File struct {
	name     string
	source   []byte
	doc      personas.Persona
	places   personas.SourceMap
	findings []finding
}

// IsSound tells whether a server would take the file.
func (f *File) IsSound() bool {
	for _, found := range f.findings {
		if found.Severity == string(lint.Error) {
			return false
		}
	}
	return true
}

// readPersonaFile reads and checks a file, or stdin for "-". The error is a file
// that could not be read; what is wrong in it are findings.
func readPersonaFile(a *Streams, path string) (*File, error) {
	name, source, err := readSource(a, path)
	if err != nil {
		return nil, err
	}
	return CheckSource(name, source), nil
}

// CheckSource checks the text of a file.
func CheckSource(name string, source []byte) *File {
	f := &File{name: name, source: source}
	doc, places, faults := personas.Parse(name, source)
	f.doc, f.places = doc, places
	for i, found := range lint.All(&doc, faults) {
		if i < len(faults) {
			f.AddFinding(found, faults[i].Pos)
		} else {
			f.AddFinding(found, FindPlace(places, found))
		}
	}
	slices.SortStableFunc(f.findings, ComparePlaces)
	return f
}

func FindPlace(places personas.SourceMap, found lint.Finding) personas.Position {
	if check, ok := lint.Find(found.Check); ok && check.AboutName {
		return places.Key(found.Path)
	}
	return places.Lookup(found.Path)
}

func (f *File) AddFinding(found lint.Finding, at personas.Position) {
	f.findings = append(f.findings, finding{
		File: f.name, Line: at.Line, Column: at.Column, EndLine: at.EndLine, EndColumn: at.EndColumn,
		Path: found.Path, Check: found.Check, Severity: string(found.Severity), Message: found.Message,
		fix: found.Fix, anchor: anchorOf(&f.doc, found),
	})
}

// readSource reads a file or stdin, at most one byte more than a persona file
// may have, so that a huge file costs no memory.
func readSource(a *Streams, path string) (name string, source []byte, err error) {
	if path == "-" {
		source, err = AwaitResult(a.interrupted, func() ([]byte, error) { return readAtMost(a.in) })
		return stdinName, source, err
	}
	f, err := os.Open(path)
	if err != nil {
		return path, nil, WrapTrouble(fmt.Errorf("persona file %s: %w", path, PathReason(err)), "")
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return path, nil, WrapTrouble(fmt.Errorf("persona file %s: %w", path, PathReason(err)), "")
	case info.IsDir():
		return path, nil, WrapTrouble(fmt.Errorf("%s is a folder, not a persona file", path), "name the files in it")
	case info.Size() > personas.MaxFile:
		return path, nil, tooLargeError(path)
	}
	source, err = readAtMost(f)
	if err == nil && len(source) > personas.MaxFile {
		err = tooLargeError(path)
	}
	return path, source, err
}

func readAtMost(r io.Reader) ([]byte, error) {
	source, err := io.ReadAll(io.LimitReader(r, personas.MaxFile+1))
	if err != nil {
		return nil, WrapTrouble(fmt.Errorf("persona file: %w", err), "")
	}
	return source, nil
}

func tooLargeError(path string) error {
	return AnswerNo("persona file %s is larger than %d MiB, the most that a service takes", path, personas.MaxFile>>20)
}

// dropInfos leaves what somebody who only wants to save should read.
func (f *File) dropInfos() {
	f.findings = slices.DeleteFunc(f.findings, func(found finding) bool { return found.Severity == string(lint.Info) })
}
