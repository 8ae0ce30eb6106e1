package repair

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// saysSentence is what is wrong with a sentence in brackets that has braces in it.
const saysSentence = "a text with {{ in it needs quotes around it, the parts at its commas too if it is one text"

// lookForSentence finds a text in a list in brackets that has a placeholder in it and may
// have a comma too: "Come in, {{player_name}}, and sit." Where only some of the list's commas
// seem to be within a text, the writer may mean anything.
func (y *yamlText) lookForSentence(from, end int) bool {
	runs := y.listRuns(from, end)
	if !slices.ContainsFunc(runs, textRun.needsWhole) {
		return false
	}
	var right strings.Builder
	done := runs[0].at
	for _, run := range runs {
		if run.needsWhole() || run.hasBraces() {
			right.WriteString(y.text[done:run.at] + Quote(run.text))
			done = run.at + len(run.text)
		}
	}
	start, last := runs[0].at, runs[len(runs)-1]
	until := last.at + len(last.text)
	right.WriteString(y.text[done:until])
	y.add(Mistake{At: start, Until: until, Start: start, End: until, Right: right.String(), Unsure: len(runs) > 1 || !runs[0].isSentence(), Says: saysSentence})
	return true
}

// textRun is what may be one text of a list in brackets: its parts follow each other with
// commas that may belong to it.
type textRun struct {
	at    int
	text  string
	parts []string
}

// listRuns returns the runs of a list in brackets.
func (y *yamlText) listRuns(from, end int) []textRun {
	var runs []textRun
	for from < end && len(runs) < mostTried {
		to := from + partEnd(y.text[from:end], false)
		at := y.skipBlanks(from, to)
		part := strings.TrimRight(y.text[at:to], " \t")
		if last := len(runs) - 1; last >= 0 && runs[last].goesOn(part) {
			runs[last].parts = append(runs[last].parts, part)
			runs[last].text = y.text[runs[last].at : at+len(part)]
		} else {
			runs = append(runs, textRun{at, part, []string{part}})
		}
		from = to + 1
	}
	return runs
}

// isPlainPart reports whether a part of a list is a text without quotes around it.
func isPlainPart(part string) bool {
	return part != "" && (strings.IndexByte("\"'[{", part[0]) < 0 || strings.HasPrefix(part, "{{"))
}

// goesOn reports whether a part behind a run may belong to its text: a text that has not
// ended, and words that do not begin one.
func (r textRun) goesOn(part string) bool {
	last := r.parts[len(r.parts)-1]
	return isPlainPart(last) && isPlainPart(part) && !endsSentence(last) && (beginsSmall(part) || strings.HasPrefix(part, "{{"))
}

func endsSentence(text string) bool { return strings.ContainsAny(text[len(text)-1:], ".!?") }

func beginsSmall(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r) || strings.HasPrefix(text, "I ") || strings.HasPrefix(text, "I'")
}

func (r textRun) hasBraces() bool { return isPlainPart(r.text) && strings.ContainsAny(r.text, "{}") }

// needsWhole reports whether a run has commas and braces, so that quotes around one of its
// parts might break a text.
func (r textRun) needsWhole() bool { return len(r.parts) > 1 && r.hasBraces() }

// isSentence reports whether a run can only be one text: it ends as a sentence does, or continues
// in small letters after a capital one, or addresses the player. A run that begins with a
// placeholder and a comma addresses someone only if the placeholder is the player.
func (r textRun) isSentence() bool {
	first, ends := r.parts[0], endsSentence(r.text)
	if strings.HasPrefix(first, "{{") && bracketEnd(first) == len(first) {
		return ends && first == addressed
	}
	begin, _ := utf8.DecodeRuneInString(first)
	addresses := func(part string) bool { return beginsSmall(part) || strings.HasPrefix(part, addressed) }
	return ends || unicode.IsUpper(begin) && slices.ContainsFunc(r.parts[1:], addresses)
}

// addressed is the placeholder with which a character addresses the player.
const addressed = "{{player_name}}"
