package intent

import (
	"slices"
	"strings"
)

// Acts describes the speech acts of a message. Each float is a certainty from 0 to 1.
type Acts struct {
	Violence float64 // an attack, or the threat of an attack
	Insult   float64 // against the listener
	Theft    float64 // theft or damage
	// Blocked is the certainty of an attack that is denied, past, asked about or by another person.
	Blocked  float64
	Question bool
	AboutYou bool // a question about the listener
	GivesUp  float64
	Negated  bool
	Past     bool
	Words    int     // words with meaning
	Strange  int     // words in no dictionary
	Menace   float64 // a threat without a violent word
	Contempt bool    // "you old fart"
}

// Acts returns the speech acts of the text.
func (r *Reading) Acts() Acts {
	var acts Acts
	for _, s := range r.listSpans() {
		for _, c := range splitClauses(s.tokens) {
			acts.addClause(c, &s)
		}
		for _, t := range s.tokens {
			if !t.isSubstance() {
				continue
			}
			acts.Words++
			if t.entry == r.lexicon.strange && t.vector == 0 {
				acts.Strange++
			}
		}
		if !s.action && !s.quoted {
			acts.Question = acts.Question || slices.ContainsFunc(splitSentences(s.tokens), isQuestion)
		}
	}
	return acts
}

type clause struct {
	words    []string
	question bool

	// addClause sets these.
	subject subject
	verb    int // index of the first word that may be the verb
	negated bool
	isPast  bool
	action  bool
	quoted  bool
}

func splitClauses(ts []token) []clause {
	var out []clause
	for _, sentence := range splitSentences(ts) {
		asks := isQuestion(sentence)
		var words []string
		flush := func() {
			if len(words) > 0 {
				out = append(out, clause{words: words, question: asks})
			}
			words = nil
		}
		for _, t := range sentence {
			switch {
			case t.kind >= clauseEnd:
				flush()
				continue
			case lists().Joins[t.text] && (t.text != "but" || len(words) == 0 || words[len(words)-1] != "nothing"):
				flush()
			}
			words = append(words, t.text)
		}
		flush()
	}
	return out
}

type subject uint8

const (
	nobody subject = iota
	speaker
	listener
	another
)

var negating = makeSet("not never no nobody without nor neither hardly")

func (a *Acts) addClause(c clause, s *span) {
	w := c.words
	if n := lists().Quits.findLongest(w); n > 0 && !c.question {
		a.GivesUp = max(a.GivesUp, 0.6+0.4*float64(n)/float64(len(w)))
	}
	c.subject, c.verb = subjectOf(w)
	c.negated, c.isPast, c.action, c.quoted = containsAny(w, negating), hasPast(w, c.subject), s.action, s.quoted
	a.Negated = a.Negated || c.negated
	a.Past = a.Past || c.isPast
	a.AboutYou = a.AboutYou || c.question && containsAny(w, ofListener)
	a.addAttacks(&c)
	if !c.quoted {
		a.addInsults(&c)
	}
}

var ofListener = makeSet("you your")

func subjectOf(w []string) (subject subject, verb int) {
	for i, t := range w {
		if i > 5 {
			break
		}
		switch t {
		case "i", "we":
			return speaker, i + 1
		case "you":
			if i == 0 || lists().Asks[w[i-1]] || lists().Joins[w[i-1]] || w[i-1] == "and" {
				return listener, i + 1
			}
		case "he", "she", "they", "it", "somebody", "someone", "people", "everybody", "everyone", "who", "nobody":
			return another, i + 1
		case "my", "his", "her", "their", "our", "the", "a", "an", "some", "this", "that", "these", "those":
			if i == 0 || lists().Joins[w[i-1]] || w[i-1] == "and" {
				return another, i + 1
			}
		}
	}
	return nobody, 0
}

func hasPast(w []string, subject subject) bool {
	future := slices.Contains(w, "will") || slices.Contains(w, "shall")
	for i, t := range w {
		if !future && (lists().PastTimes[t] || t == "back" && i+1 < len(w) && lists().BackTo[w[i+1]]) {
			return true
		}
		if lists().PastVerbs[t] && (subject != nobody || i == 0) {
			return true
		}
		if subject != nobody && i > 0 && len(t) > 4 && strings.HasSuffix(t, "ed") {
			return true
		}
	}
	return false
}

func (a *Acts) addAttacks(c *clause) {
	for i, t := range c.words {
		base := baseForm(t)
		violent, theft := lists().Violent[base], lists().Theft[base]
		armed := lists().Draw[base] && slices.ContainsFunc(c.words[i:], isWeapon)
		if !violent && !theft && !armed || i > 0 && lists().NounMarks[c.words[i-1]] {
			continue
		}
		// A harmless phrase may begin before the verb ("I could kill for a tea").
		if slices.ContainsFunc([]int{i, i - 1, i - 2}, c.isHarmlessAt) {
			a.Blocked = max(a.Blocked, idiomatic)
			continue
		}
		certainty := c.attackCertainty(i, t, base)
		if certainty == 0 {
			a.Blocked = 1
			continue
		}
		if armed {
			certainty = max(certainty, 0.9)
		}
		if violent || armed {
			a.Violence = max(a.Violence, certainty)
		}
		if theft {
			a.Theft = max(a.Theft, certainty)
		}
	}
}

func isWeapon(word string) bool {
	return lists().Weapons[word] || lists().Weapons[strings.TrimSuffix(word, "s")]
}

func (c *clause) isHarmlessAt(i int) bool { return i >= 0 && lists().Harmless.beginsWith(c.words[i:]) }

const idiomatic = 0.5

const minFarDistance = 7 // words between a subject and its verb

func (c *clause) attackCertainty(i int, word, base string) float64 {
	rest := c.words[i+1:]
	toYou := containsAny(rest, lists().Attacked)
	low, high := 0.4, 0.8 // an imperative
	switch {
	case c.quoted || c.negated || containsAny(rest[:min(len(rest), 2)], lists().Speaker):
		return 0
	case c.action && (c.subject == nobody || c.subject == speaker):
		low, high = 0.75, 0.95
	case c.isPast && !c.action || c.subject == another || c.subject == listener,
		c.question && (!toYou || c.subject == nobody && i > 0):
		return 0
	case c.question:
		return 0.4
	case c.subject == speaker && i-c.verb >= minFarDistance:
		return 0.3
	case c.subject == speaker:
		low, high = 0.7, 0.95
	case i > 1:
		return 0.2
	case strings.HasSuffix(word, "ing") && !toYou:
		return 0.3
	}
	switch violent := lists().Strong[base]; {
	case violent && toYou:
		return high
	case violent || toYou:
		return (high + low) / 2
	}
	return low
}

var verbEndings = [...][2]string{
	{"ches", "ch"}, {"shes", "sh"}, {"sses", "ss"}, {"ies", "y"}, {"s", ""},
	{"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"},
}

func baseForm(verb string) string {
	if b, ok := lists().Irregular[verb]; ok {
		return b
	}
	for _, ending := range verbEndings {
		stem, ok := strings.CutSuffix(verb, ending[0])
		if !ok {
			continue
		}
		single := stem // "stab" for "stabb"
		if n := len(stem); n > 1 && stem[n-1] == stem[n-2] {
			single = stem[:n-1]
		}
		for _, b := range [...]string{stem + ending[1], single} {
			if lists().Violent[b] || lists().Theft[b] || lists().Draw[b] {
				return b
			}
		}
	}
	return verb
}

func (a *Acts) addInsults(c *clause) {
	w, l := c.words, lists()
	if !c.negated {
		if addressesWithContempt(w) {
			a.Contempt, a.Insult = true, max(a.Insult, 0.95)
		}
		if l.Curses.findLongest(w) > 0 {
			a.Insult = max(a.Insult, 0.9)
		}
		threat := containsAny(w, l.Menacing) && containsAny(w, ofListener) && slices.Contains(w, "if")
		if threat || l.Menaces.findLongest(w[:min(len(w), maxMenaceWords)]) > 0 {
			a.Menace = max(a.Menace, 0.7)
		}
	}
	for i, t := range w {
		if noun := l.InsultNouns[t] || l.InsultNouns[strings.TrimSuffix(t, "s")]; noun || l.InsultWords[t] {
			a.Insult = max(a.Insult, c.insultCertainty(i, noun))
		}
	}
}

const maxMenaceWords = 60

func addressesWithContempt(w []string) bool {
	l, i := lists(), len(w)-1
	if i < 1 || !l.ContemptNouns[w[i]] && !l.InsultNouns[w[i]] {
		return false
	}
	for i--; i >= 0 && (l.ContemptWords[w[i]] || l.InsultWords[w[i]] || l.InsultNouns[w[i]]); i-- {
	}
	return i >= 0 && w[i] == "you" && (i == 0 || !l.Asks[w[i-1]])
}

func (c *clause) insultCertainty(i int, noun bool) float64 {
	w := c.words
	direct := containsAny(w[max(0, i-5):i], ofListener)
	switch {
	case c.negated || c.subject == speaker && !direct, c.question && !direct, i > 0 && lists().TakesThing[w[i-1]]:
		return 0
	case direct && c.question && lists().Asks[w[0]]:
		return 0.6
	case direct:
		return 0.95
	case c.subject == another:
		return 0.1
	case noun && len(w) <= 3, !noun && len(w) <= 3 && i < len(w)-1:
		return 0.8
	case !noun && len(w) <= 2:
		return 0.4
	}
	return 0.2
}

func (t phraseTable) findLongest(w []string) int {
	longest := 0
	for i, first := range w {
		for _, p := range t[first] {
			if len(p) > longest && i+len(p) <= len(w) && slices.Equal(w[i:i+len(p)], p) {
				longest = len(p)
			}
		}
	}
	return longest
}

func (t phraseTable) beginsWith(w []string) bool {
	return len(w) > 0 && slices.ContainsFunc(t[w[0]], func(phrase []string) bool {
		return len(phrase) <= len(w) && slices.Equal(w[:len(phrase)], phrase)
	})
}

func containsAny(w []string, set map[string]bool) bool {
	return slices.ContainsFunc(w, func(t string) bool { return set[t] })
}
