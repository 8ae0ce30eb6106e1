package card

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/portrait"
)

// Export is a V3 card made from a persona.
type Export struct {
	root    object
	picture []byte // nil without a portrait
	Report  Report
}

// FromPersona converts a persona to a card. If the persona was made from a card, unchanged and
// unknown members of that card are copied.
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
	return &Export{x.root, picture, x.Report}, nil
}

type exporter struct {
	Report
	p         *personas.Persona
	machine   *personas.Machine // exported machine, or nil
	variables *personas.VariableTable
	t         *translator
	root      object
	data      object
	from      *Card            // original card, or nil
	before    personas.Persona // result of converting the original card
}

func firstMachine(p *personas.Persona) *personas.Machine {
	for i := range p.Machines {
		m := &p.Machines[i]
		if m.IsEntry || !slices.ContainsFunc(p.Links, func(l personas.Link) bool { return l.Target == m.Key }) {
			return m
		}
	}
	return nil
}

func (x *exporter) findCard() error {
	i := slices.IndexFunc(x.p.Extra, func(m personas.Member) bool { return m.Name == Member })
	if i < 0 {
		x.root = toV3(object{}, V3)
		x.data = objectOf(x.root["data"])
		return nil
	}
	root, err := parseJSON(x.p.Extra[i].Value)
	if err == nil {
		x.from, err = readCard(root, JSON)
	}
	if err != nil {
		return fmt.Errorf("%s is not a valid card: %w; remove or correct it", Member, err)
	}
	x.before = newConversion(x.from).convert()
	x.root = x.from.document
	x.data = objectOf(x.root["data"])
	return nil
}

func (x *exporter) isFromCard() bool { return x.from != nil }

func (x *exporter) write(name, text, place string) {
	x.data[name] = x.t.untranslate(text, place, x.variables)
	if text != "" {
		x.take(place, "data.%s", name)
	}
}

func (x *exporter) writeTexts() {
	persona := x.p
	if !x.isFromCard() || persona.Name != x.before.Name {
		x.write("name", persona.Name, "name")
	}
	x.writeNotes()
	if !x.isFromCard() || chatPromptOf(persona) != chatPromptOf(&x.before) {
		x.write("post_history_instructions", chatPromptOf(persona), "chat_system_prompt")
	}
	if x.isFromCard() && persona.IdentityPrompt == x.before.IdentityPrompt {
		return
	}
	x.write("description", persona.IdentityPrompt, "persona_identity_prompt")
	for _, name := range []string{"personality", "scenario", "system_prompt", "mes_example"} {
		x.data[name] = "" // The description contains it.
	}
	if x.isFromCard() || x.machine == nil {
		return
	}
	scene := x.machine.Description
	if s := firstState(persona); s != nil {
		scene += "\n" + s.PromptInstruction
	}
	x.write("scenario", strings.TrimSpace(scene), "the first machine's description and its first state's prompt_instruction")
	x.write("mes_example", x.listExamples(), "examples with an answer")
}

func (x *exporter) writeNotes() {
	p := x.p
	if x.isFromCard() && p.PerplexityDescription == x.before.PerplexityDescription {
		if p.Description != x.before.Description {
			x.leave("description", "a card has no such member, only the start of its character's description")
		}
		return
	}
	notes, place := p.PerplexityDescription, "perplexity_description"
	if notes == "" {
		notes, place = p.Description, "description"
	}
	x.write("creator_notes", notes, place)
	delete(x.data, "creator_notes_multilingual")
}

func chatPromptOf(p *personas.Persona) string {
	if m := firstMachine(p); m != nil {
		return m.ChatPrompt
	}
	return ""
}

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

const maxDialogues = 10

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

func openings(p *personas.Persona) []string {
	if s := firstState(p); s != nil && s.Offline != nil {
		return s.Offline.Opening
	}
	return nil
}

func (x *exporter) writeGreetings() {
	lines := openings(x.p)
	if x.isFromCard() && slices.Equal(lines, openings(&x.before)) {
		return
	}
	first, others := "", []any{}
	for i, line := range lines {
		text := x.t.untranslate(line, fmt.Sprintf("opening[%d]", i), x.variables)
		if i == 0 {
			first = text
			continue
		}
		others = append(others, text)
	}
	x.data["first_mes"], x.data["alternate_greetings"] = first, others
	if len(lines) > 0 {
		x.take("opening", "data.first_mes, %s", countThings(len(lines)-1, "alternate greeting"))
	}
}

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

func (x *exporter) reportRest() {
	persona := x.p
	for _, c := range x.t.changes {
		x.change(c.place, "%s", c.describe())
	}
	for i := range persona.Machines {
		m := &persona.Machines[i]
		states, transitions := countThings(len(m.States), "state"), countThings(len(m.Transitions), "transition")
		x.leave("machine "+m.Key, "%s, %s, their criteria, lines and examples", states, transitions)
	}
	if len(persona.Links) > 0 {
		x.leave("machine_links", "%s", countThings(len(persona.Links), "link"))
	}
	if len(persona.Variables) > 0 {
		variables := countThings(len(persona.Variables), "variable")
		x.leave("variables", "%s; the card's texts contain their default values instead", variables)
	}
	for _, m := range persona.Extra {
		if m.Name != Member {
			x.leave(m.Name, "a custom member")
		}
	}
}

// JSON returns the card as JSON. The picture is a data URI.
func (e *Export) JSON() ([]byte, error) {
	root := e.root
	if e.picture != nil {
		uri, err := portrait.EncodeURI(e.picture)
		if err != nil {
			return nil, err
		}
		data := maps.Clone(objectOf(root["data"]))
		addIcon(data, uri, strings.TrimPrefix(portrait.FileEnding(e.picture), "."))
		root = maps.Clone(root)
		root["data"] = data
	}
	var out bytes.Buffer
	if err := json.Indent(&out, encodeJSON(root), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return escapeHidden(out.Bytes()), nil
}

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

func addIcon(data object, uri, ending string) {
	assets, _ := data["assets"].([]any)
	name := "main"
	isMainIcon := func(asset any) bool {
		return objectOf(asset)["type"] == "icon" && objectOf(asset)["name"] == "main"
	}
	if slices.ContainsFunc(assets, isMainIcon) {
		name = "portrait"
	}
	data["assets"] = append([]any{object{"type": "icon", "uri": uri, "name": name, "ext": ending}}, assets...)
}

// PNG returns the portrait as a PNG with the card in text chunks. One chunk is V3 and another is
// V2, for older programs.
func (e *Export) PNG() ([]byte, error) {
	if e.picture == nil {
		return nil, errors.New("a PNG card needs a picture, but the persona has no portrait: set one, or write to a .json file")
	}
	picture, err := portrait.AsPNG(e.picture)
	if err != nil {
		return nil, fmt.Errorf("portrait: %w", err)
	}
	older := maps.Clone(e.root)
	older["spec"], older["spec_version"] = specV2, "2.0"
	v2, v3 := string(encodeJSON(older)), string(encodeJSON(e.root))
	return addToPNG(picture, [2]string{keywordV2, v2}, [2]string{keywordV3, v3})
}
