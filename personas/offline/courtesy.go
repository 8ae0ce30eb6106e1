package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Words of courtesy, with which many messages begin that go on with the matter.
var (
	greetingWords = []string{"hello", "hi", "hey", "hiya", "greetings", "morning", "evening", "afternoon", "day", "good", "howdy", "welcome", "sup", "wassup", "yo", "heya", "hei", "hej", "salaam", "namaste", "aloha",
		"um", "uh", "erm", "er", "hm", "hmm", "oh", "ah", "well", "wait",
		"bonjour", "bonsoir", "salut", "hallo", "guten", "tag", "abend", "morgen", "hola", "buenos", "buenas", "dias", "días", "tardes", "noches", "ciao", "buongiorno", "buonasera", "olá", "ola", "bom", "boa", "dia", "tarde", "noite"}
	// fillingWords of the greeting ones greet nobody by themselves.
	fillingWords = []string{"good", "welcome", "um", "uh", "erm", "er", "hm", "hmm", "oh", "ah", "well", "wait"}
	titleWords   = []string{"to", "you", "too", "madam", "madame", "ma'am", "maam", "sir", "miss", "mister", "lady", "friend", "there", "all", "everyone", "officer", "doctor", "nurse", "again",
		"monsieur", "señor", "señora", "signore", "signora", "senhor", "senhora", "herr", "frau"}
	// declining words make a thank-you a no.
	decliningWords = []string{"no", "not", "nothing", "none", "non", "rien", "pas", "nein", "nichts", "kein", "nada", "niente", "não", "nao", "nah", "nope", "never"}
)

// BeginsWithGreeting reports whether a message greets before it says something else.
func BeginsWithGreeting(message string) bool {
	words := strings.Fields(message)
	for _, w := range words {
		bare := bareWord(w)
		if !slices.Contains(greetingWords, bare) {
			return false
		}
		if !slices.Contains(fillingWords, bare) {
			return true
		}
	}
	return false
}

// IsCourtesy tells a sentence that greets or thanks and says nothing else.
func IsCourtesy(sentence string) bool {
	words := strings.Fields(sentence)
	other := slices.IndexFunc(words, func(w string) bool {
		bare := bareWord(w)
		return !slices.Contains(greetingWords, bare) && !slices.Contains(thankingWords, bare) && !slices.Contains(titleWords, bare)
	})
	return len(words) > 0 && other < 0
}

// How people say that an answer is a guess, at its beginning and behind a stop at its end.
var (
	guessStarts = [][]string{
		{"i", "suppose"}, {"i", "guess"}, {"i", "think"}, {"i", "believe"}, {"i'd", "say"}, {"id", "say"}, {"i", "would", "say"}, {"i", "reckon"}, {"my", "guess", "is"},
		{"if", "i", "had", "to", "guess"}, {"let", "me", "see"}, {"let", "me", "guess"}, {"probably"},
	}
	// guessEnds are at the end alone.
	guessEnds = [][]string{{"right"}, {"isn't", "it"}, {"don't", "you", "think"}, {"i", "imagine"}, {"am", "i", "right"}, {"or", "something"}, {"perhaps"}}
	// linkingWords stand before "I think" where it is no guess: "what I think".
	linkingWords = []string{"what", "as", "so", "how", "than", "like", "if", "whatever", "that", "when", "and", "but", "do", "because"}
	// ownDeeds begin what a speaker says of himself, which a doubt holds out rather than guesses.
	ownDeeds = []string{"i", "i'll", "i'd", "i'm", "we", "we'll", "my", "so", "not", "that", "you", "it", "about"}
)

// withoutGuess takes off a message that it is a guess: "the rind, I suppose?" answers as "the
// rind" does. What the speaker would do himself, and a bare "I guess so", stay as they are.
func withoutGuess(message string) string {
	words := strings.Fields(message)
	from := countGuess(words)
	if len(words) == 0 || from == 0 && slices.Contains(ownDeeds, bareWord(words[0])) {
		return message
	}
	for _, of := range slices.Concat(guessEnds, guessStarts) {
		if n := len(words) - len(of); n > from && hasWords(words[n:], of) && (strings.ContainsAny(words[n-1], ",.") || of[0] == "perhaps" || of[0] == "i" && !slices.Contains(linkingWords, bareWord(words[n-1]))) {
			return strings.Trim(strings.Join(words[from:n], " "), ",.")
		}
	}
	if from == 0 {
		return message
	}
	return strings.Join(words[from:], " ")
}

// countGuess counts the words at the beginning that call the rest a guess.
func countGuess(words []string) int {
	n := 0
	for _, of := range guessStarts {
		if hasWords(words, of) && len(of) < len(words) && !slices.Contains(ownDeeds, bareWord(words[len(of)])) {
			n = max(n, len(of))
		}
	}
	return n
}

// hasWords reports whether words begin with others.
func hasWords(words, others []string) bool {
	return len(words) >= len(others) && slices.EqualFunc(words[:len(others)], others, func(w, other string) bool { return strings.Trim(bareWord(w), "?") == other })
}

// leastBehindCourtesy are the fewest words that a message must have behind its courtesy,
// leastBehindStop those where a stop stands between.
const leastBehindCourtesy, leastBehindStop = 3, 2

// withoutCourtesy takes a greeting, a thank-you or a repeated "ok" off the beginning of
// a message that goes on with something else, and a thank-you off the end of one that does
// not decline, unless thanks count there.
func withoutCourtesy(message string, thanksCount bool) string {
	words := strings.Fields(message)
	n, least := countCourtesy(words), leastBehindCourtesy
	if n > 0 && strings.ContainsAny(words[n-1], ",.!") {
		least = leastBehindStop
	}
	if n == 0 || len(words)-n < least {
		n = 0
	}
	end := len(words)
	if !thanksCount {
		end -= countThanksBehind(words[n:])
	}
	if n == 0 && end == len(words) {
		return message
	}
	return strings.Join(words[n:end], " ")
}

// countThanksBehind counts the words of a thank-you behind a stop at the end.
func countThanksBehind(words []string) int {
	n := 0
	for n < len(words) && slices.Contains(thankingWords, bareWord(words[len(words)-1-n])) {
		n++
	}
	rest := words[:len(words)-n]
	if n == 0 || len(rest) == 0 || !slices.Contains(thankStarts, bareWord(words[len(rest)])) || !strings.ContainsAny(rest[len(rest)-1], ",.!;") {
		return 0
	}
	if slices.ContainsFunc(rest, func(w string) bool { return slices.Contains(decliningWords, bareWord(w)) }) {
		return 0
	}
	return n
}

// mostBehindCourtesy is how many words may stand behind a greeting that is answered where
// they are not understood.
const mostBehindCourtesy = 5

// courtesyOf says what was taken off a message, of which few words are left.
func courtesyOf(whole, rest string) personas.Intent {
	words := strings.Fields(whole)
	switch {
	case whole == rest || len(strings.Fields(rest)) > mostBehindCourtesy:
		return ""
	case greets(words[:countLeading(words, greetingWords)]):
		return personas.IntentGreeting
	case countThanks(words) > 0 || countThanksBehind(words) > 0:
		return personas.IntentThanks
	}
	return ""
}

// greets reports whether any of the words of a greeting greets by itself.
func greets(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(fillingWords, bareWord(w)) })
}

// mostGreeted is how many words may name who is greeted: "hello kitty".
const mostGreeted = 2

// isBareGreeting reports whether a message would be a pass and only greets somebody by a
// name, of which the nearest example has more to say: "hello kitty" is no "good kitty".
func (m *measurement) isBareGreeting(k int, message string) bool {
	words := strings.Fields(message)
	n := countLeading(words, greetingWords)
	if m.state.choices[k].kind != pass || !greets(words[:n]) || strings.ContainsAny(words[n-1], ".!?;") {
		return false
	}
	named := words[n+countLeading(words[n:], titleWords):]
	if i := m.nearest[k]; i >= 0 && m.state.examples.profiles.texts[i].acts.Words <= len(named) {
		return false
	}
	return len(named) <= mostGreeted && !strings.ContainsAny(message, "*\"0123456789")
}

func countCourtesy(words []string) int {
	n := countLeading(words, []string{"ok", "okay"})
	if n == 1 {
		n = 0 // one is a word of its own
	}
	if n == 0 {
		n = countLeading(words, greetingWords)
	}
	if n == 0 {
		return countThanks(words)
	}
	return n + countLeading(words[n:], titleWords)
}

// countThanks counts the words of a thank-you that is a sentence by itself.
func countThanks(words []string) int {
	n := countLeading(words, thankingWords)
	if n > 0 && slices.Contains(thankStarts, bareWord(words[0])) && strings.ContainsAny(words[n-1], ".!,") {
		return n
	}
	return 0
}

func countLeading(words, of []string) int {
	n := 0
	for n < len(words) && slices.Contains(of, bareWord(words[n])) {
		n++
	}
	return n
}

const (
	// farewells are how people take their leave.
	farewells = "bye|goodbye|good bye|farewell|see you|see ya|cya|so long|good night|goodnight|take care|until next time|have a nice day|have a good day|have a good one|have a good night|" +
		"tschuss|tschuess|ciao|auf wiedersehen|bis bald|bis dann|gute nacht|leb wohl|mach gut|au revoir|adieu|a bientot|bonne nuit|bonne soiree|bonne journee|salut et merci|" +
		"adios|hasta luego|hasta pronto|hasta la vista|buenas noches|nos vemos|adeus|tchau|ate logo|ate breve|boa noite|arrivederci|addio|a presto|buonanotte|buona notte"
	// partings are by which words an author speaks of somebody who leaves.
	partings = farewells + "|leave|leaves|leaving|left|walk away|walks away|walk off|walks off|go away|goes away|go home|goes home|give up|gives up|quit|quits|depart|departs|say goodbye|farewell|never mind|" +
		"geht|verlasst|gibt auf|verabschiedet|part|quitte|s en va|abandonne|dit au revoir|se va|se marcha|abandona|se rinde|despide|vai embora|desiste|despede|se ne va|rinuncia|saluta"
	// maxFarewell is how many words of substance a message may have that only takes
	// its leave.
	maxFarewell = 5
)

// isPoliteGoodbye reports whether a message only takes its leave, in peace, and the
// author has not written that leaving means choice k.
func (m *measurement) isPoliteGoodbye(k int, message string) bool {
	c := &m.state.choices[k]
	if c.kind == aside || m.message.acts.Words > maxFarewell || m.message.acts.Violence+m.message.acts.Insult+m.message.acts.Theft > 0 || !hasPhrase(message, farewells) {
		return false
	}
	if i := m.nearest[k]; i >= 0 && m.features[k][fBest] >= answeredScore {
		return false
	}
	return !c.speaksOfLeaving()
}

// speaksOfLeaving reports whether an author's words for a choice tell of somebody who
// leaves.
func (c *choice) speaksOfLeaving() bool {
	for _, text := range c.criteria {
		if hasPhrase(clipText(text), partings) {
			return true
		}
	}
	return false
}

// hasPhrase reports whether a text has one of the phrases as words.
func hasPhrase(text, phrases string) bool {
	words := " " + strings.Join(nlu.Words(text), " ") + " "
	for phrase := range strings.SplitSeq(phrases, "|") {
		if strings.Contains(words, " "+phrase+" ") {
			return true
		}
	}
	return false
}

// courtesyVerdict is the verdict on a polite goodbye or a greeting: it moves nothing.
func courtesyVerdict(at *Place, intent personas.Intent, why string) Verdict {
	return Verdict{
		Decision: personas.AsideName, Intent: intent, Confidence: 1, Answer: findAnswer(at, intent),
		Why: fmt.Sprintf("aside: %s, and %s", intent, why),
	}
}

var (
	// introduces is how somebody says by which name he goes, in folded words.
	introduces = plaintext.Pattern(`^(?:\S+ ){0,2}?(?:(?:my|the) name(?: is|'?s)|name'?s|(?:i am|i'?m) called|(?:they|you can|just|please|people) call me|call me|mein name ist|ich heisse|je m'?appelle|mon nom est|me llamo|mi nombre es|(?:o )?meu nome e|(?:eu )?me chamo|mi chiamo|il mio nome e)((?: [\p{L}'-]+){1,2})(?:,? (?:by the way|btw|and yours?|nice to meet you|what'?s yours))?$`)
	// namesAsked is a criterion that asks for a name.
	namesAsked = plaintext.Pattern(`(?i)\b(?:an?|the|his|her|their|own|real|full|first|last) names?\b|\bintroduce|\b(?:nom|nombre|nome|namen?)\b.*\b(?:son|su|seu|suo|seinen|ihren|den)\b|\b(?:son|su|seu|suo|seinen|ihren|den) (?:nom|nombre|nome|namen)\b`)
)

const (
	// nearIntroduced is the likeness of an example that means more by a name than who speaks.
	nearIntroduced = 0.6
	// noName are words behind "call me" that are no name.
	noName = " back later a an the when if tomorrow today again maybe crazy anytime soon not no none an your what whatever one on in at after before secret important mine nobody nothing old stupid "
)

// isIntroduction reports whether a message only says what the player is called, in a state that
// asks for no name (docs/decisions/offline.md, introduction).
func isIntroduction(m *measurement, message string) bool {
	if m.features[0][fMaxBest] >= nearIntroduced || !tellsName(message) {
		return false
	}
	return !slices.ContainsFunc(m.state.choices, func(c choice) bool { return c.asksName() })
}

// tellsName reports whether a text says by which name somebody goes, and no more.
func tellsName(text string) bool {
	found := introduces().FindStringSubmatch(strings.Trim(nlu.Fold(text), " .,!"))
	return found != nil && !strings.Contains(noName, " "+strings.Fields(found[1])[0]+" ")
}

// asksName reports whether an author's words for a choice ask for a name, or have one.
func (c *choice) asksName() bool {
	return slices.ContainsFunc(c.criteria, namesAsked().MatchString) ||
		c.kind != aside && slices.ContainsFunc(c.examples, func(e *personas.Example) bool { return tellsName(e.Say) })
}

// politely and plainly are the shares of polite examples from which and up to which an author tells
// a way to pass apart by its manners.
const politely, plainly = 0.8, 0.1

// mannerlyPass returns, for a pass of which the author has another that leads to the same state and
// differs by a please, the one with the manners of the message; else the choice itself
// (docs/decisions/offline.md, manners).
func mannerlyPass(m *measurement, k int) int {
	p := m.state
	if p.choices[k].kind != pass || p.polite[k] > plainly && p.polite[k] < politely {
		return k
	}
	if m.polite == (p.polite[k] >= politely) {
		return k
	}
	best := k
	for j := range p.choices {
		apart := p.polite[j] >= politely && p.polite[k] <= plainly || p.polite[k] >= politely && p.polite[j] <= plainly
		if apart && p.choices[j].kind == pass && p.choices[j].target == p.choices[k].target && (best == k || m.features[j][fBest] > m.features[best][fBest]) {
			best = j
		}
	}
	return best
}

// askedToHave is how a question begins in French that orders a thing, with the thing behind it.
var askedToHave = plaintext.Pattern(`(?i)^(?:(?:bonjour|bonsoir|salut|alors|et|euh|hm+|ah|oh)[, ]+)*(?:est-ce (?:que |qu')?(?:je|on|il|c'est)?\s?)?(?:(?:je|on) (?:peux|peut|pourrais|pourrait) (?:avoir|prendre)|puis-je (?:avoir|prendre)|(?:c'est|est-il|serait-il|ce serait) possible d'avoir|(?:vous pouvez|pouvez-vous|pourriez-vous) m'apporter) (\S+ [^?]+?) ?\?*$`)

// withoutAsking is a message that orders a thing by a question, as the thing: "je peux avoir la
// quiche ?" is "la quiche". Any other is as it is (docs/decisions/offline.md, asked-to-have).
func withoutAsking(message, language string) string {
	if language != "fr" {
		return message
	}
	if found := askedToHave().FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return message
}
