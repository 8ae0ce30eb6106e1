package intent

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// denials turn a text into its contrary. Only the first denial that matches is applied, once.
var denials = []struct {
	said *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`(?i)\b(I|we) (can|will|would|could|should|must)\b( not)?`), "$1 $2 not"},
	{regexp.MustCompile(`(?i)\b(I'll|I will|we'll)\b`), "I won't"},
	{regexp.MustCompile(`(?i)\bI'?m (going to|gonna)\b`), "I'm not going to"},
	{regexp.MustCompile(`(?i)\b(I'm|I am|im)\b`), "I'm not"},
	{regexp.MustCompile(`(?i)\b(I was|we were)\b`), "$1 never"},
	{regexp.MustCompile(`(?i)\b(I've|I have) (got )?(a|an|the|my|some|two|three)\b`), "I don't have $3"},
	{regexp.MustCompile(`(?i)\b(I've|I have|I had)\b`), "I have never"},
	{regexp.MustCompile(`(?i)\b(I|we) (know|want|need|like|love|bring|give|take|offer|promise|think|believe|see|work|live|come|help|pay|agree|hear|remember|swear|trust|look|put|go|make|ask|say|tell|try|hope|wish|feel|check|open|close|hold|use|stay|leave|listen|wait|carry|sing|write|read|play|eat|drink|keep|call|send|turn)\b`), "$1 don't $2"},
	{regexp.MustCompile(`(?i)\b(I|we) (was|were|did|made|gave|took|brought|saw|heard|knew|had|got|came|went|told|lost|broke|forgot|found|felt|left|put|\w+ed)\b`), "$1 never $2"},
	{regexp.MustCompile(`(?i)\b(it's|it is|that's|that is|this is|he is|she is|he's|she's|they are|there is|there's)\b`), "$1 not"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were|has|can|will)\b`), "$1 not"},
	{regexp.MustCompile(`(?i)^(my|the|a|an|some|one|two|three) `), "not $1 "},
}

var hasDenial = regexp.MustCompile(`(?i)\b(not|no|never|nothing|nobody|none|neither|nor|without|cannot|cant|dont|wont|didnt|isnt)\b|n't\b|n’t\b`)

// denied returns the contrary of an English text. It returns "" for a denial, a question, several
// sentences or more than 12 words, and if no rule matches.
func denied(text string) string {
	text = strings.TrimSpace(text)
	if hasDenial.MatchString(text) || strings.ContainsAny(text, "?*\n") || len(splitForDenial(text)) > 1 || len(strings.Fields(text)) > 12 {
		return ""
	}
	for _, d := range denials {
		if at := d.said.FindStringIndex(text); at != nil {
			return text[:at[0]] + d.said.ReplaceAllString(text[at[0]:at[1]], d.by) + text[at[1]:]
		}
	}
	return ""
}

func splitForDenial(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == '!' || r == ';' || r == ',' }), func(s string) bool { return strings.TrimSpace(s) == "" })
}

// deniedWeight is the weight of the contrary of a line relative to a line, and deniedExample that
// of an author's example.
const deniedWeight, deniedExample = 0.4, 0.15

// refusalPattern matches a contrary that may be a rejection. All other contraries are insufficient.
var refusalPattern = regexp.MustCompile(`(?i)\b(won't|wont|will not|not going to|would not|don't (want|like|care|give|tell|promise|swear|agree|trust|help|pay))\b`)

type contraryLine struct {
	at     Place
	text   string
	weight float64
}

func listContraries(t testing.TB, name string) []contraryLine {
	var out []contraryLine
	add := func(at Place, said, decision string, weight float64) {
		if text := denied(said); decision == "pass" && text != "" {
			out = append(out, contraryLine{at, text, weight})
		}
	}
	for _, l := range readCorpus(t, name) {
		add(l.Place, l.Text, l.Label, deniedWeight)
	}
	eachExample(t, name, func(at Place, say, decision, _ string) { add(at, say, decision, deniedExample) })
	return out
}

// deniedSamples returns the contraries of a persona as samples. For each of them a redirect, a
// follow-up or an aside is right, and for a refusal also a reject.
func deniedSamples(t testing.TB, r *Reader, group int, name string) []sample {
	var out []sample
	for _, c := range listContraries(t, name) {
		out = append(out, newDeniedSample(r, group, c))
	}
	return out
}

func newDeniedSample(r *Reader, group int, of contraryLine) sample {
	m := r.measure(r.prepare(&of.at), of.text, "")
	s := sample{group: group, m: m, right: make([]bool, len(m.features)), weight: of.weight}
	for k, c := range m.state.choices {
		s.right[k] = c.kind == redirect || c.kind == followUp || c.kind == aside || c.kind == reject && refusalPattern.MatchString(of.text)
	}
	return s
}
