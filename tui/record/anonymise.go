package record

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

var masked = []struct {
	word    string
	pattern func() *regexp.Regexp
}{
	{"url", plaintext.Pattern(`(?i)\b(?:[a-z][a-z0-9+.-]{1,15}://|www\.)[^\s<>"]+`)},
	{"email", plaintext.Pattern(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`)},
	{"number", plaintext.Pattern(`\+?\p{Nd}(?:[ ./()-]{0,2}\p{Nd}){4,}`)},
}

// Anonymise replaces ids and the player's names by stand-ins such as "Player 1". E-mail addresses,
// URLs and numbers of five or more digits are replaced in messages. Equal texts get equal
// stand-ins. The gender and all times are removed. Other names in messages remain.
func (r *Record) Anonymise() {
	a := anonymiser{standIns: map[string]string{}, counts: map[string]int{}}
	names := []string{r.PlayerName}
	for i := range r.Chapters {
		if name := r.Chapters[i].PlayerName; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		a.addName(name)
	}
	r.PersonaID = a.standIn("persona-%d", r.PersonaID)
	r.PlayerName, r.PlayerGender = a.standIn("Player %d", r.PlayerName), ""
	for i := range r.Chapters {
		ch := &r.Chapters[i]
		ch.MachineID = a.standIn("machine-%d", ch.MachineID)
		ch.SessionID, ch.PersonaID = a.standIn("session-%d", ch.SessionID), r.PersonaID
		ch.PlayerName, ch.PlayerGender = a.standIn("Player %d", ch.PlayerName), ""
		ch.StartedAt, ch.LastMessageAt = wire.Time{}, wire.Time{}
		for j := range ch.Messages {
			m := &ch.Messages[j]
			m.ID, m.CreatedAt = a.standIn("message-%d", m.ID), wire.Time{}
			m.Content = a.maskText(m.Content)
		}
	}
}

type anonymiser struct {
	standIns map[string]string
	counts   map[string]int
	names    []name
}

type name struct{ text, standIn string }

func (a *anonymiser) standIn(format, text string) string {
	key := format + "\x00" + strings.ToLower(text)
	if a.standIns[key] == "" && text != "" {
		a.counts[format]++
		a.standIns[key] = fmt.Sprintf(format, a.counts[format])
	}
	return a.standIns[key]
}

func (a *anonymiser) addName(text string) {
	standIn := a.standIn("Player %d", text)
	for _, part := range append([]string{text}, strings.Fields(text)...) {
		if utf8.RuneCountInString(part) >= 2 {
			a.names = append(a.names, name{part, standIn})
		}
	}
	slices.SortStableFunc(a.names, func(x, y name) int { return len(y.text) - len(x.text) })
}

func (a *anonymiser) maskText(text string) string {
	for _, m := range masked {
		text = m.pattern().ReplaceAllStringFunc(text, func(found string) string {
			return a.standIn("["+m.word+" %d]", found)
		})
	}
	for _, n := range a.names {
		text = replaceWord(text, n.text, n.standIn)
	}
	return text
}

func replaceWord(text, word, replacement string) string {
	pattern := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(word))
	var b strings.Builder
	end := 0
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if isWordRune(before) || isWordRune(after) {
			continue
		}
		b.WriteString(text[end:at[0]] + replacement)
		end = at[1]
	}
	return b.String() + text[end:]
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
