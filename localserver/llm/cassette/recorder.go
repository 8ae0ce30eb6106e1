// Package cassette records the answers of model providers in a file, called a cassette. It replays
// the answers without a network or a key. A cassette never contains a key or a failed answer.
package cassette

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// Recorder records the answers of wrapped askers. It is safe for concurrent use. Only one Recorder
// at a time can use a file.
type Recorder struct {
	options Options
	scrub   scrubber
	unlock  func()

	mu       sync.Mutex
	contents *cassetteFile
	file     *os.File
	size     int64
	added    int
	pending  map[pendingQuestion]chan struct{}
	failed   error // stopped the recording
}

var errClosed = errors.New("the recording was closed")

// Open creates or continues a cassette. It removes an incomplete last line. It returns ErrBusy if
// another recorder uses the file.
func Open(path string, options Options) (*Recorder, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open the recording: %s is not a regular file", path)
	}
	unlock, err := lockFile(path)
	if err != nil {
		return nil, err
	}
	rec := &Recorder{
		options: options, scrub: newScrubber(options.Secrets), unlock: unlock,
		pending: map[pendingQuestion]chan struct{}{},
	}
	if err := rec.openFile(path); err != nil {
		unlock()
		return nil, err
	}
	return rec, nil
}

func (rec *Recorder) openFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the recording: %w", err)
	}
	rec.file, rec.contents = file, newCassetteFile(path)
	if err = rec.readExisting(path); err != nil {
		_ = file.Close()
		return err
	}
	atomicfile.NarrowRights(0o600, path)
	return nil
}

func (rec *Recorder) readExisting(path string) error {
	info, err := rec.file.Stat()
	if err != nil {
		return fmt.Errorf("open the recording: %w", err)
	}
	if info.Size() == 0 {
		head, err := encodeLine(line{Cassette: version, MadeBy: rec.options.MadeBy, Date: rec.options.dayText()})
		if err != nil {
			return err
		}
		return rec.writeLines(head)
	}
	if rec.contents, err = readFile(path); err != nil {
		return err
	}
	rec.size = int64(rec.contents.size)
	if rec.contents.torn != "" {
		if err := rec.file.Truncate(rec.size); err != nil {
			return fmt.Errorf("remove the incomplete last line of %s: %w", path, err)
		}
	}
	if rec.contents.open {
		return rec.writeLines([]byte("\n"))
	}
	return nil
}

func (rec *Recorder) writeLines(lines []byte) error {
	if _, err := rec.file.Write(lines); err != nil {
		_ = rec.file.Truncate(rec.size)
		return fmt.Errorf("write the recording %s: %w", rec.contents.name, dropPath(err))
	}
	rec.size += int64(len(lines))
	return nil
}

func dropPath(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// Wrap returns an asker that records the answers of asker. keys are additional secrets to mask.
// Requests that check a key are not recorded.
func (rec *Recorder) Wrap(asker provider.Asker, keys ...llm.Secret) provider.Asker {
	w := &recordingAsker{Asker: asker, recorder: rec, scrub: rec.scrub}
	if len(keys) > 0 {
		w.scrub = newScrubber(append(keys, rec.options.Secrets...))
	}
	return w
}

// Note returns a message for the user about an incomplete last line, or "".
func (rec *Recorder) Note() string { return rec.contents.torn }

// UnusedAnswers describes the unused answers with file and line.
func (rec *Recorder) UnusedAnswers() []string { return rec.contents.unusedEntries() }

// AddedCount returns the number of new answers.
func (rec *Recorder) AddedCount() int {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.added
}

// Close ends the recording and sorts the file by conversation. It returns the error of an answer
// that could not be recorded.
func (rec *Recorder) Close() error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if errors.Is(rec.failed, errClosed) {
		return nil
	}
	failed := rec.failed
	rec.failed = errClosed
	defer rec.unlock()
	if err := errors.Join(failed, rec.file.Sync(), rec.file.Close()); err != nil {
		return fmt.Errorf("ending the recording: %w", err)
	}
	if rec.added == 0 {
		return nil
	}
	text, err := rec.sortedText()
	if err != nil {
		return err
	}
	if err := atomicfile.Rewrite(rec.contents.name, text); err != nil {
		return fmt.Errorf("the recording %s is complete, but could not be sorted: %w", rec.contents.name, err)
	}
	return nil
}

func (rec *Recorder) writeEntry(e *entry) error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.failed != nil {
		return rec.failed
	}
	lines, err := linesOf(e, rec.contents.systems)
	if err != nil {
		return err
	}
	if rec.failed = rec.writeLines(lines); rec.failed != nil {
		return rec.failed
	}
	if e.question.system != "" {
		rec.contents.systems[shortHash(e.question.system)] = e.question.system
	}
	rec.added++
	rec.contents.addEntry(e)
	return nil
}

func linesOf(e *entry, systems map[string]string) ([]byte, error) {
	var lines []byte
	if name := shortHash(e.question.system); e.question.system != "" {
		if _, exists := systems[name]; !exists {
			text, err := encodeLine(line{System: name, Text: e.question.system})
			if err != nil {
				return nil, err
			}
			lines = text
		}
	}
	text, err := encodeLine(lineOf(e))
	if err != nil {
		return nil, err
	}
	return append(lines, text...), nil
}

// Options configures a Recorder.
type Options struct {
	// MadeBy is the name and version of the recording program, for example "parley 1.0.0".
	MadeBy string
	// Secrets are masked in the file in any encoding. Secrets under 8 bytes are ignored, because
	// they would mask ordinary words. Texts that look like keys are always masked.
	Secrets []llm.Secret
	// Now is the clock for the dates of answers. The default is time.Now.
	Now func() time.Time
}

func (o Options) dayText() string { return o.Now().UTC().Format(time.DateOnly) }

// Steps that are not recorded.
const (
	stepCheck   = "check"   // a key may become invalid
	stepPrepare = "prepare" // the answer is ignored
)
