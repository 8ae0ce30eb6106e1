package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxExamples = 8
	maxExample  = 160
	maxAsides   = 6
	maxAnswered = 40
	// maxSpoken is the number of previous messages in a question. maxSaid is their length in
	// characters, from the end.
	maxSpoken, maxSaid = 2, 240
)

// The letter I begins many sentences. Possible words (a, o, y, c'est) come last in judgedLetters,
// because a model may repeat the message.
const (
	optionLetters = "ABCDEFGHJKLMOPQRSTUVWXZ"
	judgedLetters = "BFGHKPRVWXZCDJLMQSTAEOU"
	noneToken     = "N"
)

// A Question asks a judge two things. Does a message concern the state's task, and what choice fits
// best? Questions in a state differ only in the conversation and the message.
type Question struct {
	Options []Option
	// shared is equal for all messages in a state, so the model's server caches it.
	shared, recent string
	message        string
	// letters and samples are equal for all messages in a state.
	letters, alone string
	samples        []llm.Message
	scene          string
	asides         []string
	builder        *Builder
}

// An Option is a transition of the state, a follow-up, or a redirect without a transition.
type Option struct {
	Letter     string // letter in JSON
	Token      string // letter in BuildLetter
	Decision   string
	Transition int // index into Machine.Transitions; -1 for a follow-up and for a redirect without a transition
	// Text describes what the author expects. Examples are JSON strings of the author's examples.
	Text     string
	Examples []string
	// Closed means that the option cannot be chosen now. It remains listed, because the shared part
	// must not change.
	Closed bool
}

// NewQuestion returns the question about input.Message. Its options are in the order of the persona
// file.
func (b *Builder) NewQuestion(input llm.Input) (*Question, error) {
	p := newPage(input)
	p.forAll, p.plainAsides = true, b.asides
	p.addOptions()
	q := &Question{Options: p.Options, message: input.Message, builder: b}
	if len(q.Options) == 0 {
		return q, nil
	}
	var err error
	q.shared, err = b.executeTemplate("judge", p)
	if err == nil {
		q.letters, err = b.executeTemplate("letters", p)
	}
	if err == nil {
		q.scene, err = b.executeTemplate("decision", p)
	}
	q.asides, q.samples = p.Asides, p.answeredSamples()
	if p.fault != nil {
		return nil, p.fault
	}
	q.recent, q.alone = p.recentLines()
	return q, err
}

// IsEmpty reports whether the question has no options.
func (q *Question) IsEmpty() bool { return len(q.Options) == 0 }

// BuildLetter returns a request for the probabilities of letters, one for each choice and one for
// no choice. The author's examples are sent as answered messages. A 1.5B model then judges 57 of 72
// lines correctly. Examples in the instructions gave 40, and previous messages 49.
func (q *Question) BuildLetter() provider.Request {
	messages := append(slices.Clip(q.samples), llm.Message{Role: rolePlayer, Text: q.alone})
	return provider.Request{
		Step: StepEvaluation, System: q.letters, Messages: messages, MaxTokens: 1, TopTokens: 20,
		Temperature: new(0.0), NoThinking: true, Instructed: true,
	}
}

// BuildJSON returns a request for a JSON object that answers both questions.
func (q *Question) BuildJSON() (provider.Request, error) {
	letters := q.openLetters()
	instruction, err := q.builder.executeTemplate("object", strings.Join(letters, ", "))
	schema := objectSchema(provider.OrderedObject{
		{Name: "matter", Value: kind{Type: "boolean"}}, {Name: "choice", Value: kind{Type: "string", Enum: letters}},
	})
	return provider.Request{
		Step: StepEvaluation, System: q.shared,
		Messages: []llm.Message{{Role: rolePlayer, Text: q.recent + "\n\n" + instruction}}, MaxTokens: jsonTokens,
		Schema: &provider.Schema{Name: "evaluation", JSON: schema}, Temperature: new(0.0), NoThinking: true,
		Instructed: true,
	}, err
}

// BuildDecision returns a request for both questions to a decision model.
func (q *Question) BuildDecision(wire provider.DecisionWire) provider.Request {
	decision := &provider.Decision{
		Wire:   wire,
		Matter: "Does the message belong to the matter, so that one of the choices describes it?",
		Yes:    "An attempt at the matter, a refusal, a threat or an insult.",
		No: "A greeting, small talk, a question about the place or the character, a remark. For example: " +
			strings.Join(q.asides, "; "),
		Verdict: "Which one describes the message best?",
	}
	for i := range q.Options {
		if o := &q.Options[i]; !o.Closed {
			text := o.Text
			if len(o.Examples) > 0 {
				text += " For example: " + strings.Join(o.Examples, "; ")
			}
			decision.Options = append(decision.Options, provider.DecisionOption{Key: q.decisionKey(i), Text: text})
		}
	}
	return provider.Request{
		Step: StepEvaluation, System: q.scene, Messages: []llm.Message{{Role: rolePlayer, Text: q.recent}},
		Decision: decision,
		// The schema is not sent, but recordings distinguish questions by it.
		Schema: &provider.Schema{Name: "decision", JSON: encodeJSON(decision)},
	}
}

func (q *Question) decisionKey(index int) string {
	key, count := q.Options[index].Decision, 1
	for i := range index {
		if q.Options[i].Decision == key {
			count++
		}
	}
	if count > 1 {
		key += fmt.Sprintf(" %d", count)
	}
	return key
}

func (q *Question) openLetters() []string {
	var letters []string
	for i := range q.Options {
		if !q.Options[i].Closed {
			letters = append(letters, q.Options[i].Letter)
		}
	}
	return letters
}

func (p *page) addOptions() {
	outgoing := slices.Sorted(slices.Values(p.input.Outgoing))
	for _, i := range outgoing {
		t := &p.machine.Transitions[i]
		text := p.optionText(string(t.Decision), p.expandText("condition", t.Condition))
		if title := targetTitle(p.input, t); title != "" {
			text += fmt.Sprintf(" (leads to %q)", title)
		}
		p.addOption(Option{Decision: string(t.Decision), Transition: i, Text: text, Examples: p.examplesOf(t)})
	}
	if len(outgoing) == 0 && !p.input.FollowUpAllowed {
		return
	}
	if !slices.ContainsFunc(p.Options, func(o Option) bool { return o.Decision == string(personas.DecideRedirect) }) {
		p.addOption(p.rowless(string(personas.DecideRedirect)))
	}
	followUp := p.rowless(personas.FollowUpName)
	followUp.Closed = !p.input.FollowUpAllowed
	p.addOption(followUp)
	p.asides = p.asideExamples()
	p.Asides = p.asides[:min(len(p.asides), maxAsides)]
}

func (p *page) rowless(decision string) Option {
	return Option{
		Decision: decision, Transition: -1, Text: p.optionText(decision, ""),
		Examples: p.quoteExamples(stateExamples(p.state, decision)),
	}
}

func (p *page) addOption(o Option) {
	if len(p.Options) < len(optionLetters) {
		index := len(p.Options)
		o.Letter, o.Token = optionLetters[index:index+1], judgedLetters[index:index+1]
		p.Options = append(p.Options, o)
	}
}

var plainOptions = map[string]string{
	string(personas.DecidePass):     "The player does what is asked for here.",
	string(personas.DecideRedirect): "The player tries, but it is not enough yet.",
	string(personas.DecideReject):   "The player fails at it or refuses it.",
	string(personas.DecideKickOut):  "The player attacks, threatens or insults so that the character breaks off the conversation.",
	personas.FollowUpName:           "The message is promising, but the character has to hear more before anything can be decided.",
}

func (p *page) optionText(decision, condition string) string {
	criterion := p.expandText("evaluation_criteria."+decision, p.state.Criteria.Of(decision))
	switch {
	case condition == "" && criterion == "":
		return plainOptions[decision]
	case condition == "" || condition == criterion:
		return criterion
	case criterion == "":
		return condition
	}
	return condition + " " + criterion
}

func (p *page) examplesOf(t *personas.Transition) []string {
	if t.Offline != nil && len(t.Offline.Examples) > 0 {
		return p.quoteExamples(t.Offline.Examples)
	}
	return p.quoteExamples(stateExamples(p.state, string(t.Decision)))
}

func stateExamples(s *personas.State, decision string) []personas.Example {
	if s.Offline == nil {
		return nil
	}
	return s.Offline.Examples.Of(decision)
}

// Authors often put similar examples together, so the examples are evenly spaced.
func (p *page) quoteExamples(all []personas.Example) []string {
	count := min(len(all), maxExamples)
	quoted := make([]string, 0, count)
	for i := range count {
		say := p.expandText("offline.examples", plaintext.ClipWithin(all[i*len(all)/count].Say, maxExample))
		quoted = append(quoted, quoteJSON(joinLines(say)))
	}
	return quoted
}

func (p *page) answeredSamples() []llm.Message {
	if !slices.ContainsFunc(p.Options, func(o Option) bool { return len(o.Examples) > 0 }) {
		return nil
	}
	var messages []llm.Message
	seen := map[string]bool{}
	add := func(examples []string, index int, letter string) {
		if index >= len(examples) || seen[examples[index]] {
			return
		}
		seen[examples[index]] = true
		messages = append(messages,
			llm.Message{Role: rolePlayer, Text: judgedNow + examples[index]},
			llm.Message{Role: roleCharacter, Text: letter})
	}
	each := max(maxAnswered/len(p.Options), 1)
	for index := range max(each, len(p.asides)) {
		for i := range p.Options {
			if index < each {
				add(p.Options[i].Examples, index, p.Options[i].Token)
			}
		}
		add(p.asides, index, noneToken)
	}
	return messages
}

func (p *page) asideExamples() []string {
	var examples []string
	for _, answer := range p.authorsAnswers() {
		if len(answer.Ask) > 0 && len(examples) < maxAsides/2 {
			examples = append(examples, p.expandText("offline.answers", plaintext.ClipWithin(answer.Ask[0], maxExample)))
		}
	}
	plain := p.plainAsides[p.language()]
	if plain == nil {
		plain = p.plainAsides["en"]
	}
	examples = append(examples, plain...)
	for i, text := range examples {
		examples[i] = quoteJSON(joinLines(text))
	}
	return examples
}

func (p *page) authorsAnswers() (all []personas.Answer) {
	if p.state.Offline != nil {
		all = append(all, p.state.Offline.Answers...)
	}
	for _, o := range [...]*personas.SharedOffline{p.machine.Offline, p.persona.Offline} {
		if o != nil {
			all = append(all, o.Answers...)
		}
	}
	return all
}

func (p *page) language() string {
	language := p.persona.Language
	for _, o := range [...]*personas.SharedOffline{p.persona.Offline, p.machine.Offline} {
		if o != nil && o.Language != "" {
			language = o.Language
		}
	}
	primary, _, _ := strings.Cut(strings.ToLower(language), "-")
	return primary
}

func (p *page) recentLines() (message, alone string) {
	var values, before strings.Builder
	for _, name := range p.used {
		text, ok := p.playersValue(name)
		if !ok {
			text, ok = p.table.Default(name)
		}
		values.WriteString(noteValue(name, text, ok))
	}
	recent := p.input.Recent[max(len(p.input.Recent)-maxSpoken, 0):]
	if len(recent) > 0 {
		before.WriteString(judgedBefore + "\n")
	}
	for _, m := range recent {
		m.Text = clipBefore(m.Text, maxSaid)
		before.WriteString(quoteMessage(m))
	}
	judged := judgedNow + quoteJSON(p.input.Message)
	return values.String() + before.String() + judged, values.String() + judged
}

// A question is usually at the end of the text.
func clipBefore(text string, limit int) string {
	cut := utf8.RuneCountInString(text) - limit
	if cut <= 0 {
		return text
	}
	return plaintext.Ellipsis + string([]rune(text)[cut+1:])
}

func targetTitle(input llm.Input, t *personas.Transition) string {
	if t.To == t.From || t.Decision != personas.DecidePass && t.Decision != personas.DecideReject {
		return ""
	}
	for i := range input.Machine.States {
		if s := &input.Machine.States[i]; s.Key == t.To {
			return s.Title()
		}
	}
	return ""
}

type kind struct {
	Type any      `json:"type"`
	Enum []string `json:"enum,omitempty"`
}

// A model answers in the order of the schema.
func objectSchema(members provider.OrderedObject) json.RawMessage {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	return encodeJSON(provider.OrderedObject{
		{Name: "type", Value: "object"}, {Name: "properties", Value: members}, {Name: "required", Value: names},
		{Name: "additionalProperties", Value: false},
	})
}

func encodeJSON(value any) []byte {
	text, _ := json.Marshal(value)
	return text
}

func readMembers(answer string) (map[string]json.RawMessage, bool) {
	decoder := json.NewDecoder(strings.NewReader(answer))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	members := map[string]json.RawMessage{}
	for decoder.More() {
		name, err := decoder.Token()
		text, isText := name.(string)
		key := strings.ToLower(text)
		var value json.RawMessage
		if err != nil || !isText || members[key] != nil || decoder.Decode(&value) != nil {
			return nil, false
		}
		members[key] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, false
	}
	_, err := decoder.Token()
	return members, err == io.EOF
}

func readText(raw json.RawMessage) (string, bool) {
	var text string
	if !bytes.HasPrefix(raw, []byte(`"`)) || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}
