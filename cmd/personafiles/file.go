package personafiles

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// File is a persona file as it was read, with all that was found in it.
type File struct {
	Name     string
	Source   []byte
	Doc      personas.Persona
	Places   personas.SourceMap
	Findings []report.Finding
}

// IsSound tells whether a server would take the file.
func (f *File) IsSound() bool {
	for _, found := range f.Findings {
		if found.Severity == string(lint.Error) {
			return false
		}
	}
	return true
}

// ReadPersonaFile reads and checks a file, or stdin for "-". The error is a file
// that could not be read; what is wrong in it are findings.
func ReadPersonaFile(streams *cli.Streams, path string) (*File, error) {
	name, source, err := ReadSource(streams, path)
	if err != nil {
		return nil, err
	}
	return CheckSource(name, source), nil
}

// CheckSource checks the text of a file.
func CheckSource(name string, source []byte) *File {
	f := &File{Name: name, Source: source}
	doc, places, faults := personas.Parse(name, source)
	f.Doc, f.Places = doc, places
	for i, found := range lint.All(&doc, faults) {
		if i < len(faults) {
			f.AddFinding(found, faults[i].Pos)
		} else {
			f.AddFinding(found, FindPlace(places, found))
		}
	}
	slices.SortStableFunc(f.Findings, report.ComparePlaces)
	return f
}

func FindPlace(places personas.SourceMap, found lint.Finding) personas.Position {
	if check, ok := lint.Find(found.Check); ok && check.AboutName {
		return places.Key(found.Path)
	}
	return places.Lookup(found.Path)
}

func (f *File) AddFinding(found lint.Finding, at personas.Position) {
	f.Findings = append(f.Findings, report.Finding{
		File: f.Name, Line: at.Line, Column: at.Column, EndLine: at.EndLine, EndColumn: at.EndColumn,
		Path: found.Path, Check: found.Check, Severity: string(found.Severity), Message: found.Message,
		Fix: found.Fix, Anchor: makeAnchor(&f.Doc, found),
	})
}

// ReadSource reads a file or stdin, at most one byte more than a persona file
// may have, so that a huge file costs no memory.
func ReadSource(streams *cli.Streams, path string) (name string, source []byte, err error) {
	if path == "-" {
		source, err = cli.AwaitResult(streams.Interrupted, func() ([]byte, error) { return readAtMost(streams.In) })
		return report.StdinName, source, err
	}
	f, err := os.Open(path)
	if err != nil {
		return path, nil, cli.WrapTrouble(fmt.Errorf("persona file %s: %w", path, cli.PathReason(err)), "")
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return path, nil, cli.WrapTrouble(fmt.Errorf("persona file %s: %w", path, cli.PathReason(err)), "")
	case info.IsDir():
		return path, nil, cli.WrapTrouble(fmt.Errorf("%s is a folder, not a persona file", path), "name the files in it")
	case info.Size() > personas.MaxFile:
		return path, nil, newTooLargeError(path)
	}
	source, err = readAtMost(f)
	if err == nil && len(source) > personas.MaxFile {
		err = newTooLargeError(path)
	}
	return path, source, err
}

func readAtMost(r io.Reader) ([]byte, error) {
	source, err := io.ReadAll(io.LimitReader(r, personas.MaxFile+1))
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("persona file: %w", err), "")
	}
	return source, nil
}

func newTooLargeError(path string) error {
	return cli.AnswerNo("persona file %s is larger than %d MiB, the most that a service takes", path, personas.MaxFile>>20)
}

// DropInfos leaves what somebody who only wants to save should read.
func (f *File) DropInfos() {
	f.Findings = slices.DeleteFunc(f.Findings, func(found report.Finding) bool { return found.Severity == string(lint.Info) })
}
