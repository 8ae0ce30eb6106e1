package cassette

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/atomicfile"
)

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
