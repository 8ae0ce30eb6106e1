// Package intent is the offline model. Reader decides what a message means by the author's
// examples, answers, conditions and criteria (docs/persona-file.md, "Play without a model"). The
// weights are fitted to a corpus of lines that people wrote. Policy also serves the models of
// providers.
package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"weak"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
)

const (
	// maxPreparedSize limits the texts of all cached states in bytes. Each state counts at least
	// maxPreparedSize/maxPrepared.
	maxPreparedSize = 3 << 18
	maxPrepared     = 64
)

// Reader decides what messages mean. It is safe for concurrent use.
type Reader struct {
	lexicon     *Lexicon
	kinds       *classifier // judges the message alone
	full, prose *model      // for states with examples, and without

	prepared *cache.Cache[placeKey, *preparedState]
	banks    map[string]func() *bank
}

// NewReader returns a Reader. The call takes some milliseconds.
func NewReader() *Reader {
	classifier, err := newClassifier(kindTable)
	if err != nil {
		panic(err)
	}
	return newReader(classifier)
}

func newReader(classifier *classifier) *Reader {
	r := &Reader{
		lexicon: NewLexicon(), kinds: classifier, full: &readModels().Full, prose: &readModels().Prose,
		prepared: cache.New[placeKey, *preparedState](maxPreparedSize),
	}
	r.banks = forLanguages(r.newBank)
	return r
}

// Lexicon returns the Reader's lexicon.
func (r *Reader) Lexicon() *Lexicon { return r.lexicon }

// Place is a state with its persona and machine. The documents must not be modified.
type Place struct {
	Persona *personas.Persona
	Machine *personas.Machine
	State   *personas.State
	// Outgoing contains indexes in Machine.Transitions, in the engine's order of evaluation.
	Outgoing []int
	// FollowUpAllowed is false directly after a follow-up.
	FollowUpAllowed bool
	// LastTry is set if the next redirect becomes a reject. A doubtful redirect then becomes a
	// follow-up.
	LastTry bool
	// InGame is set if the decision has consequences. The character then asks about a doubtful
	// decision against the player.
	InGame bool
	// Losing contains the transitions that lose the game, and -1 for a redirect without a
	// transition. The character asks first unless the message is almost an example.
	Losing []int
	// Asked is the character's question before the message, or empty.
	Asked Asked
}

// Language returns the primary BCP 47 subtag of a machine's language. The default is the persona's
// language, then English.
func Language(p *personas.Persona, m *personas.Machine) string {
	language, _, _ := strings.Cut(strings.ToLower(cmp.Or(specifiedLanguage(p, m), "en")), "-")
	return language
}

func specifiedLanguage(p *personas.Persona, m *personas.Machine) string {
	for _, o := range [...]*personas.SharedOffline{m.Offline, p.Offline} {
		if o != nil && o.Language != "" {
			return o.Language
		}
	}
	return p.Language
}

// placeKey has weak pointers, because a document may be a thousand times larger than its prepared
// state.
type placeKey struct {
	persona weak.Pointer[personas.Persona]
	machine weak.Pointer[personas.Machine]
	state   weak.Pointer[personas.State]
	rows    string
}

func (place *Place) key() placeKey {
	rows := fmt.Sprint(place.Outgoing[:min(len(place.Outgoing), maxRows)])
	return placeKey{weak.Make(place.Persona), weak.Make(place.Machine), weak.Make(place.State), rows}
}

func (r *Reader) prepare(place *Place) *preparedState {
	key := place.key()
	if ready, ok := r.prepared.Find(key); ok {
		return ready
	}
	ready := r.prepareState(place, "")
	r.prepared.Keep(key, ready, max(ready.size, maxPreparedSize/maxPrepared))
	return ready
}

// Verdict is the decision about a message with its reasons.
type Verdict struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Rows contains the indexes in Machine.Transitions of the matching transitions.
	Rows []int
	// DoubtsLoss is set if a "follow_up" asks about a choice that loses.
	DoubtsLoss bool
	// WouldLose is set if a "follow_up" asks about a choice that loses the game now.
	WouldLose bool
	// Example is the author's most similar example, or nil.
	Example *personas.Example
	// Answer is the author's answer to an aside, or nil.
	Answer *personas.Answer
	// Intent is the built-in intent of an aside, or empty.
	Intent personas.Intent
	// Language is set for a message in another language than the persona's.
	Language string
	// Confidence is the probability of the decision, from 0 to 1.
	Confidence float64
	// Weighed contains the most probable choices in decreasing order, or nil if a rule decided.
	Weighed []Weight
	// Why explains the decision in one sentence.
	Why string
}

// Weight is the probability of a choice.
type Weight struct {
	Decision string
	// Row is the index in Machine.Transitions of the choice's first transition, or -1.
	Row         int
	Probability float64
}

const (
	maxTexts     = 1000   // examples, questions and clauses of a state
	maxTextSize  = 400    // bytes
	maxCriterion = 16_000 // bytes of a criterion or condition, ignoring the rest
)

type preparedState struct {
	language string
	choices  []choice
	examples textList // includes the answered questions as texts of the aside
	criteria textList
	sources  []source  // of each example
	centers  []Meaning // mean of the examples of each choice
	slots    *slotTable
	trust    float64        // weight of recurring words, lower with few examples
	exact    map[string]int // index of the first example by bare text
	size     int            // bytes of the texts

	talkChoices map[Talk]int // choice with a criterion for the kind of small talk
}

type source struct {
	example *personas.Example
	answer  *personas.Answer
}

func clipText(text string) string {
	if len(text) > maxTextSize {
		text = strings.ToValidUTF8(text[:maxTextSize], "")
	}
	return text
}

const enoughExamples = 5 // mean number per choice, for the full weight of recurring words

func (r *Reader) prepareState(place *Place, omitted string) *preparedState {
	state := &preparedState{
		language: Language(place.Persona, place.Machine), choices: listChoices(place), exact: make(map[string]int),
	}
	answers := listAnswers(place)
	state.addTexts(answers, omitted)
	for i, text := range slices.Backward(state.examples.texts) {
		state.exact[bareText(text)] = i
	}
	if specifiedLanguage(place.Persona, place.Machine) == "" {
		some := strings.Join(state.examples.texts[:min(len(state.examples.texts), 100)], "\n")
		state.language = cmp.Or(r.lexicon.detectLanguage(some, "en"), "en")
	}
	state.noteExamples(state.examples.prepare(r))
	state.criteria.prepare(r)
	findMarks(state.choices)
	state.talkChoices = findTalkChoices(state.choices)
	for i := range state.choices {
		choice := &state.choices[i]
		text := strings.Join(choice.criteria[:min(len(choice.criteria), maxChoices)], "\n")
		choice.intervals = listIntervals(r.lexicon, text[:min(len(text), maxCriterion)])
	}
	state.size = countBytes(state.choices, answers)
	return state
}

func (p *preparedState) noteExamples(read []*Reading) {
	words, meanings := make([][][]slotWord, len(p.choices)), make([][]Meaning, len(p.choices))
	for i, text := range read {
		k := p.examples.owners[i]
		c := &p.choices[k]
		c.texts++
		c.attacks = c.attacks || text.isHostile(p.language)
		meanings[k] = append(meanings[k], p.examples.meanings[i])
		if len(words[k]) < maxSlotTexts {
			words[k] = append(words[k], text.slotWords())
		}
	}
	p.slots = newSlotTable(words)
	texts, choices := 0, 0
	for k, c := range p.choices {
		p.centers = append(p.centers, middle(meanings[k]))
		if c.texts > 0 && c.kind != aside {
			texts, choices = texts+c.texts, choices+1
		}
	}
	p.trust = min(1, float64(texts)/float64(max(1, choices)*enoughExamples))
}

func divideMaxTexts(counts []int) []int {
	order, shares, remaining := make([]int, len(counts)), make([]int, len(counts)), maxTexts
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[a], counts[b]) })
	for n, i := range order {
		shares[i] = min(counts[i], remaining/(len(order)-n))
		remaining -= shares[i]
	}
	return shares
}

func (p *preparedState) addTexts(answers []*personas.Answer, omitted string) {
	counts := make([]int, len(p.choices))
	for i := range p.choices {
		counts[i] = len(p.choices[i].examples)
	}
	for _, a := range answers {
		counts[len(counts)-1] += len(a.Ask)
	}
	addExample := func(text string, choice int, from source) {
		if text != omitted && p.examples.add(text, choice) {
			p.sources = append(p.sources, from)
		}
	}
	limit := maxTexts / len(p.choices)
	for i, share := range divideMaxTexts(counts) {
		c := &p.choices[i]
		for _, e := range c.examples[:min(len(c.examples), share)] {
			addExample(e.Say, i, source{example: e})
		}
		for _, text := range c.criteria[:min(len(c.criteria), limit)] {
			clauses := splitAlternatives(text[:min(len(text), maxCriterion)])
			for _, clause := range clauses[:min(len(clauses), limit)] {
				p.criteria.add(clause, i)
			}
		}
	}
	for _, a := range answers {
		for _, ask := range a.Ask {
			addExample(ask, len(p.choices)-1, source{answer: a})
		}
	}
}

func listAnswers(place *Place) []*personas.Answer {
	var out []*personas.Answer
	add := func(answers []personas.Answer) {
		for i := range answers {
			out = append(out, &answers[i])
		}
	}
	if place.State.Offline != nil {
		add(place.State.Offline.Answers)
	}
	for _, o := range [...]*personas.SharedOffline{place.Machine.Offline, place.Persona.Offline} {
		if o != nil {
			add(o.Answers)
		}
	}
	return out
}

// CountTexts returns the size in bytes of the texts compared with a message. The state with the
// largest texts counts.
func CountTexts(p *personas.Persona) int {
	largest := 0
	for _, places := range listPlaces(p) {
		for i := range places {
			largest = max(largest, countPlaceTexts(&places[i]))
		}
	}
	return largest
}

func countPlaceTexts(place *Place) int {
	return min(countBytes(listChoices(place), listAnswers(place)), 2*maxTexts*maxTextSize)
}

func countBytes(choices []choice, answers []*personas.Answer) int {
	size := 0
	for i := range choices {
		for _, e := range choices[i].examples {
			size += len(e.Say) + len(e.Answer)
		}
		for _, text := range choices[i].criteria {
			size += len(text)
		}
	}
	for _, a := range answers {
		for _, text := range slices.Concat(a.Ask, a.Say) {
			size += len(text)
		}
	}
	return size
}

func bareText(text string) string {
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	return strings.Join(strings.FieldsFunc(Fold(text), isSeparator), " ")
}

func listPlaces(p *personas.Persona) map[string][]Place {
	places := make(map[string][]Place)
	for i := range p.Machines {
		m := &p.Machines[i]
		rows := make(map[string][]int)
		for k, t := range m.Transitions {
			rows[t.From] = append(rows[t.From], k)
		}
		for j := range m.States {
			key := m.States[j].Key
			slices.SortStableFunc(rows[key], func(a, b int) int {
				return cmp.Compare(m.Transitions[a].Priority, m.Transitions[b].Priority)
			})
			place := Place{Persona: p, Machine: m, State: &m.States[j], Outgoing: rows[key], FollowUpAllowed: true}
			places[key] = append(places[key], place)
		}
	}
	return places
}
