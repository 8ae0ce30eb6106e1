package card

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

var decorator = plaintext.Pattern(`^@@@?([a-z_]+)[ \t]*(.*)$`)

// Some programs mark all keywords as regular expressions. A marked keyword counts only if
// hasPattern matches.
var (
	isPattern  = plaintext.Pattern(`^/.+/[a-z]*$`)
	hasPattern = plaintext.Pattern(`[\\^$.|?*+()\[\]{}]`)
)

func (v *conversion) convertBook() []personas.Answer {
	var answers []personas.Answer
	order := make([]int, len(v.card.Book))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v.card.Book[a].Order, v.card.Book[b].Order) })
	for _, i := range order {
		place := fmt.Sprintf("data.character_book.entries[%d]", i)
		e, reason := v.convertEntry(&v.card.Book[i], place)
		switch {
		case reason != "":
			v.leave(place, "%s", reason)
		case e.always:
			v.constants = append(v.constants, e.content)
		default:
			answers = append(answers, personas.Answer{Ask: e.keys, Say: []string{e.content}})
			v.take(place, "an answer to its keys")
		}
	}
	return answers
}

type convertedEntry struct {
	keys    []string
	content string
	always  bool
}

func (v *conversion) convertEntry(entry *Entry, place string) (converted convertedEntry, reason string) {
	content, decorators := cutDecorators(entry.Content)
	converted.always = entry.Constant || slices.Contains(decorators, "activate")
	converted.content = clipPrompt(v.t.translate(content, place))
	patterns := 0
	for _, key := range entry.Keys {
		key = strings.TrimSpace(v.plain.translate(key, place))
		switch {
		case isPattern().MatchString(key) || entry.UseRegex && hasPattern().MatchString(key):
			patterns++
		case key != "" && len(converted.keys) < maxQuestions && !slices.Contains(converted.keys, key):
			converted.keys = append(converted.keys, clipKey(key))
		}
	}
	switch {
	case !entry.Enabled:
		return converted, "it is disabled"
	case converted.content == "":
		return converted, "it is empty"
	case slices.Contains(decorators, "dont_activate"):
		return converted, "its decorator @@dont_activate disables it"
	case converted.always:
		return converted, ""
	case len(converted.keys) == 0 && patterns > 0:
		return converted, "its keys are regular expressions"
	case len(converted.keys) == 0:
		return converted, "it has no keys"
	}
	if patterns > 0 {
		v.change(place, "regular expressions among its keys are left out (%d)", patterns)
	}
	if entry.Selective && len(entry.SecondaryKeys) > 0 {
		v.change(place, "its secondary keys are ignored: the keys alone are enough")
	}
	if len(decorators) > 0 {
		v.change(place, "its decorators are left out: @@%s", strings.Join(decorators, ", @@"))
	}
	return converted, ""
}

const maxQuestions = 50

func clipKey(key string) string {
	runes := []rune(key)
	return string(runes[:min(len(runes), maxKey)])
}

func cutDecorators(content string) (rest string, names []string) {
	rest = content
	for {
		line, after, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
		match := decorator().FindStringSubmatch(strings.TrimSpace(line))
		if match == nil {
			return rest, names
		}
		names, rest = append(names, match[1]), after
	}
}

const maxExamples = 50

func (v *conversion) convertExamples() []personas.Answer {
	var answers []personas.Answer
	quiet, plain := *v.t, newPlainTranslator(v.plain.char)
	quiet.changes = nil // Changes in the examples were reported with the prompt.
	for _, e := range v.readDialogue(v.card.ExampleMessages) {
		users := plain.users
		ask, say := plain.translate(e.question, ""), clipPrompt(quiet.translate(e.answer, ""))
		if ask == "" || say == "" || plain.users != users {
			continue
		}
		ask = clipKey(ask)
		isKnown := slices.ContainsFunc(answers, func(a personas.Answer) bool { return a.Ask[0] == ask })
		if len(answers) < maxExamples && !isKnown {
			answers = append(answers, personas.Answer{Ask: []string{ask}, Say: []string{say}})
		}
	}
	if len(answers) > 0 {
		v.take("data.mes_example", "%s besides", countThings(len(answers), "answer"))
	}
	return answers
}

var speaker = plaintext.Pattern(`(?i)^\s*(\{\{\s*(?:user|char|bot)\s*\}\}|<(?:user|bot|char)>)\s*:\s*(.*)$`)

type exchange struct{ question, answer string }

func (v *conversion) readDialogue(text string) []exchange {
	var all []exchange
	var question, answer strings.Builder
	var current *strings.Builder
	flush := func() {
		now := exchange{strings.TrimSpace(question.String()), strings.TrimSpace(answer.String())}
		if now != (exchange{}) {
			all = append(all, now)
		}
		question.Reset()
		answer.Reset()
		current = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		role, words := v.findSpeaker(strings.TrimSpace(line))
		switch {
		case strings.EqualFold(words, "<start>"):
			flush()
			continue
		case role == "user":
			if answer.Len() > 0 {
				flush()
			}
			current = &question
		case role == "char":
			current = &answer
		}
		if current != nil {
			current.WriteString(words + "\n")
		}
	}
	flush()
	return all
}

func (v *conversion) findSpeaker(line string) (role, words string) {
	if match := speaker().FindStringSubmatch(line); match != nil {
		if strings.Contains(strings.ToLower(match[1]), "user") {
			return "user", match[2]
		}
		return "char", match[2]
	}
	if rest, ok := strings.CutPrefix(line, v.name+":"); ok {
		return "char", strings.TrimSpace(rest)
	}
	return "", line
}
