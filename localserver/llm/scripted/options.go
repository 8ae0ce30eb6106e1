package scripted

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/plaintext"
)

// maxOptionWords limits the words of an option, without its article. A plain "A or B" has one less.
const maxOptionWords = 3

// quotation matches quoted text. Single marks must not be apostrophes.
var quotation = plaintext.Pattern(`"([^"]+)"|“([^”]+)”|„([^“]+)“|«([^»]+)»|「([^」]+)」|(?:^|[^\pL'])'((?:[^']|'\pL)+)'`)

func quotedSpans(text string) []string {
	var out []string
	for _, match := range quotation().FindAllStringSubmatch(text, -1) {
		if span := strings.TrimSpace(strings.Join(match[1:], "")); span != "" {
			out = append(out, span)
		}
	}
	return out
}

// promptOptions returns the answers that a prompt lists in quotation marks, after "one of" or a
// colon, in brackets, or as "red, blue or green".
func (w *valueWords) promptOptions(prompt string) []string {
	if quoted := quotedSpans(prompt); len(quoted) > 1 {
		return quoted
	}
	for _, mark := range [...]string{"One of", "one of", ":", "("} {
		if at := strings.LastIndex(prompt, mark); at >= 0 {
			if options := w.splitOptions(strings.TrimLeft(prompt[at+len(mark):], ": "), true); len(options) > 0 {
				return options
			}
		}
	}
	for _, sentence := range splitSentences(prompt) {
		if options := w.splitOptions(sentence, false); len(options) > 0 {
			return options
		}
	}
	return nil
}

// splitOptions returns the options in a list. Unless marked is true, the list must contain a word
// such as "or".
func (w *valueWords) splitOptions(list string, marked bool) []string {
	if end := strings.IndexAny(list, ".;)?!"); end >= 0 {
		list = list[:end]
	}
	most, parts := maxOptionWords, []string{""}
	if !marked && !strings.Contains(list, ",") {
		most--
	}
	for _, word := range strings.Fields(list) {
		if bare := intent.Fold(word); w.Or.has(bare) {
			marked, parts = true, append(parts, "")
			continue
		}
		last := len(parts) - 1
		parts[last] += " " + strings.Trim(word, "¿,")
		if strings.HasSuffix(word, ",") {
			parts = append(parts, "")
		}
	}
	var options []string
	for _, part := range slices.Backward(parts) {
		words := strings.Fields(part)
		if len(words) > 1 && w.Articles.has(bareFolded(words[0])) {
			words = words[1:]
		}
		if len(words) > most {
			break
		}
		if len(words) > 0 {
			options = slices.Insert(options, 0, strings.Join(words, " "))
		}
	}
	if !marked || len(options) < 2 {
		return nil
	}
	return options
}

// namedOption returns the last option that a text mentions without denying it ("not the red one").
// A yes or no ends the search.
func (w *valueWords) namedOption(options []string, text string) string {
	best := ""
	for _, clause := range splitClauses(strings.ReplaceAll(text, ". ", ", ")) {
		words := intent.Words(clause)
		for i, word := range words {
			denied := slices.ContainsFunc(words[max(0, i-3):i], func(before string) bool { return w.Denying.has(before) })
			option := w.optionOf(word, options)
			if denied || option == "" {
				continue
			}
			if best = option; w.Yes.has(word) || w.No.has(word) {
				return best
			}
		}
	}
	return best
}

func (w *valueWords) optionOf(word string, options []string) string {
	found, count := "", 0
	for _, option := range options {
		switch folded := intent.Fold(option); {
		case folded == word, w.Yes.has(folded) && w.Yes.has(word), w.No.has(folded) && w.No.has(word):
			return option
		case slices.ContainsFunc(intent.Words(option), func(of string) bool { return isSameWord(word, of) && !w.Articles.has(of) }):
			found, count = option, count+1
		}
	}
	if count > 1 {
		return ""
	}
	return found
}

func isSameWord(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	ending, found := strings.CutPrefix(a, b)
	return found && (ending == "" || len(b) > 2 && slices.Contains([]string{"s", "es", "e", "en", "er", "em"}, ending))
}
