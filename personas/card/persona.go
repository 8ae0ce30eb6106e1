package card

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/portrait"
)

// Member is the name of the persona member that contains the whole card.
const Member = "x-card"

const (
	machineKey = "conversation"
	talkKey    = "talk"
	endKey     = "end"
)

// A card does not contain a condition to win.
const criterion = "TODO: write what the player has to say or do to win this conversation."

const maxKey = 200

// Report lists the used, changed and omitted members of a conversion.
type Report struct{ Taken, Changed, Left []Note }

func (r *Report) take(place, format string, args ...any) {
	r.Taken = append(r.Taken, Note{place, fmt.Sprintf(format, args...)})
}

func (r *Report) change(place, format string, args ...any) {
	r.Changed = append(r.Changed, Note{place, fmt.Sprintf(format, args...)})
}

func (r *Report) leave(place, format string, args ...any) {
	r.Left = append(r.Left, Note{place, fmt.Sprintf(format, args...)})
}

// Persona converts the card to a persona. The conversion is deterministic.
func (c *Card) Persona() (personas.Persona, Report, error) {
	v := newConversion(c)
	p := v.convert()
	v.takePicture(&p)
	v.reportRest()
	if faults := personas.Validate(&p); len(faults) > 0 {
		return p, v.Report, errors.New("the card cannot be converted to a persona: " + faults[0].Message)
	}
	return p, v.Report, nil
}

type conversion struct {
	Report
	card      *Card
	name      string
	t, plain  *translator // for prompts and lines, and for texts without placeholders
	constants []string    // contents of constant lorebook entries
}

func newConversion(c *Card) *conversion {
	v := &conversion{card: c, t: &translator{char: personaName, user: playerName, expands: true}}
	if nickname := cleanName(c.Nickname); nickname != "" && nickname != cleanName(c.Name) {
		v.t.char = nickname // V3 requires that the nickname replaces {{char}}.
	}
	v.name = cleanName(newPlainTranslator("").translate(c.Name, "data.name"))
	if v.name == "" {
		v.name = "Nameless"
		v.change("data.name", "the card has no name: the persona is called %s", v.name)
	}
	v.plain = newPlainTranslator(cmp.Or(cleanName(c.Nickname), v.name))
	return v
}

func (v *conversion) convert() personas.Persona {
	card := v.card
	v.take("data.name", "the persona's name, %s", v.name)
	answers := v.convertBook()
	persona := personas.Persona{Name: v.name, Description: v.describe(), IdentityPrompt: v.writePrompt()}
	notes := v.plain.translate(card.CreatorNotes, "data.creator_notes")
	persona.PerplexityDescription = plaintext.ClipWithin(notes, personas.MaxDescription)
	if persona.PerplexityDescription != "" {
		v.take("data.creator_notes", "perplexity_description")
	}
	answers = append(answers, v.convertExamples()...)
	if len(answers) > 0 {
		persona.Offline = &personas.SharedOffline{Answers: answers}
	}
	chatPrompt := clipPrompt(v.t.translate(card.PostHistory, "data.post_history_instructions"))
	if chatPrompt != "" {
		v.take("data.post_history_instructions", "chat_system_prompt of the machine")
	}
	m := personas.Machine{
		Key: machineKey, Name: plaintext.ClipWithin("Talk with "+v.name, personas.MaxName),
		ScoringMode: personas.PassFail, ChatPrompt: chatPrompt,
		States: []personas.State{
			{
				Key: talkKey, Label: "Talking", IsInitial: true,
				Criteria: personas.Criteria{Pass: criterion}, Offline: v.convertGreetings(),
			},
			{Key: endKey, Label: "The end", IsTerminal: true},
		},
		Transitions: []personas.Transition{{From: talkKey, To: endKey, Decision: personas.DecidePass}},
	}
	persona.Machines = []personas.Machine{m}
	persona.Extra = personas.Members{{Name: Member, Value: card.Raw()}}
	return persona
}

// describe ignores the creator's notes, because models receive the description and the notes are
// for people.
func (v *conversion) describe() string {
	for _, part := range []struct{ place, text string }{
		{"data.description", v.card.Description}, {"data.scenario", v.card.Scenario},
	} {
		quiet := newPlainTranslator(v.plain.char)
		if sentence := firstSentence(quiet.translate(part.text, part.place)); sentence != "" {
			v.take(part.place, "its first sentence, as the persona's description")
			return sentence
		}
	}
	return v.name + ", from a character card."
}

var sentenceEnd = plaintext.Pattern(`[.!?…]["”»)*]*(?:\s|$)|\n\s*\n|[。！？]`)

// firstSentence returns "" for text that is not prose, such as the property list [Age(40)].
func firstSentence(text string) string {
	const limit = 300
	text = strings.TrimSpace(text)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "\"“«*_"))
	if !unicode.IsLetter(first) {
		return ""
	}
	head := plaintext.ClipAfter(text, limit, "")
	if end := sentenceEnd().FindStringIndex(head); end != nil {
		head = head[:end[1]]
	} else {
		head = plaintext.ClipWithin(text, limit)
	}
	head = plaintext.JoinLines(head)
	_, size := utf8.DecodeRuneInString(head)
	return strings.ToUpper(head[:size]) + head[size:] // It may start with "the player".
}

func clipPrompt(text string) string { return plaintext.ClipWithin(text, personas.MaxPrompt) }

func (v *conversion) writePrompt() string {
	const becomes = "persona_identity_prompt"
	c := v.card
	parts := []struct{ place, head, text string }{
		{"data.system_prompt", "", c.SystemPrompt}, {"data.description", "", c.Description},
		{"data.personality", "Personality: ", c.Personality}, {"data.scenario", "Scenario: ", c.Scenario},
		{"data.character_book", "What is always true:\n", strings.Join(v.constants, "\n")},
		{
			"data.mes_example", "How {{persona_name}} talks, in examples that have not happened:\n",
			splitExamples(c.ExampleMessages),
		},
	}
	prompt := ""
	for i, part := range parts {
		text := v.t.translate(part.text, part.place)
		if i == 0 && text == "" {
			text, part.place = "You are "+v.t.char+".", ""
		}
		if text == "" {
			continue
		}
		more := strings.TrimPrefix(prompt+"\n\n"+part.head+text, "\n\n")
		switch {
		case utf8.RuneCountInString(more) <= personas.MaxPrompt:
			prompt = more
		case prompt == "":
			prompt = clipPrompt(more)
			v.change(part.place, "truncated to %d characters, the maximum length of a prompt", personas.MaxPrompt)
		default:
			v.leave(part.place, "the prompt would have more than %d characters", personas.MaxPrompt)
			continue
		}
		if part.place != "" {
			v.take(part.place, becomes)
		}
	}
	return prompt
}

func splitExamples(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.EqualFold(strings.TrimSpace(line), "<start>") {
			line = ""
		}
		if line != "" || len(out) > 0 && out[len(out)-1] != "" {
			out = append(out, line)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

func (v *conversion) convertGreetings() *personas.Offline {
	card := v.card
	var lines []string
	isKnown := map[string]bool{"": true}
	add := func(text, place string) {
		line := clipPrompt(v.t.translate(text, place))
		if !isKnown[line] {
			isKnown[line] = true
			lines = append(lines, line)
			v.take(place, "an opening of the state %s", talkKey)
		}
	}
	add(card.FirstMessage, "data.first_mes")
	for i, text := range card.AlternateGreetings {
		add(text, fmt.Sprintf("data.alternate_greetings[%d]", i))
	}
	if len(card.GroupGreetings) > 0 {
		greetings := countThings(len(card.GroupGreetings), "greeting")
		v.leave("data.group_only_greetings", "%s for a group; a persona talks with one player", greetings)
	}
	if len(lines) == 0 {
		return nil
	}
	return &personas.Offline{Opening: lines}
}

func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if plaintext.IsObeyed(r) && r > ' ' {
			return -1
		}
		return r
	}, strings.NewReplacer("{", "(", "}", ")").Replace(name))
	return plaintext.ClipWithin(plaintext.JoinLines(name), personas.MaxName)
}

func (v *conversion) takePicture(p *personas.Persona) {
	c := v.card
	if c.Picture == nil {
		return
	}
	small, err := portrait.Shrink(c.Picture)
	if err == nil {
		p.Portrait, err = portrait.EncodeURI(small)
	}
	if err != nil {
		v.leave("picture", "%s cannot be the portrait: %v", c.PictureSource, err)
		return
	}
	v.take("picture", "%s, as the portrait: %s", c.PictureSource, portrait.DescribeURI(p.Portrait))
}

func (v *conversion) reportRest() {
	card := v.card
	if v.t.chars > 0 {
		v.change("{{char}}", "%s, %s", v.t.char, countThings(v.t.chars, "time"))
	}
	if v.t.users > 0 {
		v.change("{{user}}", "%s, %s", v.t.user, countThings(v.t.users, "time"))
	}
	for _, m := range slices.Concat(v.t.changes, v.plain.changes) {
		v.change(m.place, "%s", m.describe())
	}
	v.Changed = append(v.Changed, card.Notes...)
	for _, asset := range card.LeftAssets {
		v.leave("data.assets", "%s is not stored", cmp.Or(asset, "an asset without a name"))
	}
	for _, file := range card.OtherFiles {
		v.leave("archive", "the file %s is not stored", file)
	}
	data := objectOf(card.document["data"])
	for _, name := range slices.Sorted(maps.Keys(data)) {
		if !slices.Contains(readMembers, name) && !isEmpty(data[name]) {
			v.leave("data."+name, "stored in %s", Member)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(card.document)) {
		if !slices.Contains([]string{"spec", "spec_version", "data"}, name) {
			v.leave(name, "stored in %s", Member)
		}
	}
}

var readMembers = []string{
	"name", "nickname", "description", "personality", "scenario", "first_mes", "mes_example",
	"creator_notes", "creator_notes_multilingual", "system_prompt", "post_history_instructions",
	"alternate_greetings", "group_only_greetings", "character_book",
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value) == ""
	case []any:
		return len(value) == 0
	case object:
		return len(value) == 0
	}
	return value == nil
}
