package nlu

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
	Words    int // words of substance
	Strange  int // words that no dictionary has
}

var (
	violentVerbs = makeSet(`kill murder stab shoot strangle choke punch kick hit slap smack beat bash batter attack assault fight strike slash cut slice behead
		shove push tackle headbutt bite scratch claw poison drown burn torture whip crush maim hurt harm destroy end gut skewer throttle clobber wallop slay knife
		threaten hang execute bludgeon impale ram trip elbow knee grab restrain wrestle charge lunge swing throw hurl spit tie drag choke fire detonate bomb`)
	strongVerbs = makeSet(`kill murder stab shoot strangle choke punch slap smack beat bash batter attack assault slash behead headbutt poison drown torture maim gut skewer throttle clobber wallop slay bludgeon impale tackle lunge spit hurt kick hit shove strike`)
	theftVerbs  = makeSet(`steal rob snatch swipe pinch nick loot pilfer pocket mug burgle hijack smash break wreck vandalise vandalize trash shatter burn ignite torch destroy ruin demolish knock tip kick rip tear sabotage`)
	weapons     = makeSet(`sword knife gun pistol axe dagger blade club bat hammer rifle weapon crossbow bow spear grenade bomb taser blaster machete razor fist fists`)
	drawVerbs   = makeSet(`draw pull raise swing point wield aim brandish ready unsheathe lift whip cock load`)
	insultNouns = makeSet(`idiot moron fool imbecile cretin bastard bitch asshole ass arsehole arse dick dickhead prick twat cunt wanker tosser jerk loser liar thief cheat crook fraud pig swine rat scum trash garbage
		clown coward witch hag cow worm parasite freak creep weirdo dumbass dummy dunce halfwit nitwit buffoon oaf brute monster slob whore slut scumbag douche douchebag fatso fatty toad vermin filth shithead bucket bimbo simpleton blockhead knucklehead dimwit pathetic shit crap`)
	insultWords = makeSet(`stupid dumb ugly fat pathetic worthless useless idiotic moronic brainless filthy disgusting damn damned bloody fucking stinking smelly lousy rotten crooked cowardly ignorant incompetent lazy senile miserable retarded insane rude lame boring hopeless crap shitty ridiculous creepy clueless`)
	curses      = [][]string{{"fuck", "you"}, {"fuck", "off"}, {"screw", "you"}, {"shut", "up"}, {"piss", "off"}, {"get", "lost"}, {"go", "to", "hell"}, {"drop", "dead"}, {"bugger", "off"}, {"sod", "off"}, {"shut", "your"}, {"kiss", "my"}, {"suck", "my"}, {"eat", "shit"}, {"up", "yours"}, {"damn", "you"}, {"curse", "you"}, {"to", "hell", "with"}, {"fuck", "this"}, {"fuck", "that"}, {"fuck", "your"}, {"burn", "in", "hell"}, {"rot", "in", "hell"}, {"bite", "me"}}
	harmless    = [][]string{{"kill", "for"}, {"kill", "time"}, {"kill", "some", "time"}, {"kill", "two"}, {"dying", "to"}, {"die", "for"}, {"killing", "me"}, {"kills", "me"}, {"killed", "me"}, {"killing", "it"}, {"break", "the", "ice"}, {"break", "a", "leg"}, {"break", "the", "news"}, {"break", "bread"}, {"break", "my", "heart"}, {"hit", "the", "road"}, {"hit", "the", "sack"}, {"hit", "me", "with"}, {"hit", "the", "hay"}, {"shoot", "me", "a"}, {"shoot", "the", "breeze"}, {"beat", "around"}, {"beat", "about"}, {"burn", "the", "midnight"}, {"fight", "for"}, {"fight", "off"}, {"cut", "me", "some"}, {"cut", "to", "the"}, {"cut", "the", "crap"}, {"cut", "corners"}, {"push", "through"}, {"push", "on"}, {"pull", "my", "leg"}, {"pulling", "my", "leg"}, {"kick", "myself"}, {"hit", "it", "off"}, {"hit", "the", "books"}, {"hit", "a", "wall"}, {"die", "of"}, {"dying", "of"}, {"dead", "tired"}, {"drop", "dead", "gorgeous"}, {"punch", "line"}, {"steal", "the", "show"}, {"stab", "at"}, {"a", "stab"}, {"shot", "at"}, {"grab", "a"}, {"grab", "some"}, {"end", "up"}, {"end", "well"}, {"throw", "in"}, {"throw", "a", "party"}, {"charge", "me"}, {"trip", "to"}, {"kick", "back"}, {"kick", "off"}, {"break", "even"}, {"break", "down"}, {"hang", "on"}, {"hang", "out"}, {"hang", "around"}, {"hang", "up"}, {"fire", "away"}, {"knock", "on"}, {"knocks", "on"}, {"knock", "knock"}, {"cut", "a", "deal"}, {"strike", "a"}, {"beat", "the"}, {"fight", "it"}, {"break", "it", "to"}, {"tie", "up"}, {"push", "you", "on"}, {"tear", "up"}, {"bite", "to", "eat"}, {"a", "bite"}, {"a", "kick"}, {"a", "hit"}, {"a", "break"}, {"a", "fight"}, {"a", "cut"}, {"a", "beat"}, {"a", "drag"}, {"a", "shot"}, {"the", "fire"}, {"the", "end"}, {"a", "trip"}, {"the", "trip"}, {"in", "charge"}, {"tip", "you"}, {"a", "tip"}, {"burn", "out"}, {"to", "burn"}, {"swing", "by"}, {"shoot", "straight"}}
	pastVerbs   = makeSet(`was were had did said told went came got saw heard killed murdered stabbed shot beat punched kicked attacked robbed stole broke burned burnt smashed died lost used drowned fought slapped strangled poisoned threw hurt`)
	pastTimes   = makeSet(`yesterday ago once last before back earlier years childhood`)
	asks        = makeSet(`what who whom whose which where when why how do does did are is was were will would can could have has had may might should shall am`)
	wh          = makeSet(`what who whom whose which where when why how`)
	quits       = [][]string{{"never", "mind"}, {"forget", "it"}, {"forget", "about", "it"}, {"i", "give", "up"}, {"i", "quit"}, {"i", "am", "leaving"}, {"i", "am", "off"}, {"i", "am", "done"}, {"i", "will", "leave"}, {"i", "will", "go"}, {"i", "am", "going", "home"}, {"i", "go", "home"}, {"goodbye"}, {"good", "bye"}, {"bye"}, {"not", "worth", "it"}, {"not", "interested"}, {"no", "deal"}, {"keep", "it"}, {"i", "do", "not", "care"}, {"whatever"}, {"walks", "away"}, {"walk", "away"}, {"walking", "away"}, {"leaves"}, {"turns", "around"}, {"another", "time"}, {"some", "other", "time"}, {"come", "back", "later"}, {"i", "changed", "my", "mind"}, {"changed", "my", "mind"}, {"waste", "of", "time"}, {"wasting", "my", "time"}, {"i", "surrender"}, {"cancel"}, {"i", "am", "out"}, {"no", "thanks"}, {"no", "thank", "you"}, {"not", "today"}, {"i", "pass"}, {"let", "us", "not"}, {"count", "me", "out"}, {"i", "have", "to", "go"}, {"let", "us", "forget"}, {"i", "can", "not", "do", "this"}, {"too", "hard"}, {"i", "refuse"}}
)

func makeSet(words string) map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// Acts returns what a message does.
func (x *Lexicon) Acts(message string) Acts {
	var a Acts
	for _, s := range SplitSpans(message) {
		ts := x.tokensOf(s.Text)
		for _, clause := range splitClauses(ts) {
			x.noteClause(&a, clause, s)
		}
		x.countWords(&a, ts)
		if !s.Action && !s.Quoted {
			a.Question = a.Question || endsAsQuestion(ts)
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
		if t.entry == x.strange && x.vectors.find(t.text) == 0 {
			a.Strange++
		}
	}
}

// clause is a run of words with at most one verb that acts.
type clause struct {
	words    []string
	question bool
}

var joins = makeSet(`but because so then or before while though although if unless when`)

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
			case joins[t.text]:
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
	for _, q := range quits {
		if i := indexOf(w, q); i >= 0 && !c.question {
			a.GivesUp = max(a.GivesUp, 0.6+0.4*float64(len(q))/float64(len(w)))
		}
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

func indexOf(w, phrase []string) int {
	for i := 0; i+len(phrase) <= len(w); i++ {
		if slices.Equal(w[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}

func containsWord(w []string, word string) bool { return slices.Contains(w, word) }

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
	for i, t := range w {
		if pastTimes[t] {
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

func (x *Lexicon) noteAttack(a *Acts, c attackClause) {
	for i, t := range c.words {
		base := baseForm(t)
		violent, theft := violentVerbs[base], theftVerbs[base]
		armed := drawVerbs[base] && slices.ContainsFunc(c.words[i:], func(t string) bool { return weapons[t] || weapons[strings.TrimSuffix(t, "s")] })
		if !violent && !theft && !armed {
			continue
		}
		certainty := c.certainty(i, t, base)
		if armed && certainty > 0 {
			certainty = max(certainty, 0.9)
		}
		switch {
		case certainty < 0:
			a.Blocked = max(a.Blocked, idiomatic)
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

// idiomatic is what an attack counts as blocked that may be an idiom.
const idiomatic = 0.5

// certainty returns how certain it is that the speaker attacks with the verb at
// i; 0 when he does not, and less where it may be an idiom.
func (c *attackClause) certainty(i int, said, base string) float64 {
	w := c.words
	for _, idiom := range harmless {
		for k := max(0, i-2); k <= i; k++ {
			if k+len(idiom) <= len(w) && slices.Equal(w[k:k+len(idiom)], idiom) {
				return -1
			}
		}
	}
	toYou := slices.ContainsFunc(w[i+1:], func(t string) bool {
		switch t {
		case "you", "your", "yourself", "him", "his", "her", "face", "throat", "head", "guard", "nose", "neck", "gut", "jaw", "teeth":
			return true
		}
		return false
	})
	self := slices.ContainsFunc(w[i+1:min(len(w), i+3)], func(t string) bool { return t == "me" || t == "myself" || t == "us" })
	switch {
	case c.quoted || c.negated || self:
		return 0
	case c.action && (c.who == nobody || c.who == speaker):
		return sure(base, toYou, 0.95, 0.75)
	case c.past || c.who == another || c.who == listener:
		return 0
	case c.question && c.who == nobody && i > 0:
		return 0
	case c.question && !toYou:
		return 0
	case c.question:
		return 0.4
	case c.who == speaker && i > 0 && (w[i-1] == "a" || w[i-1] == "the" || w[i-1] == "my" || w[i-1] == "your"):
		return 0
	case c.who == speaker && i-c.at > 6:
		return 0.3
	case c.who == speaker:
		return sure(base, toYou, 0.95, 0.7)
	case i == 0 || i == 1:
		if strings.HasSuffix(said, "ing") && !toYou {
			return 0.3
		}
		return sure(base, toYou, 0.8, 0.4)
	}
	return 0.2
}

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
	for _, curse := range curses {
		if indexOf(w, curse) >= 0 && !negated {
			a.Insult = max(a.Insult, 0.9)
		}
	}
	for i, t := range w {
		noun, word := insultNouns[t] || insultNouns[strings.TrimSuffix(t, "s")], insultWords[t]
		if !noun && !word {
			continue
		}
		a.Insult = max(a.Insult, insultCertainty(c, i, noun, negated))
	}
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
	case negated || who == speaker && !direct, c.question && !direct:
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
