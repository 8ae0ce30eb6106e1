package lint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

const advised = 16_000 // characters, about 4,000 tokens with every message

var promptTooLong = Check{
	Name: "prompt-too-long", Severity: Warning, wording: true, mean: findLong,
	Summary: "A prompt over 16,000 characters makes every message slow and expensive.",
	Why: "A prompt is sent with each message: about 4,000 tokens a turn. Models also follow short prompts " +
		"better. Keep the description of the character, and move scenes to prompt_instruction of their states.",
}

func findLong(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		if !t.template || len(t.value) <= advised {
			continue
		}
		if n := utf8.RuneCountInString(t.value); n > advised && n <= t.limit {
			report(t.pathOf(), "the text has %d characters, about %d tokens with every message; more than %d is slow and "+
				"expensive; move parts of it into the states that need them",
				n, n/4, advised)
		}
	}
}

var promptEmpty = Check{
	Name: "prompt-empty", Severity: Warning, wording: true, mean: findBlank,
	Summary: "A prompt, line or example contains only spaces.",
	Why: "An empty line is an empty reply, and an empty example never matches. Write the text or remove " +
		"the entry.",
	Good: "redirect: [\"State your business.\"]", Bad: "redirect: [\"State your business.\", \"\"]",
}

func findBlank(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		if (t.template || t.spoken) && !t.mustSay && strings.TrimSpace(t.value) == "" {
			report(t.pathOf(), "this text is blank; write one or remove it")
		}
	}
}

var todoLeft = Check{
	Name: "todo-left", Severity: Warning, wording: true, mean: findTodo,
	Summary: "A note or placeholder text was left in.",
	Why: "Models and players get prompts and lines unchanged, so a character may quote \"TODO: make him " +
		"sad\". Write the text. Put notes into YAML comments or members that begin with x-.",
	Good: "label: Inside the walls", Bad: "label: 'TODO: a better name'",
}

func findTodo(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		if note := findLeftover(t.value); note != "" {
			offset := strings.Index(t.value, note)
			report(t.pathOf(), "%q is still in this text; write the final text, or move the note into a comment", clip(note)).
				markPiece(offset, offset+len(note))
		}
	}
}

// leftover matches an author's note ("TODO: names", "[TODO add names]") or an unfilled gap ("<your
// text>").
var leftover = plaintext.Pattern(`\b(TODO|FIXME|XXX|TBD):` +
	`|(?:^|[\r\n(\[<*#-])[ \t]*(TODO|FIXME|XXX|TBD)(?:$|[(\r\n)\]>.]| [a-z])` +
	`|(<(?i:your|insert|enter|describe|placeholder) [^>\n]{0,80}>|\[(?i:insert) [^\]\n]{0,80}\]|(?i:lorem ipsum))`)

// findLeftover searches for parts of the words first, because the pattern is slow.
func findLeftover(text string) string {
	for _, part := range []string{"TODO", "FIXME", "XXX", "TBD", "<", "[", "psum", "PSUM"} {
		if strings.Contains(text, part) {
			m := leftover().FindStringSubmatch(text)
			return strings.Join(m[min(1, len(m)):], "") // one group matched
		}
	}
	return ""
}

var placeholderMalformed = Check{
	Name: "placeholder-malformed", Severity: Warning, wording: true, mean: findMalformed,
	Summary: "A placeholder needs two braces on both sides.",
	Why:     "{player_name} is not replaced, so players see it. Write {{player_name}}.",
	Good:    "Good evening, {{player_name}}.", Bad: "Good evening, {player_name}.",
}

func findMalformed(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		if !t.template || !strings.Contains(t.value, "{") {
			continue
		}
		if bad, right := findBadBraces(t.value, s.variableTable()); bad.name != "" {
			report(t.pathOf(), "{%s} needs two braces on both sides: {{%s}}", bad.name, bad.name).
				markPiece(bad.from, bad.to).
				offerValue(t.pathOf(), func() string { return right })
		}
	}
}

type bracedName struct {
	name     string
	from, to int
}

var braces = plaintext.Pattern(`\{+([^{}\r\n]*)\}+`)

func findBadBraces(text string, variables *personas.VariableTable) (first bracedName, right string) {
	var out strings.Builder
	end := 0
	for _, m := range braces().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[0], m[1]
		before, right := m[2]-from, to-m[3]
		name := strings.TrimSpace(text[m[2]:m[3]])
		if min(before, right) != 1 || max(before, right) > 2 || !variables.Knows(name) {
			continue
		}
		out.WriteString(text[end:from] + "{{" + name + "}}")
		end = to
		if first.name == "" {
			first = bracedName{name, from, to}
		}
	}
	return first, out.String() + text[end:]
}

var placeholderNotExpanded = Check{
	Name: "placeholder-not-expanded", Severity: Warning, wording: true, mean: findUnexpanded,
	Summary: "Placeholders work in prompts, conditions and lines, not in names, descriptions, examples or values.",
	Why: "Names and descriptions are shown before anybody plays, and values are not expanded again, so " +
		"players see the braces. In an example they match nothing. Write the text without the " +
		"placeholder.",
	Good: "label: Inside the walls", Bad: "label: Inside, {{player_name}}",
}

func findUnexpanded(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		if t.template || t.member == "key" || !strings.Contains(t.value, "{{") {
			continue
		}
		for _, x := range personas.Placeholders(t.value) {
			if s.variableTable().Knows(x.Name) {
				finding := report(t.pathOf(), "{{%s}} is not replaced here: placeholders work in prompts, conditions and "+
					"offline lines; write this text without it", x.Name)
				finding.markPiece(x.Offset, x.End())
				break
			}
		}
	}
}

var hiddenCharacter = Check{
	Name: "hidden-character", Severity: Warning, wording: true, mean: findHidden,
	Summary: "A name or text contains an invisible or direction-changing character.",
	Why: "Such characters make equal names differ, reverse lists and logs, or hide from reviewers what a " +
		"model reads. They usually come from copied text. Remove them. Marks that Arabic, Hebrew and " +
		"emoji need are not reported.",
	Good: "label: Inside the walls", Bad: "label: \"Inside\\u202e the walls\"",
}

func findHidden(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		isHidden := hiddenIn(t.value, t.member == "name" || t.member == "label" || t.member == "key")
		offset := strings.IndexFunc(t.value, isHidden)
		if offset < 0 {
			continue
		}
		r, size := utf8.DecodeRuneInString(t.value[offset:])
		report(t.pathOf(), "this text contains the character U+%04X, which is invisible; remove it", r).
			markPiece(offset, offset+size).
			offerValue(t.pathOf(), func() string { return removeHidden(t.value, isHidden) })
	}
}

func hiddenIn(text string, isName bool) func(rune) bool {
	rightToLeft := strings.ContainsFunc(text, func(r rune) bool {
		const firstOfHebrew = 0x590 // the first of these scripts
		return r >= firstOfHebrew &&
			unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
	})
	return func(r rune) bool {
		switch {
		case r >= ' ' && r < 0x7f:
			return false
		case r == '\n' || r == '\t' || r == '\r':
			return isName
		case unicode.Is(unicode.Cc, r), r >= '\u202a' && r <= '\u202e':
			return true
		case r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c':
			return !rightToLeft
		case r == '\u200b', r == '\u2060', r == '\ufeff', r == '\u2028', r == '\u2029', r == '\u00ad':
			return isName
		}
		return r >= 0xe0000 && r <= 0xe007f && isName
	}
}

func removeHidden(text string, isHidden func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case !isHidden(r):
			return r
		case strings.ContainsRune("\n\r\t", r):
			return ' '
		}
		return -1
	}, text)
}
