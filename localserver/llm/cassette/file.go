package cassette

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	version = 1
	maxLine = 8 << 20
)

// line is a line of a cassette. It is the first line (Cassette), instructions that several entries
// share (System, Text), or an entry (Step).
type line struct {
	Cassette int    `json:"cassette,omitempty"`
	MadeBy   string `json:"made_by,omitempty"`

	System string `json:"system,omitempty"`
	Text   string `json:"text,omitempty"`

	Step   string        `json:"step,omitempty"`
	Model  string        `json:"model,omitempty"`
	Date   string        `json:"date,omitempty"`
	Hash   string        `json:"hash,omitempty"`
	Asked  *questionLine `json:"asked,omitempty"`
	Answer *answerLine   `json:"answer,omitempty"`
}

type questionLine struct {
	System   string        `json:"system,omitempty"`
	Messages []messageLine `json:"messages"`
	Schema   schemaRef     `json:"schema,omitzero"`
}

type messageLine struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// answerLine is an answer. If the answer was streamed in several pieces, Pieces is set instead of
// Text.
type answerLine struct {
	Text   string                      `json:"text,omitempty"`
	Pieces []string                    `json:"pieces,omitempty"`
	Finish provider.Finish             `json:"finish"`
	In     int                         `json:"in"`
	Out    int                         `json:"out"`
	Cached int                         `json:"cached,omitempty"`
	First  []provider.TokenProbability `json:"first,omitempty"`
}

// cassetteFile is the content of a cassette. Its methods for entries are safe for concurrent use.
type cassetteFile struct {
	name    string
	systems map[string]string
	// size is the length of the file in bytes, without an incomplete last line. If the last line is
	// incomplete, torn is a sentence about it for the user. Otherwise torn is "".
	size int
	torn string
	open bool

	mu      sync.Mutex
	entries []*entry
	index   map[string][]*entry // by digest, in the order of the file
}

func newCassetteFile(name string) *cassetteFile {
	return &cassetteFile{name: name, systems: map[string]string{}, index: map[string][]*entry{}}
}

func readFile(name string) (*cassetteFile, error) {
	data, err := atomicfile.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the recording %s does not exist: use another file, or record it with --llm MODEL --llm-record %s: %w", name, plaintext.ShellFile(name), err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	return parseFile(name, data)
}

// parseFile parses the text of a cassette. It ignores an invalid last line without a line feed,
// because a crash may have cut the line off.
func parseFile(name string, data []byte) (*cassetteFile, error) {
	r := newCassetteFile(name)
	if len(data) == 0 {
		return nil, fmt.Errorf("the recording %s is empty: record it with --llm MODEL --llm-record %s", name, plaintext.ShellFile(name))
	}
	for number := 1; len(data) > 0; number++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		if err := r.readLine(number, text); err != nil {
			if ended || number == 1 || json.Valid(text) {
				return nil, err
			}
			r.torn = fmt.Sprintf("%s:%d: the last line is incomplete and is ignored", name, number)
			return r, nil
		}
		r.size, r.open = r.size+len(data)-len(rest), !ended
		data = rest
	}
	return r, nil
}

var errNewer = errors.New("update parley, or record it again")

func (r *cassetteFile) readLine(number int, text []byte) error {
	if number > 1 && len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	var l line
	err := decodeLine(text, &l)
	switch {
	case number == 1 && (err != nil || l.Cassette < 1):
		if later, ok := laterVersion(text); ok {
			return r.newerError(number, later)
		}
		return fmt.Errorf("%s:1: the file is not a recording: its first line is not {\"cassette\": %d, ...}; use another file", r.name, version)
	case err != nil:
		return r.damagedError(number, err)
	case l.Cassette > version:
		return r.newerError(number, l.Cassette)
	case l.Cassette > 0:
		return nil
	case l.Step != "":
		return r.readEntry(number, l)
	case l.System == "":
		return r.damagedError(number, errors.New("the line is neither a question with an answer nor a text"))
	case shortHash(l.Text) != l.System:
		return r.damagedError(number, errors.New("the text does not match its hash"))
	}
	r.systems[l.System] = l.Text
	return nil
}

func laterVersion(text []byte) (int, bool) {
	var head struct {
		Cassette int `json:"cassette"`
	}
	return head.Cassette, json.Unmarshal(text, &head) == nil && head.Cassette > version
}

func (r *cassetteFile) newerError(number, later int) error {
	return fmt.Errorf("%s:%d: the recording has format %d and this parley reads %d: %w", r.name, number, later, version, errNewer)
}

func (r *cassetteFile) damagedError(number int, cause error) error {
	return fmt.Errorf("%s:%d: the line is damaged: %w; restore it, or delete it and record again", r.name, number, cause)
}

func decodeLine(text []byte, l *line) error {
	if len(text) > maxLine {
		return fmt.Errorf("the line is longer than %d bytes", maxLine)
	}
	if mark := string(text[:min(len(text), 7)]); mark == "<<<<<<<" || mark == "=======" || mark == ">>>>>>>" {
		return errors.New("the line is a merge conflict marker: keep the lines of both versions and delete the markers")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return fmt.Errorf("not valid JSON of this format: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the line has more than one JSON value")
	}
	return nil
}

func (r *cassetteFile) readEntry(number int, l line) error {
	if l.Asked == nil || l.Answer == nil {
		return r.damagedError(number, errors.New("the question or the answer is missing"))
	}
	system, known := r.systems[l.Asked.System]
	switch {
	case l.Asked.System != "" && !known:
		return r.damagedError(number, fmt.Errorf("this line refers to the instructions %s, but no earlier line contains them", l.Asked.System))
	case l.Answer.Text != "" && l.Answer.Pieces != nil:
		return r.damagedError(number, errors.New("the answer has both text and pieces"))
	case !slices.Contains([]provider.Finish{provider.Stopped, provider.Length, provider.Refused, tooLong}, l.Answer.Finish):
		return r.damagedError(number, fmt.Errorf("unknown finish %q of the answer", l.Answer.Finish))
	}
	e := &entry{
		question: question{step: l.Step, system: system, messages: l.Asked.Messages, schema: l.Asked.Schema},
		model:    l.Model, date: l.Date, answer: *l.Answer, line: number,
	}
	e.digest = e.question.digestText()
	if e.digest != l.Hash {
		return r.damagedError(number, errors.New("the question does not match its hash"))
	}
	r.addEntry(e)
	return nil
}

func lineOf(e *entry) line {
	asked := &questionLine{Messages: e.question.messages, Schema: e.question.schema}
	if e.question.system != "" {
		asked.System = shortHash(e.question.system)
	}
	return line{Step: e.question.step, Model: e.model, Date: e.date, Hash: e.digest, Asked: asked, Answer: &e.answer}
}

// encodeLine encodes a line and adds a line feed. It does not escape HTML characters, so that the
// file is readable.
func encodeLine(l line) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return nil, fmt.Errorf("encoding a line of a recording: %w", err)
	}
	if out.Len() > maxLine+1 {
		return nil, fmt.Errorf("the question and its answer are longer than %d bytes", maxLine)
	}
	return out.Bytes(), nil
}

// ErrBusy means that another recorder is writing to the file.
var ErrBusy = errors.New("another process is recording to this file: wait until it ends, or use another file")

// lockFile locks a cassette for this recorder. It locks a separate file, because on some systems a
// locked file cannot be read.
func lockFile(path string) (unlock func(), err error) {
	for {
		if err := atomicfile.CheckNew(path + ".lock"); err != nil {
			return nil, fmt.Errorf("starting the recording %s: %w", path, err)
		}
		l := flock.New(path+".lock", flock.SetPermissions(0o600))
		ours, err := l.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("starting the recording %s: %w", path, dropPath(err))
		case !ours:
			return nil, fmt.Errorf("%s: %w", path, ErrBusy)
		case isSameFile(l):
			return func() { releaseLock(l) }, nil
		}
		// The previous owner has just removed the lock file, so try again with a new one.
		_ = l.Close()
	}
}

// isSameFile reports whether the locked file is still the file at its path. If it is not, another
// process could lock the new file.
func isSameFile(l *flock.Flock) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.Path())
	return err == nil && os.SameFile(locked, there)
}

// releaseLock removes the lock file and then unlocks it. On systems that cannot remove an open
// file, it unlocks the file first. A remaining lock file is harmless.
func releaseLock(l *flock.Flock) {
	before := os.Remove(l.Path())
	_ = l.Close()
	if before != nil {
		_ = os.Remove(l.Path())
	}
}

// sortedText returns the text of the cassette, sorted. Instructions precede the first question that
// uses them. Of several answers to the same question, only the latest is kept.
func (rec *Recorder) sortedText() ([]byte, error) {
	entries := rec.contents.copyEntries()
	slices.SortStableFunc(entries, compareEntries)
	old, err := atomicfile.Read(rec.contents.name)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	var out bytes.Buffer
	head, _, _ := bytes.Cut(old, []byte("\n")) // with the date of the first recording
	out.Write(head)
	out.WriteByte('\n')
	systems := map[string]string{}
	for i, e := range entries {
		if i+1 < len(entries) && entries[i+1].digest == e.digest && entries[i+1].model == e.model {
			continue
		}
		lines, err := linesOf(e, systems)
		if err != nil {
			return nil, err
		}
		systems[shortHash(e.question.system)] = e.question.system
		out.Write(lines)
	}
	return out.Bytes(), nil
}

// compareEntries orders entries by their messages, so that the entries of a conversation are
// together. It orders the entries of a turn by step.
func compareEntries(a, b *entry) int {
	for i := range min(len(a.question.messages), len(b.question.messages)) {
		m, n := a.question.messages[i], b.question.messages[i]
		if c := cmp.Or(strings.Compare(m.Text, n.Text), strings.Compare(m.Role, n.Role)); c != 0 {
			return c
		}
	}
	return cmp.Or(len(a.question.messages)-len(b.question.messages), strings.Compare(a.question.step, b.question.step),
		strings.Compare(a.digest, b.digest), strings.Compare(a.model, b.model))
}
