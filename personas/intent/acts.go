package intent

import (
	"slices"
	"strings"
)

// Acts is what a message does, beside what it is about. Each is from 0 (not at
// all) to 1 (for certain).
type Acts struct {
	Violence float64 // the speaker attacks, or threatens to
	Insult   float64 // the speaker insults whom he talks to
	Theft    float64 // the speaker steals, breaks or burns something
	Blocked  float64 // an attack that is denied, past, another's or asked about; less for an idiom
	Question bool
	AboutYou bool // a question about whom the speaker talks to
	GivesUp  float64
	Negated  bool
	Past     bool
	Words    int     // words of substance
	Strange  int     // words that no dictionary has
	Done     bool    // something is done, between stars or brackets
	Menace   float64 // a threat without a violent word
}

var (
	violentVerbs = map[string]bool{
		"kill": true, "murder": true, "stab": true, "shoot": true, "strangle": true, "choke": true, "punch": true, "kick": true, "hit": true, "slap": true, "smack": true, "beat": true,
		"bash": true, "batter": true, "attack": true, "assault": true, "fight": true, "strike": true, "slash": true, "cut": true, "slice": true, "behead": true, "shove": true, "push": true,
		"tackle": true, "headbutt": true, "bite": true, "scratch": true, "claw": true, "poison": true, "drown": true, "burn": true, "torture": true, "whip": true, "crush": true, "maim": true,
		"hurt": true, "harm": true, "destroy": true, "end": true, "gut": true, "skewer": true, "throttle": true, "clobber": true, "wallop": true, "slay": true, "knife": true, "threaten": true,
		"hang": true, "execute": true, "bludgeon": true, "impale": true, "ram": true, "trip": true, "elbow": true, "knee": true, "grab": true, "restrain": true, "wrestle": true, "charge": true,
		"lunge": true, "swing": true, "throw": true, "hurl": true, "spit": true, "tie": true, "drag": true, "fire": true, "detonate": true, "bomb": true,
	}
	strongVerbs = map[string]bool{
		"kill": true, "murder": true, "stab": true, "shoot": true, "strangle": true, "choke": true, "punch": true, "slap": true, "smack": true, "beat": true, "bash": true, "batter": true,
		"attack": true, "assault": true, "slash": true, "behead": true, "headbutt": true, "poison": true, "drown": true, "torture": true, "maim": true, "gut": true, "skewer": true, "throttle": true,
		"clobber": true, "wallop": true, "slay": true, "bludgeon": true, "impale": true, "tackle": true, "lunge": true, "spit": true, "hurt": true, "kick": true, "hit": true, "shove": true,
		"strike": true,
	}
	theftVerbs = map[string]bool{
		"steal": true, "rob": true, "snatch": true, "swipe": true, "pinch": true, "nick": true, "loot": true, "pilfer": true, "pocket": true, "mug": true, "burgle": true, "hijack": true,
		"smash": true, "break": true, "wreck": true, "vandalise": true, "vandalize": true, "trash": true, "shatter": true, "burn": true, "ignite": true, "torch": true, "destroy": true, "ruin": true,
		"demolish": true, "knock": true, "tip": true, "kick": true, "rip": true, "tear": true, "sabotage": true,
	}
	weapons = map[string]bool{
		"sword": true, "knife": true, "gun": true, "pistol": true, "axe": true, "dagger": true, "blade": true, "club": true, "bat": true, "hammer": true, "rifle": true, "weapon": true,
		"crossbow": true, "bow": true, "spear": true, "grenade": true, "bomb": true, "taser": true, "blaster": true, "machete": true, "razor": true, "fist": true, "fists": true,
	}
	drawVerbs = map[string]bool{
		"draw": true, "pull": true, "raise": true, "swing": true, "point": true, "wield": true, "aim": true, "brandish": true, "ready": true, "unsheathe": true, "lift": true, "whip": true,
		"cock": true, "load": true,
	}
	curses    = [][]string{{"fuck", "you"}, {"fuck", "off"}, {"screw", "you"}, {"shut", "up"}, {"piss", "off"}, {"get", "lost"}, {"go", "to", "hell"}, {"drop", "dead"}, {"bugger", "off"}, {"sod", "off"}, {"shut", "your", "mouth"}, {"shut", "your", "trap"}, {"shut", "your", "face"}, {"shut", "your", "gob"}, {"shut", "your", "hole"}, {"shut", "your", "beak"}, {"shut", "your", "cakehole"}, {"kiss", "my"}, {"suck", "my"}, {"eat", "shit"}, {"up", "yours"}, {"damn", "you"}, {"curse", "you"}, {"to", "hell", "with"}, {"fuck", "this"}, {"fuck", "that"}, {"fuck", "your"}, {"burn", "in", "hell"}, {"rot", "in", "hell"}, {"bite", "me"}}
	harmless  = [][]string{{"kill", "for"}, {"kill", "time"}, {"kill", "some", "time"}, {"kill", "two"}, {"dying", "to"}, {"die", "for"}, {"killing", "me"}, {"kills", "me"}, {"killed", "me"}, {"killing", "it"}, {"break", "the", "ice"}, {"break", "a", "leg"}, {"break", "the", "news"}, {"break", "bread"}, {"break", "my", "heart"}, {"hit", "the", "road"}, {"hit", "the", "sack"}, {"hit", "me", "with"}, {"hit", "the", "hay"}, {"shoot", "me", "a"}, {"shoot", "the", "breeze"}, {"beat", "around"}, {"beat", "about"}, {"burn", "the", "midnight"}, {"fight", "for"}, {"fight", "off"}, {"cut", "me", "some"}, {"cut", "to", "the"}, {"cut", "the", "crap"}, {"cut", "corners"}, {"push", "through"}, {"push", "on"}, {"pull", "my", "leg"}, {"pulling", "my", "leg"}, {"kick", "myself"}, {"hit", "it", "off"}, {"hit", "the", "books"}, {"hit", "a", "wall"}, {"die", "of"}, {"dying", "of"}, {"dead", "tired"}, {"drop", "dead", "gorgeous"}, {"punch", "line"}, {"steal", "the", "show"}, {"stab", "at"}, {"a", "stab"}, {"shot", "at"}, {"grab", "a"}, {"grab", "some"}, {"end", "up"}, {"end", "well"}, {"throw", "in"}, {"throw", "a", "party"}, {"charge", "me"}, {"trip", "to"}, {"kick", "back"}, {"kick", "off"}, {"break", "even"}, {"break", "down"}, {"hang", "on"}, {"hang", "out"}, {"hang", "around"}, {"hang", "up"}, {"fire", "away"}, {"knock", "on"}, {"knocks", "on"}, {"knock", "knock"}, {"cut", "a", "deal"}, {"strike", "a"}, {"beat", "the"}, {"fight", "it"}, {"break", "it", "to"}, {"tie", "up"}, {"push", "you", "on"}, {"tear", "up"}, {"bite", "to", "eat"}, {"a", "bite"}, {"a", "kick"}, {"a", "hit"}, {"a", "break"}, {"a", "fight"}, {"a", "cut"}, {"a", "beat"}, {"a", "drag"}, {"a", "shot"}, {"the", "fire"}, {"the", "end"}, {"a", "trip"}, {"the", "trip"}, {"in", "charge"}, {"tip", "you"}, {"a", "tip"}, {"burn", "out"}, {"to", "burn"}, {"swing", "by"}, {"shoot", "straight"}, {"scratch", "you", "behind"}, {"scratch", "her", "behind"}, {"scratch", "him", "behind"}, {"scratch", "it", "behind"}, {"scratch", "the"}, {"scratch", "behind"}, {"scratches", "behind"}, {"scratches", "her"}, {"scratches", "his"}, {"scratches", "the"}, {"scratches", "you", "behind"}, {"scratch", "your"}, {"slap", "a"}, {"slaps", "a"}, {"slaps", "his"}, {"slaps", "her"}, {"kiss", "the"}, {"charges", "the"}, {"spits", "in", "palm"}, {"tips", "the"}, {"tips", "his"}, {"tips", "her"}, {"throws", "up"}, {"strikes", "a"}}
	pastVerbs = map[string]bool{
		"was": true, "were": true, "had": true, "did": true, "said": true, "told": true, "went": true, "came": true, "got": true, "saw": true, "heard": true, "killed": true,
		"murdered": true, "stabbed": true, "shot": true, "beat": true, "punched": true, "kicked": true, "attacked": true, "robbed": true, "stole": true, "broke": true, "burned": true, "burnt": true,
		"smashed": true, "died": true, "lost": true, "used": true, "drowned": true, "fought": true, "slapped": true, "strangled": true, "poisoned": true, "threw": true, "hurt": true,
	}
	pastTimes = map[string]bool{
		"yesterday": true, "ago": true, "once": true, "last": true, "before": true, "earlier": true, "years": true, "childhood": true,
	}
	// backTo follow "back" where it tells of the past: "back then", but not "I come back and ...".
	backTo = map[string]bool{"then": true, "when": true, "in": true, "home": true, "there": true}
	asks   = map[string]bool{
		"what": true, "who": true, "whom": true, "whose": true, "which": true, "where": true, "when": true, "why": true, "how": true, "do": true, "does": true, "did": true,
		"are": true, "is": true, "was": true, "were": true, "will": true, "would": true, "can": true, "could": true, "have": true, "has": true, "had": true, "may": true,
		"might": true, "should": true, "shall": true, "am": true,
	}
	quits = [][]string{{"never", "mind"}, {"forget", "it"}, {"forget", "about", "it"}, {"i", "give", "up"}, {"i", "quit"}, {"i", "am", "leaving"}, {"i", "am", "off"}, {"i", "am", "done"}, {"i", "will", "leave"}, {"i", "will", "go"}, {"i", "am", "going", "home"}, {"i", "go", "home"}, {"goodbye"}, {"good", "bye"}, {"bye"}, {"not", "worth", "it"}, {"not", "interested"}, {"no", "deal"}, {"keep", "it"}, {"i", "do", "not", "care"}, {"whatever"}, {"walks", "away"}, {"walk", "away"}, {"walking", "away"}, {"leaves"}, {"turns", "around"}, {"another", "time"}, {"some", "other", "time"}, {"come", "back", "later"}, {"i", "changed", "my", "mind"}, {"changed", "my", "mind"}, {"waste", "of", "time"}, {"wasting", "my", "time"}, {"i", "surrender"}, {"cancel"}, {"i", "am", "out"}, {"no", "thanks"}, {"no", "thank", "you"}, {"not", "today"}, {"i", "pass"}, {"let", "us", "not"}, {"count", "me", "out"}, {"i", "have", "to", "go"}, {"let", "us", "forget"}, {"i", "can", "not", "do", "this"}, {"too", "hard"}, {"i", "refuse"}}
)

// Acts returns what a message does.
func (x *Lexicon) Acts(message string) Acts { return x.Read(message).Acts() }

// Acts returns what the text does.
func (r *Reading) Acts() Acts {
	var a Acts
	for _, s := range r.listSpans() {
		a.Done = a.Done || s.Action
		for _, clause := range splitClauses(s.tokens) {
			r.lexicon.noteClause(&a, clause, s.Span)
		}
		r.lexicon.countWords(&a, s.tokens)
		if !s.Action && !s.Quoted {
			a.Question = a.Question || endsAsQuestion(s.tokens)
		}
	}
	return a
}

func endsAsQuestion(ts []token) bool {
	for _, s := range splitSentences(ts) {
		if isQuestion(s) {
			return true
		}
	}
	return false
}

func (x *Lexicon) countWords(a *Acts, ts []token) {
	for _, t := range ts {
		if t.kind != wordToken || t.entry.common != 0 {
			continue
		}
		a.Words++
		if t.entry == x.strange && t.vector == 0 {
			a.Strange++
		}
	}
}

var joins = map[string]bool{
	"but": true, "because": true, "so": true, "then": true, "or": true, "before": true, "while": true, "though": true, "although": true, "if": true, "unless": true, "when": true,
}

// splitClauses cuts tokens behind stops and before the words that join clauses.
func splitClauses(ts []token) []clause {
	var out []clause
	for _, sentence := range splitSentences(ts) {
		asked := isQuestion(sentence)
		var words []string
		flush := func() {
			if len(words) > 0 {
				out = append(out, clause{words, asked})
			}
			words = nil
		}
		for _, t := range sentence {
			switch {
			case t.kind >= clauseEnd:
				flush()
				continue
			case joins[t.text] && (t.text != "but" || len(words) == 0 || words[len(words)-1] != "nothing"):
				flush()
			}
			words = append(words, t.text)
		}
		flush()
	}
	return out
}

// subject is who acts in a clause.
type subject uint8

const (
	nobody subject = iota
	speaker
	listener
	another
)

func (x *Lexicon) noteClause(a *Acts, c clause, s Span) {
	w := c.words
	if n := x.phrases.quits.findLongest(w); n > 0 && !c.question {
		a.GivesUp = max(a.GivesUp, 0.6+0.4*float64(n)/float64(len(w)))
	}
	who, at := subjectOf(w)
	negated := slices.ContainsFunc(w, func(t string) bool {
		switch t {
		case "not", "never", "no", "nobody", "without", "nor", "neither", "hardly":
			return true
		}
		return false
	})
	a.Negated = a.Negated || negated
	past := hasPast(w, who)
	a.Past = a.Past || past
	if c.question && (containsWord(w, "you") || containsWord(w, "your")) {
		a.AboutYou = true
	}
	x.noteAttack(a, attackClause{clause: c, who: who, at: at, negated: negated, past: past && !s.Action, action: s.Action, quoted: s.Quoted})
	x.noteInsult(a, c, negated, s.Quoted)
}

// subjectOf returns who acts, and from where on his verb may stand.
func subjectOf(w []string) (subject, int) {
	for i, t := range w {
		if i > 5 {
			break
		}
		switch t {
		case "i", "we":
			return speaker, i + 1
		case "you":
			if i == 0 || asks[w[i-1]] || joins[w[i-1]] || w[i-1] == "and" {
				return listener, i + 1
			}
		case "he", "she", "they", "it", "somebody", "someone", "people", "everybody", "everyone", "who", "nobody":
			return another, i + 1
		case "my", "his", "her", "their", "our", "the", "a", "an", "some", "this", "that", "these", "those":
			if i == 0 || joins[w[i-1]] || w[i-1] == "and" {
				return another, i + 1
			}
		}
	}
	return nobody, 0
}

func hasPast(w []string, who subject) bool {
	future := containsWord(w, "will") || containsWord(w, "shall")
	for i, t := range w {
		if !future && (pastTimes[t] || t == "back" && i+1 < len(w) && backTo[w[i+1]]) {
			return true
		}
		if pastVerbs[t] && (who != nobody || i == 0) {
			return true
		}
		if who != nobody && i > 0 && len(t) > 4 && strings.HasSuffix(t, "ed") {
			return true
		}
	}
	return false
}

type attackClause struct {
	clause
	who     subject
	at      int
	negated bool
	past    bool
	action  bool
	quoted  bool
}

// nounMarks are words behind which no verb stands: "a torch", "the tip".
var nounMarks = map[string]bool{"a": true, "an": true, "the": true, "my": true, "your": true, "his": true, "this": true, "that": true, "some": true, "any": true, "no": true}

func (x *Lexicon) noteAttack(a *Acts, c attackClause) {
	for i, t := range c.words {
		base := baseForm(t)
		violent, theft := violentVerbs[base], theftVerbs[base]
		armed := drawVerbs[base] && slices.ContainsFunc(c.words[i:], func(t string) bool { return weapons[t] || weapons[strings.TrimSuffix(t, "s")] })
		if !violent && !theft && !armed || i > 0 && nounMarks[c.words[i-1]] {
			continue
		}
		if c.isIdiom(i) {
			a.Blocked = max(a.Blocked, idiomatic)
			continue
		}
		certainty := c.nearestSubject(i).certainty(i, t, base)
		if armed && certainty > 0 {
			certainty = max(certainty, 0.9)
		}
		switch {
		case certainty == 0:
			a.Blocked = 1
		case violent || armed:
			a.Violence = max(a.Violence, certainty)
		}
		if certainty > 0 && theft {
			a.Theft = max(a.Theft, certainty)
		}
	}
}

// nearSubject is within how many words before a verb the speaker names himself as who does it.
const nearSubject = 3

// nearestSubject is the clause with the subject of the verb at i: in "if she gets it I will hit
// her" the speaker hits.
func (c attackClause) nearestSubject(i int) *attackClause {
	for k := i - 1; k >= max(c.at, i-nearSubject); k-- {
		if c.words[k] == "i" || c.words[k] == "we" {
			c.who, c.at = speaker, k+1
			break
		}
	}
	return &c
}

// idiomatic is what an attack counts as blocked that may be an idiom.
const idiomatic = 0.5

// What an attack counts by who is said to do it: surely where the speaker does it now, to you
// and with a violent verb, less where one of these is not known.
const (
	orderedSurely, orderedHardly   = 0.8, 0.4
	doneSurely, doneHardly         = 0.95, 0.75
	intendedSurely, intendedHardly = 0.95, 0.7
	askedAttack                    = 0.4
	remoteAttack                   = 0.3 // the verb stands far from who does it, or names no one
	unclearAttack                  = 0.2
)

// farVerb is from how many words behind its subject a verb is far from it.
const farVerb = 7

// The words behind a violent verb that say that it is done to you or to one here, or to the
// speaker.
var (
	attackedWords = map[string]bool{"you": true, "your": true, "yourself": true, "him": true, "his": true, "her": true, "face": true, "throat": true, "head": true, "guard": true, "nose": true, "neck": true, "gut": true, "jaw": true, "teeth": true}
	speakerWords  = map[string]bool{"me": true, "myself": true, "us": true}
)

// isIdiom reports whether the verb at i is in words that harm nobody: "I could kill for a tea".
func (c *attackClause) isIdiom(i int) bool {
	for _, idiom := range harmless {
		for k := max(0, i-2); k <= i; k++ {
			if k+len(idiom) <= len(c.words) && slices.Equal(c.words[k:k+len(idiom)], idiom) {
				return true
			}
		}
	}
	return false
}

// certainty returns how certain it is that the speaker attacks with the verb at i, which is in no
// idiom: 0 when he does not.
func (c *attackClause) certainty(i int, said, base string) float64 {
	behind := c.words[i+1:]
	toYou := containsAny(behind, attackedWords)
	switch {
	case c.quoted || c.negated || containsAny(behind[:min(len(behind), 2)], speakerWords):
		return 0
	case c.action && (c.who == nobody || c.who == speaker):
		return sure(base, toYou, doneSurely, doneHardly)
	case c.past || c.who == another || c.who == listener:
		return 0
	case c.question:
		return c.askedCertainty(i, toYou)
	case c.who == speaker:
		return c.ownCertainty(i, base, toYou)
	case i > 1:
		return unclearAttack
	case strings.HasSuffix(said, "ing") && !toYou:
		return remoteAttack
	}
	return sure(base, toYou, orderedSurely, orderedHardly)
}

// askedCertainty is certainty in a question.
func (c *attackClause) askedCertainty(i int, toYou bool) float64 {
	if !toYou || c.who == nobody && i > 0 {
		return 0
	}
	return askedAttack
}

// ownCertainty is certainty where the speaker names himself.
func (c *attackClause) ownCertainty(i int, base string, toYou bool) float64 {
	if i-c.at >= farVerb {
		return remoteAttack
	}
	return sure(base, toYou, intendedSurely, intendedHardly)
}

// sure returns the strong value for a violent verb that is done to you, the weak one for
// neither, and their middle for one of both.
func sure(base string, toYou bool, strong, weak float64) float64 {
	if strongVerbs[base] && toYou {
		return strong
	}
	if strongVerbs[base] || toYou {
		return (strong + weak) / 2
	}
	return weak
}

var irregular = map[string]string{"shot": "shoot", "stole": "steal", "broke": "break", "drew": "draw", "threw": "throw", "beaten": "beat", "hitting": "hit", "cutting": "cut", "stabbing": "stab", "stabs": "stab", "swung": "swing", "bitten": "bite", "bit": "bite", "tore": "tear", "struck": "strike", "slain": "slay", "fought": "fight"}

// baseForm returns what a verb's form is of: "punches" and "punching" are "punch".
func baseForm(w string) string {
	if b, ok := irregular[w]; ok {
		return b
	}
	for _, e := range [...][2]string{{"ches", "ch"}, {"shes", "sh"}, {"sses", "ss"}, {"ies", "y"}, {"s", ""}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"}} {
		stem, ok := strings.CutSuffix(w, e[0])
		if !ok {
			continue
		}
		for _, b := range [...]string{stem + e[1], strings.TrimSuffix(stem, lastLetter(stem))} {
			if violentVerbs[b] || theftVerbs[b] || drawVerbs[b] {
				return b
			}
		}
	}
	return w
}

func lastLetter(s string) string {
	if n := len(s); n > 1 && s[n-1] == s[n-2] {
		return s[n-1:]
	}
	return "\x00"
}

func (x *Lexicon) noteInsult(a *Acts, c clause, negated, quoted bool) {
	w := c.words
	if quoted {
		return
	}
	if x.phrases.curses.findLongest(w) > 0 && !negated {
		a.Insult = max(a.Insult, 0.9)
	}
	if calledNames(w) && !negated {
		a.Insult = max(a.Insult, 0.9)
	}
	if isMenace(w, x.phrases.menaces) && !negated {
		a.Menace = max(a.Menace, 0.7)
	}
	for i, t := range w {
		noun, word := insultNouns[t] || insultNouns[strings.TrimSuffix(t, "s")], insultWords[t]
		if !noun && !word {
			continue
		}
		a.Insult = max(a.Insult, insultCertainty(c, i, noun, negated))
	}
}

// takesThing are words behind which a noun is a thing and nobody's name: "do you eat worms".
var takesThing = map[string]bool{
	"eat": true, "like": true, "love": true, "have": true, "keep": true, "see": true, "seen": true, "want": true, "sell": true, "catch": true, "hunt": true, "chase": true, "own": true, "find": true,
	"need": true, "about": true, "any": true, "some": true, "these": true, "those": true, "many": true, "cook": true, "fry": true, "feed": true, "know": true, "met": true,
}

func insultCertainty(c clause, i int, noun, negated bool) float64 {
	w := c.words
	who, _ := subjectOf(w)
	direct := false
	for k := max(0, i-5); k < i; k++ {
		if w[k] == "you" || w[k] == "your" {
			direct = true
		}
	}
	switch {
	case negated || who == speaker && !direct, c.question && !direct, i > 0 && takesThing[w[i-1]]:
		return 0
	case direct && c.question && asks[w[0]]:
		return 0.6
	case direct:
		return 0.95
	case who == another:
		return 0.1
	case noun && len(w) <= 3, !noun && len(w) <= 3 && i < len(w)-1:
		return 0.8
	case !noun && len(w) <= 2:
		return 0.4
	}
	return 0.2
}
