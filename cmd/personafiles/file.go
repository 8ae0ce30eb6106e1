// Package personafiles finds, reads and checks persona files and writes reports about them. The
// package changes no persona file and calls no service.
//
// The package also manages parley.lock. Each entry of parley.lock maps a file to a persona on a
// server. parley.lock is committed to git and contains no secrets.
package personafiles

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/portrait"
)

// A File is a persona file with its findings. Doc is incomplete after a syntax error.
type File struct {
	Name     string
	Source   []byte
	Doc      personas.Persona
	Places   personas.SourceMap
	Findings []personas.Diagnostic
	// PortraitFile is the path of a separate portrait file. Doc contains the picture itself.
	PortraitFile string
	// Foreign is the message about a file of another program, or "".
	Foreign string
}

// IsSound reports whether the file has no errors.
func (f *File) IsSound() bool {
	return !slices.ContainsFunc(f.Findings, hasSeverity(lint.Error))
}

func hasSeverity(severity lint.Severity) func(personas.Diagnostic) bool {
	return func(found personas.Diagnostic) bool { return found.Severity == severity }
}

// FindRefusal returns the first finding that makes a service reject the file, or nil.
func (f *File) FindRefusal() *personas.Diagnostic {
	i := slices.IndexFunc(f.Findings, func(found personas.Diagnostic) bool { return IsRefused(found.Check) })
	if i < 0 {
		return nil
	}
	return &f.Findings[i]
}

// Refuse reports the findings of f and returns a Failure with ExitNo. problem ends the message.
func (f *File) Refuse(streams *cli.Streams, problem string) error {
	if err := ReportFindings(streams, streams.Err, f); err != nil {
		return err
	}
	return cli.AnswerNo("%s %s", f.Name, problem)
}

// ReadSoundFile reads a file for playing. A file with errors yields the Failure of File.Refuse.
func ReadSoundFile(streams *cli.Streams, path, problem string) (*File, error) {
	f, err := ReadRunnableFile(streams, path)
	if err != nil || f.IsSound() {
		return f, err
	}
	f.DropInfos()
	return nil, f.Refuse(streams, problem)
}

// ReadPersonaFile reads and checks a file, or stdin for "-". Mistakes in the file become findings.
func ReadPersonaFile(streams *cli.Streams, path string) (*File, error) {
	return ReadFound(streams, Found{Path: path, Named: true}, CheckSource)
}

// ReadRunnableFile is like ReadPersonaFile, but omits the slow search for warnings.
func ReadRunnableFile(streams *cli.Streams, path string) (*File, error) {
	return ReadFound(streams, Found{Path: path, Named: true}, CheckRunnable)
}

// ParsePersonaFile reads a file, or stdin for "-". Only syntax errors become findings.
func ParsePersonaFile(streams *cli.Streams, path string) (*File, error) {
	return ReadFound(streams, Found{Path: path, Named: true}, ParseSource)
}

// CheckSource parses and checks the text of a file. Findings are sorted by position.
func CheckSource(name string, source []byte) *File { return readDocument(name, source, lint.File) }

// CheckRunnable is like CheckSource, but omits the slow search for warnings.
func CheckRunnable(name string, source []byte) *File {
	f := readDocument(name, source, findRefusals)
	if f.IsSound() {
		return f
	}
	return CheckSource(name, source)
}

// ParseSource parses the text of a file. Only syntax errors become findings.
func ParseSource(name string, source []byte) *File {
	return readDocument(name, source, keepFaults)
}

func keepFaults(_ *personas.Persona, _ personas.SourceMap, faults []personas.Diagnostic) []personas.Diagnostic {
	return lint.FromFaults(faults)
}

func findRefusals(p *personas.Persona, _ personas.SourceMap, faults []personas.Diagnostic) []personas.Diagnostic {
	return lint.Refusals(p, faults)
}

type judgeFunc func(*personas.Persona, personas.SourceMap, []personas.Diagnostic) []personas.Diagnostic

func readDocument(name string, source []byte, judge judgeFunc) *File {
	read := func(picture string) ([]byte, error) { return readPortrait(filepath.Dir(name), picture) }
	return readText(name, source, read, judge)
}

func readText(name string, source []byte, read pictureReader, judge judgeFunc) *File {
	f := &File{Name: name, Source: source}
	doc, places, faults := personas.Parse(name, source)
	if !portrait.IsURI(doc.Portrait) {
		f.PortraitFile = doc.Portrait
	}
	unusable := loadPortrait(&doc, read)
	f.Doc, f.Places = doc, places
	if f.addForeign(places, faults) {
		return f
	}
	for _, found := range judge(&doc, places, faults) {
		if found.Check == lint.PortraitCheck && unusable != nil {
			found.Message = unusable.Error()
		}
		f.AddFinding(found, FindPlace(places, found))
	}
	slices.SortStableFunc(f.Findings, ComparePlaces)
	return f
}

// FindPlace returns the position of a finding.
func FindPlace(places personas.SourceMap, found personas.Diagnostic) personas.Position {
	if found.Line > 0 {
		return found.Position
	}
	if check, ok := lint.Find(found.Check); ok && check.AboutName {
		return places.Key(found.Path)
	}
	if found.To > 0 {
		return places.Within(found.Path, found.From, found.To)
	}
	return places.Lookup(found.Path)
}

// AddFinding appends a finding at a position.
func (f *File) AddFinding(found personas.Diagnostic, at personas.Position) {
	found.File, found.Position, found.Anchor = f.Name, at, makeAnchor(&f.Doc, found)
	f.Findings = append(f.Findings, found)
}

// ReadSource reads a persona file, or stdin for "-". name is the name for messages.
func ReadSource(streams *cli.Streams, path string) (name string, source []byte, err error) {
	return readSource(streams, "persona file", path, personas.MaxFile)
}

// ReadPlaySource reads a play file, or stdin for "-". name is the name for messages.
func ReadPlaySource(streams *cli.Streams, path string) (name string, source []byte, err error) {
	return readSource(streams, "play file", path, personas.MaxFile)
}

// readSource returns an error for a file larger than maxSize bytes. Longer input from stdin is cut
// after maxSize+1 bytes.
func readSource(streams *cli.Streams, kind, path string, maxSize int64) (name string, source []byte, err error) {
	if path == "-" {
		source, err = cli.AwaitResult(streams.Interrupted, func() ([]byte, error) {
			return readAtMost(streams.In, kind, 0, maxSize)
		})
		return StdinName, source, err
	}
	if err := checkLink(kind, path); err != nil {
		return path, nil, err
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return path, nil, cli.WrapTrouble(fmt.Errorf("%s %s: %w", kind, path, cli.PathReason(err)), "")
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return path, nil, cli.WrapTrouble(fmt.Errorf("%s %s: %w", kind, path, cli.PathReason(err)), "")
	case info.IsDir():
		return path, nil, cli.WrapTrouble(fmt.Errorf("%s is a folder, not a %s", path, kind), "use a file in the folder")
	case info.Size() > maxSize:
		return path, nil, newTooLargeError(kind, path, maxSize, f)
	}
	source, err = readAtMost(f, kind, info.Size(), maxSize)
	if err == nil && int64(len(source)) > maxSize {
		err = newTooLargeError(kind, path, maxSize, bytes.NewReader(source))
	}
	return path, source, err
}

func readAtMost(r io.Reader, kind string, size, maxSize int64) ([]byte, error) {
	var source bytes.Buffer
	source.Grow(int(min(size, maxSize)) + bytes.MinRead)
	if _, err := source.ReadFrom(io.LimitReader(r, maxSize+1)); err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("%s: %w", kind, err), "")
	}
	return source.Bytes(), nil
}

func newTooLargeError(kind, path string, maxSize int64, begin io.Reader) error {
	err := fmt.Errorf("%s %s is larger than %d MiB, the maximum", kind, path, maxSize>>20)
	signature := make([]byte, 16)
	n, _ := io.ReadFull(begin, signature)
	foreign := findForeign(path, signature[:n])
	if foreign == "" || maxSize >= card.MaxFile {
		return &cli.Failure{Code: cli.ExitNo, Err: err}
	}
	return &cli.Failure{
		Code: cli.ExitNo,
		Err:  fmt.Errorf("%s is %s, not a %s", path, foreign, kind),
		Hint: "to make a persona of a character card, use `parley persona import " + plaintext.ShellFile(path) + "`",
	}
}

// DropInfos removes the findings of level info.
func (f *File) DropInfos() {
	f.Findings = slices.DeleteFunc(f.Findings, hasSeverity(lint.Info))
}
