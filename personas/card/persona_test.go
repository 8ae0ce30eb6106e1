package card_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/personas/prove"
)

func mustConvert(t testing.TB, content []byte) (personas.Persona, card.Report) {
	t.Helper()
	p, report, err := mustRead(t, content).Persona()
	assert.NoError(t, err)
	return p, report
}

func parseFile(t testing.TB, p personas.Persona) personas.Persona {
	t.Helper()
	text := assert.Value(card.EncodeYAML(p))(t)
	again, _, faults := personas.Parse("card.yaml", text)
	assert.Empty(t, faults, text)
	return again
}

func listNotes(notes []card.Note) string {
	var lines []string
	for _, n := range notes {
		lines = append(lines, n.Place+": "+n.Text)
	}
	return strings.Join(lines, "\n")
}

// TestPersona: each member of a card is converted correctly, and the persona is valid and can be won.
func TestPersona(t *testing.T) {
	t.Parallel()
	p, report := mustConvert(t, []byte(cardV2))
	const prompt = `You are {{persona_name}}.

{{persona_name}} keeps the toll bridge. {{player_name}} wants to cross.

Personality: gruff, fair

Scenario: A bridge at dusk.

What is always true:
Always the river.

How {{persona_name}} talks, in examples that have not happened:
{{player_name}}: Let me pass.
{{persona_name}}: Coin first.`
	assert.True(t, p.Name == "Odo" && p.IdentityPrompt == prompt && p.Description == "Odo keeps the toll bridge." && p.PerplexityDescription == "for tests",
		"%q, %q, %q\n%s", p.Name, p.Description, p.PerplexityDescription, p.IdentityPrompt)
	m := p.Machines[0]
	if want := []string{"*{{persona_name}} lowers the pole.* Two coppers, {{player_name}}.", "Bridge is shut."}; !slices.Equal(m.States[0].Offline.Opening, want) || m.ChatPrompt != "Stay short." {
		t.Errorf("%q, %q", m.States[0].Offline.Opening, m.ChatPrompt)
	}
	want := []personas.Answer{
		{Ask: []string{"war"}, Say: []string{"The war ended at this bridge."}}, {Ask: []string{"toll", "fee"}, Say: []string{"The toll is two coppers."}},
		{Ask: []string{"Let me pass."}, Say: []string{"Coin first."}},
	}
	assert.DeepEqual(t, p.Offline.Answers, want)
	for _, found := range lint.All(&p, nil) {
		assert.True(t, found.Severity != lint.Error && (found.Severity != lint.Warning || found.Check == "todo-left"), "%s: %s", found.Check, found.Message)
	}
	proved, err := prove.Persona(&p)
	assert.True(t, err == nil && proved.Machines[0].Outcomes[0].Reachable, "it cannot be won: %v, %+v", err, proved)
	for place, told := range map[string]string{
		"data.system_prompt: {{original}} is left out": listNotes(report.Changed), "entries[1]: its decorators are left out: @@depth": listNotes(report.Changed),
		"entries[3]: it is disabled": listNotes(report.Left), "entries[4]: its keys are regular expressions": listNotes(report.Left), "data.unheard_of: stored in x-card": listNotes(report.Left),
		"data.post_history_instructions: chat_system_prompt": listNotes(report.Taken), "{{char}}: {{persona_name}}, 4 times\n{{user}}: {{player_name}}, 3 times": listNotes(report.Changed),
	} {
		assert.Contains(t, told, place)
	}
}

// TestPersonaOfV3: a nickname is preferred to the name, and the changes of macros are reported with their places.
func TestPersonaOfV3(t *testing.T) {
	t.Parallel()
	p, report := mustConvert(t, []byte(cardV3))
	assert.Equal(t, p.Name, "Ines of the Lamp")
	assert.Equal(t, p.IdentityPrompt, "You are Ines.\n\nInes keeps a light.")
	assert.Equal(t, p.PerplexityDescription, "A keeper.")
	assert.Equal(t, p.Machines[0].States[0].Offline.Opening[0], "Ines waves. Evening, {{player_name}}. It is [time].")
	told := listNotes(report.Changed)
	for _, want := range []string{"data.first_mes: {{// not yet}} is left out", `{{random:Evening,Morning}} is replaced by "Evening"`, `{{time}} is replaced by "[time]"`, "the icon is not used: the card does not contain the file"} {
		assert.Contains(t, told, want)
	}
	left := listNotes(report.Left)
	assert.True(t, strings.Contains(left, "1 greeting for a group") && strings.Contains(left, "data.assets: emotion happy"), "%s", left)
}

// TestLorebook: entries as programs write them are converted to answers if possible.
func TestLorebook(t *testing.T) {
	t.Parallel()
	p, report := mustConvert(t, []byte(`{"spec": "chara_card_v2", "data": {"name": "Odo", "description": "[Age(40)]", "scenario": "{{user}} waits.", "character_book": {"entries": [
		{"keys": ["oak", "wood"], "use_regex": true, "content": "Old oaks."}, {"keys": ["a.b", "/x/"], "use_regex": true, "content": "Never."}, {"keys": ["ferry", "fer+y"], "use_regex": true, "content": "It sank."},
		{"keys": ["sun"], "content": "@@depth 3\n@@@role system\nIt is warm.\n@@late"},
		{"keys": ["key"], "content": "Gold.", "selective": true, "secondary_keys": ["lock"]}, {"keys": ["x"], "content": "@@dont_activate\nNo."}, {"keys": ["y"], "content": "@@activate\nYes."}]}}}`))
	var got []string
	for _, a := range p.Offline.Answers {
		got = append(got, strings.Join(a.Ask, "+")+": "+strings.Join(a.Say, "|"))
	}
	want := []string{"oak+wood: Old oaks.", "ferry: It sank.", "sun: It is warm.\n@@late", "key: Gold."}
	assert.EqualSlices(t, got, want)
	assert.Equal(t, p.Description, "The player waits.")
	assert.Contains(t, p.IdentityPrompt, "What is always true:\nYes.")
	told := listNotes(report.Changed) + "\n" + listNotes(report.Left)
	for _, want := range []string{"entries[2]: regular expressions among its keys are left out (1)", "entries[4]: its secondary keys", "entries[1]: its keys are regular", "entries[5]: its decorator @@dont_activate"} {
		assert.Contains(t, told, want)
	}
}

// TestPoorCards: a card with hardly any content is converted to a valid persona, and so is one with too much.
func TestPoorCards(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long words ", 8000)
	for name, content := range map[string]string{
		"nothing":      `{"spec": "chara_card_v2", "data": {}}`,
		"no greeting":  `{"name": "A", "personality": "", "first_mes": "", "mes_example": ""}`,
		"long":         `{"name": "` + long + `", "description": "` + long + `", "personality": "` + long + `", "scenario": "x", "first_mes": "` + long + `", "mes_example": "` + long + `"}`,
		"hostile name": `{"name": "\u001b]0;x\u0007 {{user}}\u202e::error::\n", "personality": "", "scenario": "", "first_mes": ""}`,
		"braces":       `{"name": "A", "personality": "{{{{a}}}} {{ {{b}} {{char}}", "scenario": "}} {{c}} {{reverse:{{user}}}}", "first_mes": "{{char"}`,
		"properties":   `{"name": "A", "description": "[Age(40) Job(\"smith\")]", "scenario": "", "first_mes": "x"}`,
		"YAML words":   `{"name": "no", "description": "yes", "personality": "1e3", "scenario": "2024-01-01", "first_mes": "~", "spec_version": 3}`,
		"entries":      `{"spec": "chara_card_v3", "data": {"name": "A", "first_mes": "{{user}}", "character_book": {"entries": [{"keys": ["{{char}}"], "content": "{{user}} {{x}}", "constant": true}, {"keys": [""], "content": "a"}, {}]}}}`,
	} {
		p, _ := mustConvert(t, []byte(content))
		again := parseFile(t, p)
		for _, found := range lint.All(&again, nil) {
			assert.True(t, found.Severity != lint.Error, "%s: %s: %s", name, found.Check, found.Message)
		}
		assert.True(t, !strings.ContainsAny(p.Name, "\x1b\x07\n\u202e"), "%s: %q", name, p.Name)
	}
}

// TestPicture: the card's picture becomes a portrait that fits, without the card's data in it.
func TestPicture(t *testing.T) {
	t.Parallel()
	face := drawFace(300, 450)
	large := encodePNG(t, face)
	content := slices.Concat(large[:33], textChunk("chara", cardV1), large[33:])
	for name, content := range map[string][]byte{"small": withChunks(t, textChunk("chara", cardV1)), "large": content} {
		p, report := mustConvert(t, content)
		data, err := portrait.ReadURI(p.Portrait)
		if err != nil || strings.Contains(string(data), "chara") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		picture, err := portrait.DecodeImage(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		size := picture.Bounds().Size()
		assert.True(t, max(size.X*3-size.Y*2, size.Y*2-size.X*3) <= 3, "%s: %v\n%s", name, size, listNotes(report.Taken))
		assert.Contains(t, listNotes(report.Taken), "the PNG itself, as the portrait", name)
	}
	cut := withChunks(t, textChunk("chara", cardV1))
	at := strings.Index(string(cut), "IDAT")
	cut[at+20] ^= 0xff
	p, report := mustConvert(t, cut)
	assert.Equal(t, p.Portrait, "")
	assert.Contains(t, listNotes(report.Left), "picture: the PNG itself cannot be the portrait")
}

// TestComments: the comments in the file list the remaining work.
func TestComments(t *testing.T) {
	t.Parallel()
	p, _ := mustConvert(t, []byte(cardV2))
	text := assert.Value(card.EncodeYAML(p))(t)
	for _, want := range []string{
		"        # player says. A card contains neither; without them the conversation never ends.\n        evaluation_criteria:\n",
		"\n# The whole card as V3, for `parley persona export`. It is sent with the persona but not used.\nx-card:\n",
		"# Converted from a character card.",
	} {
		assert.Contains(t, string(text), want)
	}
	assert.DeepEqual(t, parseFile(t, p), parseFile(t, parseFile(t, p)), "the persona differs after it was read again")
	formatted := assert.Value(personas.Format("card.yaml", text))(t)
	assert.True(t, string(formatted) == string(text), "it is not in its canonical form:\n%s", formatted)
}
