package scripted

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// Bounds of the files that translators edit.
const (
	maxLanguageFile = 32 << 10 // bytes
	maxSentence     = 200      // characters
)

var (
	// logWords are technical words that must not be in a character's lines.
	logWords    = regexp.MustCompile(`(?i)\b(passed|rejected|kicked out|redirect(ed)?|follow[_-]up|kick_out|aside|offline|state|verdict)\b`)
	told        = regexp.MustCompile(`\([^()]*\)`)
	placeholder = regexp.MustCompile(`\{[^{}]*\}?|\}`)
)

func cutTold(line string) string { return told.ReplaceAllString(line, "") }

func (t *texts) listSentences() map[string][]string {
	all := map[string][]string{
		"opening": t.Opening, "hint": {t.Hint}, "warning": {t.Warning}, "ends_well": {t.EndsWell}, "ends": {t.Ends}, "now": {t.Now},
	}
	for key, lines := range t.Lines {
		all["lines."+key] = lines
	}
	for key, lines := range t.Intents {
		all["intents."+string(key)] = lines
	}
	for key, lines := range t.Talk {
		all["talk."+string(key)] = lines
	}
	return all
}

// TestLanguages checks the files that translators edit: each language has the sentences and
// words that English has, in the form that the readers of a chat expect.
func TestLanguages(t *testing.T) {
	t.Parallel()
	english := textsOf("en").listSentences()
	for _, i := range personas.Intents {
		_, ok := english["intents."+string(i)]
		assert.True(t, ok || i == personas.IntentOtherLanguage || i == personas.IntentQuestion || i == personas.IntentRemark, "en: nothing is said to %s", i)
	}
	for _, key := range []string{"pass", "redirect", "reject", "kick_out", "follow_up", "unknown"} {
		assert.True(t, len(english["lines."+key]) >= 2, "en: too few lines for %s", key)
	}
	for code := range New().texts {
		source, err := languageFiles.ReadFile("languages/" + code + ".yaml")
		assert.True(t, err == nil && len(source) <= maxLanguageFile && utf8.Valid(source), "%s: %d bytes, UTF-8 %v, %v", code, len(source), utf8.Valid(source), err)
		l := assert.Value(readTexts(code))(t)
		checkForeign(t, code, l)
		if !slices.Contains(spokenLanguages(), code) {
			continue
		}
		sentences := l.listSentences()
		want, got := slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(sentences))
		assert.EqualSlices(t, got, want, "%s has the members", code)
		for member, lines := range sentences {
			least := 1
			if strings.HasPrefix(member, "talk.") {
				least = 2 // else it is said again at once
			}
			assert.True(t, len(lines) >= least, "%s: %s has %d sentences", code, member, len(lines))
			for i, line := range lines {
				checkSentence(t, code+", "+member, line)
				assert.True(t, !slices.Contains(lines[:i], line), "%s: %s has %q twice", code, member, line)
			}
		}
		checkWords(t, code, l)
	}
}

// checkForeign checks the sentence that asks a player, in his language, to write another one.
func checkForeign(t *testing.T, code string, l *texts) {
	t.Helper()
	f := l.Foreign
	assert.Equal(t, strings.Count(f.Line, "{who}"), 1, "%s: {who} in %q", code, f.Line)
	assert.Equal(t, strings.Count(f.Line, "{language}"), 1, "%s: {language} in %q", code, f.Line)
	assert.True(t, utf8.RuneCountInString(f.Line) <= maxSentence, "%s: foreign.line is %q", code, f.Line)
	got := slices.Sorted(maps.Keys(f.Names))
	assert.True(t, slices.Equal(got, spokenLanguages()) && !slices.Contains(slices.Collect(maps.Values(f.Names)), ""), "%s: foreign.names are %v", code, f.Names)
}

func checkWords(t *testing.T, code string, l *texts) {
	t.Helper()
	v, n := &l.Values, &l.Names
	assert.EqualSlices(t, slices.Sorted(maps.Keys(v.Same)), slices.Sorted(maps.Keys(textsOf("en").Values.Same)), code)
	for i, list := range []phraseList{
		v.Lead, v.Own, v.Closing, v.Articles, v.Or, v.Denying, v.Yes, v.No, v.OwnName, v.Refusals, n.Denied, n.Never, n.Phrases, n.Loose,
	} {
		assert.True(t, len(list) != 0 && len(list) <= 300 && !slices.Contains(list, ""), "%s: list %d has %d words", code, i, len(list))
	}
}

func checkSentence(t *testing.T, where, line string) {
	t.Helper()
	for _, name := range placeholder.FindAllString(line, -1) {
		assert.True(t, slices.Contains([]string{"{name}", "{who}", "{player}", "{what}", "{goal}", "{about}", "{where}", "{last}"}, name),
			"%s: unknown placeholder %q in %q", where, name, line)
	}
	ended := strings.TrimRight(placeholder.ReplaceAllStringFunc(line, func(p string) string {
		if p == "{goal}" || p == "{last}" || p == "{about}" {
			return p + "." // a whole sentence
		}
		return p
	}), ") ")
	said := strings.TrimSpace(cutTold(line))
	switch {
	case line == "" || strings.TrimSpace(line) != line || utf8.RuneCountInString(line) > maxSentence:
		t.Errorf("%s: empty, long or with blanks around: %q", where, line)
	case strings.ContainsAny(line, "*“”„«»"):
		t.Errorf("%s has quotation marks or stars: %q", where, line)
	case strings.Contains(said, "{who}"), strings.Contains(said, "{name}"), strings.Contains(said, "{goal}"), strings.Contains(said, "{about}"):
		t.Errorf("%s says what is told: %q", where, line)
	case strings.ContainsAny(said, "()"):
		t.Errorf("%s has half a stage direction: %q", where, line)
	case logWords.MatchString(line):
		t.Errorf("%s has words of a log: %q", where, line)
	case !strings.ContainsAny(ended[len(ended)-1:], ".!?,"):
		t.Errorf("%s does not end as a sentence: %q", where, line)
	}
	for _, direction := range told.FindAllString(line, -1) {
		first := []rune(strings.Trim(direction, "(¿"))[0]
		assert.True(t, first == '{' || unicode.IsUpper(first), "%s begins in the middle of a sentence: %q", where, line)
	}
}

// TestUnknownLanguage: a persona in a language without sentences is played in English.
func TestUnknownLanguage(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"nl", "ja", ""} {
		assert.Equal(t, textsOf(code).Somebody, "The character", "%q is played by", code)
	}
}
