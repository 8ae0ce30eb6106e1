package plaintext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/plaintext"
)

func joinPieces(t *testing.T, pieces ...string) string {
	t.Helper()
	var out strings.Builder
	var joiner plaintext.PieceJoiner
	for _, raw := range pieces {
		var piece plaintext.Piece
		assert.NoError(t, json.Unmarshal([]byte(raw), &piece), raw)
		out.WriteString(joiner.JoinPiece(piece))
	}
	out.WriteString(joiner.ReleaseHeld())
	return out.String()
}

// TestPiecesJoin: halves of a character in two pieces are joined, and lone halves are replaced.
func TestPiecesJoin(t *testing.T) {
	for _, c := range []struct {
		want   string
		pieces []string
	}{
		{"a😀b", []string{`"a\ud83d"`, `"\ude00b"`}},
		{"a😀b", []string{`"a\uD83D"`, `""`, `"\uDE00b"`}},
		{"a😀b", []string{`"a\ud83d\ude00b"`}},
		{"😀😀", []string{`"\ud83d"`, `"\ude00\ud83d"`, `"\ude00"`}},
		{"😀", []string{"\"\xf0\x9f\"", "\"\x98\x80\""}},
		{"é!", []string{"\"\xc3\"", "\"\xa9!\""}},
		{"a\ufffd", []string{`"a\ud83d"`}},
		{"a\ufffdb", []string{`"a\ud83d"`, `"b"`}},
		{"\ufffdb", []string{`"\ude00b"`}},
		{"\ufffd😀", []string{`"\ud83d"`, `"\ud83d\ude00"`}},
		{"\ufffd\ufffd", []string{"\"\xf0\x9f\""}},
		{"\"\\/\b\f\n\r\t\u00e9\u2028\ufffdx", []string{`"\"\\\/\b\f\n\r\t\u00e9\u2028\udc00x"`}},
		{"plain", []string{`"pl"`, `null`, `"ain"`}},
		{`\ud83d`, []string{`"\\ud83d"`}},
	} {
		assert.Equal(t, joinPieces(t, c.pieces...), c.want, c.pieces)
	}
	assert.True(t, json.Unmarshal([]byte(`7`), new(plaintext.Piece)) != nil, "a number is a text")
}

// FuzzPieces: a text that encoding/json reads gives the same result in one piece and cut anywhere.
func FuzzPieces(f *testing.F) {
	f.Add("a😀é\u2028\"\\", 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		text = strings.ToValidUTF8(text, "")
		whole := assert.Value(json.Marshal(text))(t)
		at := 0
		if text != "" {
			at = max(cut, -cut, 0) % len(text)
		}
		first, second := `"`+escapeBytes(text[:at])+`"`, `"`+escapeBytes(text[at:])+`"`
		assert.Equal(t, joinPieces(t, string(whole)), text)
		got := joinPieces(t, first, second)
		assert.True(t, got == text && utf8.ValidString(got), "%q cut at %d is %q", text, at, got)
	})
}

func escapeBytes(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if text[i] < ' ' || text[i] == '"' || text[i] == '\\' {
			quoted, _ := json.Marshal(string(text[i]))
			out.Write(quoted[1 : len(quoted)-1])
			continue
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
