package plaintext

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Piece is a part of a streamed text, decoded from a JSON string. A sender may split the text
// between the halves of a surrogate pair or between bytes of a rune. Unlike encoding/json, Piece
// preserves such halves.
type Piece string

// UnmarshalJSON decodes a JSON string. The value null leaves the piece unchanged.
func (p *Piece) UnmarshalJSON(data []byte) error {
	text := string(data)
	hasSurrogate := strings.Contains(strings.ToLower(text), `\ud`)
	if !strings.HasPrefix(text, `"`) || utf8.ValidString(text) && !hasSurrogate {
		return json.Unmarshal(data, (*string)(p))
	}
	var out strings.Builder
	for rest := text[1 : len(text)-1]; rest != ""; {
		plain, escape, found := strings.Cut(rest, `\`)
		out.WriteString(plain)
		if !found {
			break
		}
		rest = writeEscape(&out, escape)
	}
	*p = Piece(out.String())
	return nil
}

var escapes = strings.NewReplacer("b", "\b", "f", "\f", "n", "\n", "r", "\r", "t", "\t")

// writeEscape expects valid JSON after a backslash.
func writeEscape(out *strings.Builder, text string) (rest string) {
	if text[0] != 'u' {
		out.WriteString(escapes.Replace(text[:1]))
		return text[1:]
	}
	unit, rest := readUnit(text), text[5:]
	if strings.HasPrefix(rest, `\u`) {
		if r := utf16.DecodeRune(unit, readUnit(rest[1:])); r != utf8.RuneError {
			out.WriteRune(r)
			return rest[6:]
		}
	}
	if utf16.IsSurrogate(unit) {
		// Encode half of a surrogate pair in three bytes (WTF-8).
		out.Write([]byte{0xE0 | byte(unit>>12&0x0F), 0x80 | byte(unit>>6&0x3F), 0x80 | byte(unit&0x3F)})
		return rest
	}
	out.WriteRune(unit)
	return rest
}

func readUnit(text string) rune {
	unit, _ := strconv.ParseUint(text[1:5], 16, 16)
	return rune(unit)
}

// PieceJoiner joins pieces to a text and replaces incomplete runes with U+FFFD. The zero
// PieceJoiner is ready to use.
type PieceJoiner struct{ held string }

// JoinPiece appends a piece and returns the complete text. Half a rune at the end stays in the
// buffer until the next call.
func (j *PieceJoiner) JoinPiece(piece Piece) string {
	text := j.held + string(piece)
	end := len(text) - halfLength(text)
	j.held = text[end:]
	return joinHalves(text[:end])
}

// ReleaseHeld returns and clears the rest of the buffer.
func (j *PieceJoiner) ReleaseHeld() string {
	text := joinHalves(j.held)
	j.held = ""
	return text
}

func halfLength(text string) int {
	if n := len(text); n >= 3 && isHalf(text[n-3:], 0xA0) {
		return 3
	}
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		last := text[len(text)-n:]
		switch {
		case !utf8.RuneStart(last[0]):
			continue
		case utf8.FullRuneInString(last):
			return 0
		}
		return n
	}
	return 0
}

// isHalf reports whether text starts with half of a surrogate pair. The byte second is 0xA0 for the
// first half and 0xB0 for the second half.
func isHalf(text string, second byte) bool {
	return len(text) >= 3 && text[0] == 0xED && text[1]&0xF0 == second && text[2]&0xC0 == 0x80
}

func joinHalves(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for text != "" {
		size := 1
		switch r, n := utf8.DecodeRuneInString(text); {
		case r != utf8.RuneError || n > 1:
			size = n
			out.WriteString(text[:n])
		case isHalf(text, 0xA0) && isHalf(text[3:], 0xB0):
			size = 6
			out.WriteRune(utf16.DecodeRune(halfUnit(text), halfUnit(text[3:])))
		default:
			if isHalf(text, 0xA0) || isHalf(text, 0xB0) {
				size = 3
			}
			out.WriteRune(utf8.RuneError)
		}
		text = text[size:]
	}
	return out.String()
}

func halfUnit(text string) rune {
	return rune(text[0]&0x0F)<<12 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F)
}
