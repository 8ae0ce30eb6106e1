package intent

import (
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Span is a part of a message: speech, an action or a quotation.
type Span struct {
	Text   string
	Action bool // between asterisks, underscores or brackets
	Quoted bool // between quotation marks within other text
}

// maxSpan is the maximum size of an action or a quotation, in bytes. A longer one is speech.
const maxSpan = 1000

// spanPattern matches actions and, from group firstQuotation on, quotations.
var spanPattern = plaintext.Pattern(`\*\*([^\n*]+)\*\*|\*([^\n*]+)\*|_([^\n_]+)_|\(([^\n)]+)\)|\[([^\n\]]+)\]|"([^\n"]+)"|“([^\n”]+)”|„([^\n“]+)“|«([^\n»]+)»`)

// firstQuotation is the number of the first group of spanPattern for a quotation.
const firstQuotation = 6

// SplitSpans splits a message into speech, actions (*nods*, **nods**, _nods_, (nods), [nods]) and
// quotations. A message that is quoted as a whole is speech.
func SplitSpans(message string) []Span {
	var out []Span
	start := 0
	addSaid := func(end int) {
		if strings.TrimSpace(message[start:end]) != "" {
			out = append(out, Span{Text: message[start:end]})
		}
	}
	for _, found := range spanPattern().FindAllStringSubmatchIndex(message, -1) {
		from, to := found[0], found[1]
		if to-from > maxSpan || from > 0 && isWordByte(message[from-1]) {
			continue
		}
		addSaid(from)
		for group := 1; 2*group < len(found); group++ {
			if found[2*group] >= 0 {
				quoted := group >= firstQuotation
				out = append(out, Span{Text: message[found[2*group]:found[2*group+1]], Action: !quoted, Quoted: quoted})
			}
		}
		start = to
	}
	addSaid(len(message))
	if len(out) == 1 {
		out[0].Quoted = false
	}
	return out
}

func isWordByte(b byte) bool {
	return b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}
