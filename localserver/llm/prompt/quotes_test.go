package prompt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

// dropPlainly is a simple implementation of dropQuotations.
func dropPlainly(text string) string {
	var out strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if ends := quotes[r]; ends != "" {
			inside := text[size:min(len(text), size+maxQuoted)]
			if end := strings.IndexAny(inside, ends); end > 0 {
				_, last := utf8.DecodeRuneInString(inside[end:])
				out.WriteString(cutMark)
				text = text[size+end+last:]
				continue
			}
		}
		out.WriteString(text[:size])
		text = text[size:]
	}
	return out.String()
}

func TestQuotationsAreDroppedAsPlainly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"“", "”", "„", "\"", "«", "»", "「", "」", "a", "ü", strings.Repeat("b", 990), strings.Repeat("c", maxQuoted-1)})
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "text"), "")
		assert.Equal(t, dropQuotations(text), dropPlainly(text), text)
	})
}

// For many opening quotation marks without a closing one, a single search finds that it is missing.
func TestOpenQuotationsAreLookedForOnce(t *testing.T) {
	text, known := strings.Repeat("“", 64_000), map[string]int{}
	for at := 0; at < len(text); at += len("“") {
		end := findEnd(text, at, "”", known)
		assert.Must(t, end == len(text) && known["”"] == len(text), "at %d: %d, and %v is remembered", at, end, known)
	}
	assert.Equal(t, dropQuotations(text), text, "something was dropped")
}
