package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// personaFile is a persona file as it was read, with all that was found in it.
type personaFile struct {
	name     string
	source   []byte
	doc      personas.Persona
	places   personas.SourceMap
	findings []finding
}

// finding is something found in a file, with its place; as JSON it is an item
// of `persona lint --format json`.
type finding struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Path      string `json:"path"`
	Check     string `json:"check"`
	Severity  string `json:"severity"`
	Message   string `json:"message"`
	// fix is nil unless there is exactly one way to put it right.
	fix *lint.Fix
	// anchor tells the finding apart wherever it comes to stand; "" is its path
	// and message.
	anchor string
}

// sound tells whether a server would take the file.
func (f *personaFile) sound() bool {
	for _, found := range f.findings {
		if found.Severity == string(lint.Error) {
			return false
		}
	}
	return true
}

// readPersonaFile reads and checks a file, or stdin for "-". The error is a file
// that could not be read; what is wrong in it are findings.
func readPersonaFile(a *streams, path string) (*personaFile, error) {
	name, source, err := readSource(a, path)
	if err != nil {
		return nil, err
	}
	return examine(name, source), nil
}

// examine checks the text of a file.
func examine(name string, source []byte) *personaFile {
	f := &personaFile{name: name, source: source}
	doc, places, faults := personas.Parse(name, source)
	f.doc, f.places = doc, places
	for i, found := range lint.All(&doc, faults) {
		if i < len(faults) {
			f.add(found, faults[i].Pos)
		} else {
			f.add(found, placeOf(places, found))
		}
	}
	slices.SortStableFunc(f.findings, byPlace)
	return f
}

func placeOf(places personas.SourceMap, found lint.Finding) personas.Position {
	if check, ok := lint.Find(found.Check); ok && check.AboutName {
		return places.Key(found.Path)
	}
	return places.Lookup(found.Path)
}

func byPlace(a, b finding) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

func (f *personaFile) add(found lint.Finding, at personas.Position) {
	f.findings = append(f.findings, finding{
		File: f.name, Line: at.Line, Column: at.Column, EndLine: at.EndLine, EndColumn: at.EndColumn,
		Path: found.Path, Check: found.Check, Severity: string(found.Severity), Message: found.Message,
		fix: found.Fix, anchor: anchorOf(&f.doc, found),
	})
}

// stdinName is how stdin is called where a file has its name.
const stdinName = "<stdin>"

// readSource reads a file or stdin, at most one byte more than a persona file
// may have, so that a huge file costs no memory.
func readSource(a *streams, path string) (name string, source []byte, err error) {
	if path == "-" {
		source, err = await(a.interrupted, func() ([]byte, error) { return readAtMost(a.in) })
		return stdinName, source, err
	}
	f, err := os.Open(path)
	if err != nil {
		return path, nil, trouble(fmt.Errorf("persona file %s: %w", path, reason(err)), "")
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return path, nil, trouble(fmt.Errorf("persona file %s: %w", path, reason(err)), "")
	case info.IsDir():
		return path, nil, trouble(fmt.Errorf("%s is a folder, not a persona file", path), "name the files in it")
	case info.Size() > personas.MaxFile:
		return path, nil, tooLarge(path)
	}
	source, err = readAtMost(f)
	if err == nil && len(source) > personas.MaxFile {
		err = tooLarge(path)
	}
	return path, source, err
}

func readAtMost(r io.Reader) ([]byte, error) {
	source, err := io.ReadAll(io.LimitReader(r, personas.MaxFile+1))
	if err != nil {
		return nil, trouble(fmt.Errorf("persona file: %w", err), "")
	}
	return source, nil
}

func tooLarge(path string) error {
	return no("persona file %s is larger than %d MiB, the most that a service takes", path, personas.MaxFile>>20)
}

// reason is an error of the file system without the path and the system call.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
