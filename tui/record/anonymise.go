package record

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// A mask replaces texts by stand-ins of a format.
type mask struct {
	format  string
	pattern func() *regexp.Regexp
	name    string // for the pattern of a name or its part: the whole name
}

var masks = []mask{
	{"[url %d]", plaintext.Pattern(`(?i)\b(?:[a-z][a-z0-9+.-]{1,15}://|www\.)[^\s<>"]+`), ""},
	{"[email %d]", plaintext.Pattern(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`), ""},
	{"[number %d]", plaintext.Pattern(`\+?\p{Nd}(?:[ ./()-]{0,2}\p{Nd}){4,}`), ""},
}

// Anonymise replaces ids and the player's names by stand-ins such as "Player 1". E-mail addresses,
// URLs and numbers of five or more digits are replaced in messages. Equal texts get equal
// stand-ins. The gender and all times are removed. Other names in messages remain.
//
// In messages, names of any length and their parts of two or more characters are replaced where
// they are whole words, in upper or lower case. A name of one ASCII character, such as "I", is
// replaced only in its own case, but also where it is an ordinary word. In scripts without spaces,
// such as Chinese, a name is also replaced inside a word.
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
	r.PlayerName, r.PlayerGender = a.standIn(playerFormat, r.PlayerName), ""
	for i := range r.Chapters {
		ch := &r.Chapters[i]
		ch.MachineID = a.standIn("machine-%d", ch.MachineID)
		ch.SessionID, ch.PersonaID = a.standIn("session-%d", ch.SessionID), r.PersonaID
		ch.PlayerName, ch.PlayerGender = a.standIn(playerFormat, ch.PlayerName), ""
		ch.StartedAt, ch.LastMessageAt = wire.Time{}, wire.Time{}
		for j := range ch.Messages {
			m := &ch.Messages[j]
			m.ID, m.CreatedAt = a.standIn("message-%d", m.ID), wire.Time{}
			m.Content = a.maskText(m.Content)
		}
	}
}

const playerFormat = "Player %d"

type anonymiser struct {
	standIns map[string]string
	counts   map[string]int
	names    []mask
}

func (a *anonymiser) standIn(format, text string) string {
	key := format + "\x00" + strings.ToLower(text)
	if a.standIns[key] == "" && text != "" {
		a.counts[format]++
		a.standIns[key] = fmt.Sprintf(format, a.counts[format])
	}
	return a.standIns[key]
}

func (a *anonymiser) addName(whole string) {
	a.standIn(playerFormat, whole)
	for i, part := range append([]string{strings.TrimSpace(whole)}, strings.Fields(whole)...) {
		if part == "" || i > 0 && utf8.RuneCountInString(part) < 2 {
			continue
		}
		pattern := regexp.QuoteMeta(part)
		if len(part) > 1 {
			pattern = "(?i)" + pattern
		}
		a.names = append(a.names, mask{playerFormat, plaintext.Pattern(pattern), whole})
	}
}

type match struct {
	start, end   int
	format, text string // of the stand-in
}

// maskText replaces the longest matches, and then matches in the rest. It never searches a
// stand-in.
func (a *anonymiser) maskText(text string) string {
	var chosen []match
	for _, m := range a.findMatches(text) {
		if !slices.ContainsFunc(chosen, func(c match) bool { return m.start < c.end && c.start < m.end }) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return text
	}
	slices.SortFunc(chosen, func(x, y match) int { return x.start - y.start })
	var b strings.Builder
	end := 0
	for _, m := range chosen {
		b.WriteString(a.maskText(text[end:m.start]) + a.standIn(m.format, m.text))
		end = m.end
	}
	return b.String() + a.maskText(text[end:])
}

func (a *anonymiser) findMatches(text string) []match {
	var all []match
	for _, m := range slices.Concat(masks, a.names) {
		for _, at := range m.pattern().FindAllStringIndex(text, -1) {
			if m.name == "" || isWhole(text, at) {
				all = append(all, match{at[0], at[1], m.format, cmp.Or(m.name, text[at[0]:at[1]])})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y match) int { return (y.end - y.start) - (x.end - x.start) })
	return all
}

func isWhole(text string, at []int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
	first, _ := utf8.DecodeRuneInString(text[at[0]:])
	last, _ := utf8.DecodeLastRuneInString(text[:at[1]])
	after, _ := utf8.DecodeRuneInString(text[at[1]:])
	return (!isWordRune(before) || isUnspaced(first)) && (!isWordRune(after) || isUnspaced(last))
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !isUnspaced(r)
}

func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}
