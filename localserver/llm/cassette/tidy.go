package cassette

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// tidyFile rewrites the file in sorted order. It replaces the old file atomically.
func (rec *Recorder) tidyFile() error {
	text, err := rec.sortedText()
	if err != nil {
		return err
	}
	if err := atomicfile.Rewrite(rec.contents.name, text); err != nil {
		return fmt.Errorf("the recording %s is complete, but could not be sorted: %w", rec.contents.name, err)
	}
	return nil
}

// sortedText returns the sorted text of the cassette. Instructions precede the first question that
// uses them. If a model has answered the same question several times, only the latest answer
// remains, because only that answer would be replayed.
func (rec *Recorder) sortedText() ([]byte, error) {
	entries := rec.contents.copyEntries()
	slices.SortStableFunc(entries, compareEntries)
	head, err := rec.existingHead()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(head)
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

// existingHead returns the first line of the file unchanged, because it contains the date of the
// first recording.
func (rec *Recorder) existingHead() ([]byte, error) {
	text, err := atomicfile.Read(rec.contents.name)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	head, _, _ := bytes.Cut(text, []byte("\n"))
	return append(slices.Clone(head), '\n'), nil
}

// compareEntries orders entries by their messages, so that the entries of a conversation are in
// order. Within a turn it orders them by step.
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
