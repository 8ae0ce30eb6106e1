package card

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// decorator is a line at the beginning of an entry's content that says when and where it is
// used: "@@depth 4".
var decorator = regexp.MustCompile(`^@@@?([a-z_]+)[ \t]*(.*)$`)

// isPattern reports whether a key is a regular expression between slashes.
var isPattern = regexp.MustCompile(`^/.+/[a-z]*$`)

// convertBook returns the answers that the lorebook makes, in the order of insertion. What
// the lorebook always says goes into the prompt.
func (v *conversion) convertBook() []personas.Answer {
	var answers []personas.Answer
	for _, i := range v.card.orderedEntries() {
		place := fmt.Sprintf("data.character_book.entries[%d]", i)
		e, why := v.convertEntry(&v.card.Book[i], place)
		switch {
		case why != "":
			v.leave(place, "%s", why)
		case e.always:
			v.constants = append(v.constants, e.content)
		default:
			answers = append(answers, personas.Answer{Ask: e.keys, Say: []string{e.content}})
			v.take(place, "an answer, asked by %s", quoteKeys(e.keys))
		}
	}
	return answers
}

// convertedEntry is what an entry of a lorebook becomes.
type convertedEntry struct {
	keys    []string
	content string
	always  bool
}

// convertEntry returns what an entry becomes, or why it becomes nothing.
func (v *conversion) convertEntry(e *Entry, place string) (made convertedEntry, why string) {
	content, decorators := cutDecorators(e.Content)
	made.content = clipPrompt(v.t.translate(content, place))
	made.always = e.Constant && !e.UseRegex || slices.Contains(decorators, "activate")
	patterns := 0
	for _, key := range e.Keys {
		key = strings.TrimSpace(v.plain.translate(key, place))
		switch {
		case e.UseRegex || isPattern.MatchString(key):
			patterns++
		case key != "" && len(made.keys) < maxQuestions && !slices.Contains(made.keys, key):
			made.keys = append(made.keys, clipKey(key))
		}
	}
	switch {
	case !e.Enabled:
		return made, "it is switched off"
	case made.content == "":
		return made, "it says nothing"
	case slices.Contains(decorators, "dont_activate") && !slices.Contains(decorators, "activate"):
		return made, "its decorator @@dont_activate switches it off"
	case made.always:
		return made, ""
	case len(made.keys) == 0 && patterns > 0:
		return made, "its keys are regular expressions"
	case len(made.keys) == 0:
		return made, "it has no keys"
	}
	if patterns > 0 {
		v.change(place, "%s that are regular expressions are left out", countThings(patterns, "key"))
	}
	if e.Selective && len(e.SecondaryKeys) > 0 {
		v.change(place, "its secondary keys are not asked for: the keys alone are enough")
	}
	if len(decorators) > 0 {
		v.change(place, "its decorators are left out: @@%s", strings.Join(decorators, ", @@"))
	}
	return made, ""
}

// maxQuestions is how many keys of an entry become questions.
const maxQuestions = 50

func clipKey(key string) string {
	runes := []rune(key)
	return string(runes[:min(len(runes), maxKey)])
}

// cutDecorators returns a content without the decorators at its beginning, and their names.
func cutDecorators(content string) (rest string, names []string) {
	rest = content
	for {
		line, after, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
		found := decorator.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			return rest, names
		}
		names, rest = append(names, found[1]), after
	}
}

func quoteKeys(keys []string) string {
	const shown = 3
	var quoted []string
	for _, key := range keys[:min(len(keys), shown)] {
		quoted = append(quoted, fmt.Sprintf("%.40q", key))
	}
	if len(keys) > shown {
		quoted = append(quoted, fmt.Sprintf("%d more", len(keys)-shown))
	}
	return strings.Join(quoted, ", ")
}

// maxExamples is how many pairs of the example dialogues become answers.
const maxExamples = 50

// convertExamples returns the answers that the example dialogues make: what the player says
// there, and what the character says to it.
func (v *conversion) convertExamples() []personas.Answer {
	var answers []personas.Answer
	for _, pair := range v.readExamples() {
		if len(answers) < maxExamples && !slices.ContainsFunc(answers, func(a personas.Answer) bool { return a.Ask[0] == pair.Ask[0] }) {
			answers = append(answers, pair)
		}
	}
	if len(answers) > 0 {
		v.take("data.mes_example", "%s besides", countThings(len(answers), "answer"))
	}
	return answers
}

// speaker finds who speaks in a line of an example dialogue: "{{user}}: Hello".
var speaker = regexp.MustCompile(`(?i)^\s*(\{\{\s*(?:user|char|bot)\s*\}\}|<(?:user|bot|char)>)\s*:\s*(.*)$`)

// readExamples reads the example dialogues as pairs.
func (v *conversion) readExamples() []personas.Answer {
	var pairs []personas.Answer
	var asked, said []string
	flush := func() {
		quiet := *v.t // What the examples say was reported with the prompt.
		quiet.changes = nil
		ask := newPlainTranslator(v.name).translate(strings.Join(asked, "\n"), "")
		say := clipPrompt(quiet.translate(strings.Join(said, "\n"), ""))
		if ask != "" && say != "" && !strings.Contains(ask, "the player") {
			pairs = append(pairs, personas.Answer{Ask: []string{clipKey(ask)}, Say: []string{say}})
		}
		asked, said = nil, nil
	}
	into := &said
	for line := range strings.SplitSeq(v.card.ExampleMessages, "\n") {
		line = strings.TrimSpace(line)
		who, text, named := "", line, false
		if found := speaker.FindStringSubmatch(line); found != nil {
			who, text, named = strings.ToLower(found[1]), found[2], true
		} else if rest, ok := strings.CutPrefix(line, v.name+":"); ok {
			who, text, named = "char", strings.TrimSpace(rest), true
		}
		switch {
		case strings.EqualFold(line, "<start>"):
			flush()
			into = &said
			continue
		case named && strings.Contains(who, "user"):
			if len(said) > 0 {
				flush()
			}
			into = &asked
		case named:
			into = &said
		}
		*into = append(*into, text)
	}
	flush()
	return pairs
}
