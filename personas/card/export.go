package card

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/portrait"
)

// Export is a persona as a card of V3.
type Export struct {
	root    *node
	picture []byte // nil without one
	Report  Report
}

// FromPersona converts a persona to a card. Members from a card that were not changed since are the
// same as in that card, including unknown members.
func FromPersona(p *personas.Persona) (*Export, error) {
	x := &exporter{p: p, t: &translator{}, variables: personas.NewVariableTable(p), machine: firstMachine(p)}
	if err := x.findCard(); err != nil {
		return nil, err
	}
	x.writeTexts()
	x.writeGreetings()
	x.writeBook()
	picture, err := x.takePortrait()
	if err != nil {
		return nil, err
	}
	x.reportRest()
	return &Export{x.root, picture, x.report}, nil
}

// exporter makes a card of a persona.
type exporter struct {
	p         *personas.Persona
	machine   *personas.Machine // the one that a card can say something of; nil without one
	variables *personas.VariableTable
	t         *translator
	root      *node
	data      *node
	from      *Card            // the card that the persona came from; nil without one
	before    personas.Persona // the persona that the card converts to
	report    Report
}

// firstMachine returns the machine that is played first: an entry machine, else one to which
// no link leads.
func firstMachine(p *personas.Persona) *personas.Machine {
	for i := range p.Machines {
		m := &p.Machines[i]
		if m.IsEntry || !slices.ContainsFunc(p.Links, func(l personas.Link) bool { return l.Target == m.Key }) {
			return m
		}
	}
	return nil
}

// findCard begins with the card that the persona came from, else with an empty one.
func (x *exporter) findCard() error {
	i := slices.IndexFunc(x.p.Extra, func(m personas.Member) bool { return m.Name == Member })
	if i < 0 {
		x.root = toV3(&node{kind: '{'}, V3)
		x.data = x.root.get("data")
		return nil
	}
	root, err := parseJSON(x.p.Extra[i].Value)
	if err == nil {
		x.from, err = readCard(root, JSON)
	}
	if err != nil {
		return fmt.Errorf("%s is no card that can be written back: %w; take it out, or put it right", Member, err)
	}
	x.before = newConversion(x.from).convert()
	x.root = x.from.whole.clone()
	x.data = x.root.get("data")
	return nil
}

func (x *exporter) isFromCard() bool { return x.from != nil }

func (x *exporter) take(place, format string, args ...any) {
	x.report.Taken = append(x.report.Taken, Note{place, fmt.Sprintf(format, args...)})
}

func (x *exporter) leave(place, format string, args ...any) {
	x.report.Left = append(x.report.Left, Note{place, fmt.Sprintf(format, args...)})
}

// write writes a text of the persona into the card.
func (x *exporter) write(name, text, place string) {
	x.data.set(name, textNode(x.t.untranslate(text, place, x.variables)))
	if text != "" {
		x.take(place, "data.%s", name)
	}
}

// writeTexts writes the texts that are not what the card had.
func (x *exporter) writeTexts() {
	p := x.p
	if !x.isFromCard() || p.Name != x.before.Name {
		x.write("name", p.Name, "name")
	}
	x.writeNotes()
	if !x.isFromCard() || x.chatPrompt(p) != x.chatPrompt(&x.before) {
		x.write("post_history_instructions", x.chatPrompt(p), "chat_system_prompt")
	}
	if x.isFromCard() && p.IdentityPrompt == x.before.IdentityPrompt {
		return
	}
	x.write("description", p.IdentityPrompt, "persona_identity_prompt")
	for _, name := range []string{"personality", "scenario", "system_prompt", "mes_example"} {
		x.data.set(name, textNode("")) // The prompt contains it.
	}
	if x.isFromCard() || x.machine == nil {
		return
	}
	x.write("scenario", x.describeScene(), "the first machine's description and its first state's prompt_instruction")
	x.write("mes_example", x.listExamples(), "examples with an answer")
}

// writeNotes writes what people read of a character before they play it.
func (x *exporter) writeNotes() {
	p := x.p
	notes, place := p.PerplexityDescription, "perplexity_description"
	if notes == "" {
		notes, place = p.Description, "description"
	}
	switch {
	case x.isFromCard() && p.PerplexityDescription == x.before.PerplexityDescription:
		if p.Description != x.before.Description {
			x.leave("description", "a card has none, but for the beginning of its character's")
		}
	default:
		x.write("creator_notes", notes, place)
		x.data.remove("creator_notes_multilingual")
	}
}

// chatPrompt returns the persona's text after a conversation.
func (x *exporter) chatPrompt(p *personas.Persona) string {
	if m := firstMachine(p); m != nil {
		return m.ChatPrompt
	}
	return ""
}

// firstState returns the initial state of a persona's first machine; nil without one.
func firstState(p *personas.Persona) *personas.State {
	m := firstMachine(p)
	if m == nil {
		return nil
	}
	for i := range m.States {
		if m.States[i].IsInitial {
			return &m.States[i]
		}
	}
	return nil
}

func (x *exporter) describeScene() string {
	scene := x.machine.Description
	if s := firstState(x.p); s != nil {
		scene += "\n" + s.PromptInstruction
	}
	return strings.TrimSpace(scene)
}

// maxDialogues is how many examples are written as example dialogues.
const maxDialogues = 10

// listExamples writes examples that have an answer of their own as example dialogues.
func (x *exporter) listExamples() string {
	var out strings.Builder
	written := 0
	for i := range x.machine.States {
		s := &x.machine.States[i]
		if s.Offline == nil {
			continue
		}
		e := &s.Offline.Examples
		for _, example := range slices.Concat(e.Pass, e.Redirect, e.Reject, e.KickOut, e.FollowUp) {
			if example.Answer != "" && written < maxDialogues {
				fmt.Fprintf(&out, "<START>\n{{player_name}}: %s\n{{persona_name}}: %s\n", example.Say, example.Answer)
				written++
			}
		}
	}
	return strings.TrimSpace(out.String())
}

// openings returns the persona's opening lines.
func openings(p *personas.Persona) []string {
	if s := firstState(p); s != nil && s.Offline != nil {
		return s.Offline.Opening
	}
	return nil
}

// writeGreetings writes the openings, unless they are those of the card.
func (x *exporter) writeGreetings() {
	lines := openings(x.p)
	if x.isFromCard() && slices.Equal(lines, openings(&x.before)) {
		return
	}
	first, others := "", listNode()
	for i, line := range lines {
		text := x.t.untranslate(line, fmt.Sprintf("opening[%d]", i), x.variables)
		if i == 0 {
			first = text
			continue
		}
		others.items = append(others.items, textNode(text))
	}
	x.data.set("first_mes", textNode(first))
	x.data.set("alternate_greetings", others)
	if len(lines) > 0 {
		x.take("opening", "data.first_mes, %s", countThings(len(lines)-1, "alternate greeting"))
	}
}

// takePortrait returns the portrait's image.
func (x *exporter) takePortrait() ([]byte, error) {
	if x.p.Portrait == "" {
		return nil, nil
	}
	data, err := portrait.ReadURI(x.p.Portrait)
	if err == nil {
		_, err = portrait.DecodeImage(data)
	}
	if err != nil {
		return nil, fmt.Errorf("portrait: %w", err)
	}
	x.take("portrait", "the card's picture")
	return data, nil
}

// reportRest reports the parts of a persona that do not fit in a card.
func (x *exporter) reportRest() {
	p := x.p
	for _, c := range x.t.changes {
		x.report.Changed = append(x.report.Changed, Note{c.place, c.describe()})
	}
	for i := range p.Machines {
		m := &p.Machines[i]
		states, transitions := countThings(len(m.States), "state"), countThings(len(m.Transitions), "transition")
		x.leave("machine "+m.Key, "%s, %s, their criteria, lines and examples", states, transitions)
	}
	if len(p.Links) > 0 {
		x.leave("machine_links", "%s", countThings(len(p.Links), "link"))
	}
	if len(p.Variables) > 0 {
		x.leave("variables", "%s; where a text uses one, its value is written", countThings(len(p.Variables), "variable"))
	}
	for _, m := range p.Extra {
		if m.Name != Member {
			x.leave(m.Name, "a member of your own")
		}
	}
}

// JSON returns the card as JSON. The picture is in it, as a data URI.
func (e *Export) JSON() ([]byte, error) {
	root := e.root
	if e.picture != nil {
		uri, err := portrait.EncodeURI(e.picture)
		if err != nil {
			return nil, err
		}
		root = root.clone()
		addIcon(root.get("data"), uri, strings.TrimPrefix(portrait.FileEnding(e.picture), "."))
	}
	var out bytes.Buffer
	if err := json.Indent(&out, root.appendJSON(nil), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return escapeHidden(out.Bytes()), nil
}

// escapeHidden writes the characters beyond ASCII that a terminal obeys, or that do not show,
// as escapes. In JSON they are in texts and names alone.
func escapeHidden(text []byte) []byte {
	if !bytes.ContainsFunc(text, isHidden) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if !isHidden(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, "\\u%04x", unit)
		}
	}
	return out
}

func isHidden(r rune) bool { return r == 0x7f || r >= utf8.RuneSelf && plaintext.IsObeyed(r) }

// addIcon puts a picture in front of the card's assets. It is the main one, unless the card
// names another one, which is elsewhere.
func addIcon(data *node, uri, ending string) {
	assets := data.get("assets")
	if assets == nil || assets.kind != '[' {
		assets = listNode()
	}
	name := "main"
	isMain := func(a *node) bool { return textOf(a.get("type")) == "icon" && textOf(a.get("name")) == name }
	if slices.ContainsFunc(assets.items, isMain) {
		name = "portrait"
	}
	icon := &node{kind: '{'}
	icon.set("type", textNode("icon"))
	icon.set("uri", textNode(uri))
	icon.set("name", textNode(name))
	icon.set("ext", textNode(ending))
	data.set("assets", listNode(append([]*node{icon}, assets.items...)...))
}

// olderNotes is shown by an older program, which reads the card as V2.
const olderNotes = "This card is of V3 and was read as V2: use a program that reads V3 to have all of it."

// PNG returns the card as a PNG: the persona's portrait, with the card in it as V3 and, for
// older programs, as V2.
func (e *Export) PNG() ([]byte, error) {
	if e.picture == nil {
		return nil, errors.New("a PNG card is a picture, and the persona has no portrait: name one, or write to .json")
	}
	picture, err := portrait.AsPNG(e.picture)
	if err != nil {
		return nil, fmt.Errorf("portrait: %w", err)
	}
	older := e.root.clone()
	older.set("spec", textNode(specV2))
	older.set("spec_version", textNode("2.0"))
	data := older.get("data")
	notes := strings.TrimSpace(textOf(data.get("creator_notes")) + "\n\n" + olderNotes)
	data.set("creator_notes", textNode(notes))
	v2, v3 := string(older.appendJSON(nil)), string(e.root.appendJSON(nil))
	return addToPNG(picture, [2]string{keywordV2, v2}, [2]string{keywordV3, v3})
}
