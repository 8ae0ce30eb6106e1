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

// A line is the header (Cassette), shared instructions (System, Text) or an entry (Step).
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

type answerLine struct {
	Text   string                      `json:"text,omitempty"`
	Pieces []string                    `json:"pieces,omitempty"` // of a stream, instead of Text
	Finish provider.Finish             `json:"finish"`
	In     int                         `json:"in"`
	Out    int                         `json:"out"`
	Cached int                         `json:"cached,omitempty"`
	First  []provider.TokenProbability `json:"first,omitempty"`
}

type cassetteFile struct {
	name    string
	systems map[string]string
	// size is the length in bytes without an incomplete last line. torn is a message for the user
	// about that line.
	size int
	torn string
	open bool // the last line has no line feed

	mu      sync.Mutex // guards entries, index and entry.used
	entries []*entry
	index   map[string][]*entry // by digest, in the order of the file
}

func newCassetteFile(name string) *cassetteFile {
	return &cassetteFile{name: name, systems: map[string]string{}, index: map[string][]*entry{}}
}

func readFile(name string) (*cassetteFile, error) {
	data, err := atomicfile.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the recording %s does not exist: use another file, "+
			"or record it with --llm MODEL --llm-record %s: %w", name, plaintext.ShellFile(name), err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	return parseFile(name, data)
}

// parseFile ignores an invalid last line without a line feed, because a crash may have cut the
// line.
func parseFile(name string, data []byte) (*cassetteFile, error) {
	t := newCassetteFile(name)
	if len(data) == 0 {
		return nil, fmt.Errorf("the recording %s is empty: record it with --llm MODEL --llm-record %s",
			name, plaintext.ShellFile(name))
	}
	for number := 1; len(data) > 0; number++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		if err := t.readLine(number, text); err != nil {
			if ended || number == 1 || json.Valid(text) {
				return nil, err
			}
			t.torn = fmt.Sprintf("%s:%d: the last line is incomplete and is ignored", name, number)
			return t, nil
		}
		t.size += len(data) - len(rest)
		t.open = !ended
		data = rest
	}
	return t, nil
}

var errNewer = errors.New("update parley, or record it again")

func (t *cassetteFile) readLine(number int, text []byte) error {
	if number > 1 && len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	var parsed line
	err := decodeLine(text, &parsed)
	switch {
	case number == 1 && (err != nil || parsed.Cassette < 1):
		if later, ok := laterVersion(text); ok {
			return t.newerError(number, later)
		}
		return fmt.Errorf("%s:1: the file is not a recording: its first line is not {\"cassette\": %d, ...}; "+
			"use another file", t.name, version)
	case err != nil:
		return t.damagedError(number, err)
	case parsed.Cassette > version:
		return t.newerError(number, parsed.Cassette)
	case parsed.Cassette > 0:
		return nil
	case parsed.Step != "":
		return t.readEntry(number, parsed)
	case parsed.System == "":
		return t.damagedError(number, errors.New("the line is neither a question with an answer nor a text"))
	case shortHash(parsed.Text) != parsed.System:
		return t.damagedError(number, errors.New("the text does not match its hash"))
	}
	t.systems[parsed.System] = parsed.Text
	return nil
}

func laterVersion(text []byte) (int, bool) {
	var head struct {
		Cassette int `json:"cassette"`
	}
	return head.Cassette, json.Unmarshal(text, &head) == nil && head.Cassette > version
}

func (t *cassetteFile) newerError(number, later int) error {
	return fmt.Errorf("%s:%d: the recording has format %d and this parley reads %d: %w",
		t.name, number, later, version, errNewer)
}

func (t *cassetteFile) damagedError(number int, cause error) error {
	return fmt.Errorf("%s:%d: the line is damaged: %w; restore it, or delete it and record again",
		t.name, number, cause)
}

var conflictMarks = []string{"<<<<<<<", "=======", ">>>>>>>"}

func decodeLine(text []byte, l *line) error {
	if len(text) > maxLine {
		return fmt.Errorf("the line is longer than %d bytes", maxLine)
	}
	if mark := string(text[:min(len(text), 7)]); slices.Contains(conflictMarks, mark) {
		return errors.New("the line is a merge conflict marker: keep the lines of both versions and delete the markers")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(l); err != nil {
		return fmt.Errorf("not valid JSON of this format: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the line has more than one JSON value")
	}
	return nil
}

var validFinishes = []provider.Finish{provider.Stopped, provider.Length, provider.Refused, tooLong}

func (t *cassetteFile) readEntry(number int, parsed line) error {
	if parsed.Asked == nil || parsed.Answer == nil {
		return t.damagedError(number, errors.New("the question or the answer is missing"))
	}
	system, ok := t.systems[parsed.Asked.System]
	switch {
	case parsed.Asked.System != "" && !ok:
		cause := fmt.Errorf("this line refers to the instructions %s, but no earlier line contains them",
			parsed.Asked.System)
		return t.damagedError(number, cause)
	case parsed.Answer.Text != "" && parsed.Answer.Pieces != nil:
		return t.damagedError(number, errors.New("the answer has both text and pieces"))
	case !slices.Contains(validFinishes, parsed.Answer.Finish):
		return t.damagedError(number, fmt.Errorf("unknown finish %q of the answer", parsed.Answer.Finish))
	}
	e := &entry{
		question: question{
			step: parsed.Step, system: system, messages: parsed.Asked.Messages, schema: parsed.Asked.Schema,
		},
		model: parsed.Model, date: parsed.Date, answer: *parsed.Answer, line: number,
	}
	e.digest = e.question.digestText()
	if e.digest != parsed.Hash {
		return t.damagedError(number, errors.New("the question does not match its hash"))
	}
	t.addEntry(e)
	return nil
}

func lineOf(e *entry) line {
	question := &questionLine{Messages: e.question.messages, Schema: e.question.schema}
	if e.question.system != "" {
		question.System = shortHash(e.question.system)
	}
	return line{Step: e.question.step, Model: e.model, Date: e.date, Hash: e.digest, Asked: question, Answer: &e.answer}
}

func encodeLine(l line) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // for readability
	if err := encoder.Encode(l); err != nil {
		return nil, fmt.Errorf("encoding a line of a recording: %w", err)
	}
	if out.Len() > maxLine+1 {
		return nil, fmt.Errorf("the question and its answer are longer than %d bytes", maxLine)
	}
	return out.Bytes(), nil
}

// ErrBusy means that another recorder uses the file.
var ErrBusy = errors.New("another process is recording to this file: wait until it ends, or use another file")

// lockFile locks a separate file, because some systems do not allow reading a locked file.
func lockFile(path string) (unlock func(), err error) {
	for {
		if err := atomicfile.CheckNew(path + ".lock"); err != nil {
			return nil, fmt.Errorf("starting the recording %s: %w", path, err)
		}
		lock := flock.New(path+".lock", flock.SetPermissions(0o600))
		locked, err := lock.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("starting the recording %s: %w", path, dropPath(err))
		case !locked:
			return nil, fmt.Errorf("%s: %w", path, ErrBusy)
		case isAtPath(lock):
			return func() { releaseLock(lock) }, nil
		}
		// The previous owner has just removed the lock file.
		_ = lock.Close()
	}
}

// isAtPath reports whether lock is still at its path. Another process could lock a replacement.
func isAtPath(lock *flock.Flock) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	current, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(locked, current)
}

func releaseLock(lock *flock.Flock) {
	err := os.Remove(lock.Path()) // Some systems cannot remove an open file.
	_ = lock.Close()
	if err != nil {
		_ = os.Remove(lock.Path())
	}
}

// sortedText puts instructions before the first question with these instructions. Of several
// answers to a question, only the latest remains.
func (rec *Recorder) sortedText() ([]byte, error) {
	entries := rec.contents.copyEntries()
	slices.SortStableFunc(entries, compareEntries)
	old, err := atomicfile.Read(rec.contents.name)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	var out bytes.Buffer
	header, _, _ := bytes.Cut(old, []byte("\n")) // with the date of the first recording
	out.Write(header)
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

func compareEntries(a, b *entry) int {
	for i := range min(len(a.question.messages), len(b.question.messages)) {
		m, n := a.question.messages[i], b.question.messages[i]
		if c := cmp.Or(strings.Compare(m.Text, n.Text), strings.Compare(m.Role, n.Role)); c != 0 {
			return c
		}
	}
	return cmp.Or(
		len(a.question.messages)-len(b.question.messages),
		strings.Compare(a.question.step, b.question.step),
		strings.Compare(a.digest, b.digest),
		strings.Compare(a.model, b.model),
	)
}
