package card

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	specV2      = "chara_card_v2"
	specV3      = "chara_card_v3"
	specPrefix  = "chara_card_v"
	specVersion = "3.0"
)

var textMembers = []string{"name", "description", "personality", "scenario", "first_mes", "mes_example"}

var (
	moreTextMembers = []string{
		"creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version",
	}
	listMembers = []string{"alternate_greetings", "group_only_greetings", "tags"}
)

func readCard(root object, container Container) (*Card, error) {
	card := &Card{Container: container}
	if err := card.findVersion(root); err != nil {
		return nil, err
	}
	card.document = toV3(root, card.Version)
	d := objectOf(card.document["data"])
	card.Name, card.Nickname = card.readText(d, "name"), card.readText(d, "nickname")
	card.Description, card.Personality = card.readText(d, "description"), card.readText(d, "personality")
	card.Scenario, card.SystemPrompt = card.readText(d, "scenario"), card.readText(d, "system_prompt")
	card.PostHistory = card.readText(d, "post_history_instructions")
	card.FirstMessage, card.AlternateGreetings = card.readText(d, "first_mes"), card.readTexts(d, "alternate_greetings")
	card.GroupGreetings = card.readTexts(d, "group_only_greetings")
	card.ExampleMessages, card.CreatorNotes = card.readText(d, "mes_example"), card.readNotes(d)
	card.readBook(d["character_book"])
	if card.hidden > 0 {
		card.addNote("data", "%s removed from its texts, because they are invisible", countThings(card.hidden, "character"))
	}
	return card, nil
}

func (c *Card) findVersion(root object) error {
	spec := textOf(root["spec"])
	data, hasData := root["data"].(object)
	switch {
	case spec == "lorebook_v3":
		return fmt.Errorf("%w: it is a lorebook (lorebook_v3), which does not contain a character", ErrNoCard)
	case strings.HasPrefix(spec, specPrefix) && !hasData:
		return fmt.Errorf("the card has spec %q, but no object data for the character", spec)
	case spec == specV2, spec == "" && hasData && countMembers(data) >= 2:
		c.Version = V2
	case strings.HasPrefix(spec, specPrefix):
		c.Version = V3
		if version := textOf(root["spec_version"]); spec != specV3 || version != "" && version != specVersion {
			c.addNote("spec_version", "the card is newer than V3 (%s %s); new members are stored in x-card", spec, version)
		}
	case countMembers(root) >= 2:
		c.Version = V1
	default:
		members := strings.Join(textMembers, ", ")
		return fmt.Errorf("%w: it lacks both a spec (%s, %s) and the members of V1 (%s)", ErrNoCard, specV2, specV3, members)
	}
	return nil
}

// countMembers ignores the name and the description, because many other objects have these members.
func countMembers(o object) int {
	if _, ok := o["name"]; !ok {
		return 0
	}
	count := 0
	for _, name := range textMembers[2:] {
		if _, ok := o[name]; ok {
			count++
		}
	}
	return count
}

func toV3(root object, version Version) object {
	document, data := object{}, object{}
	for name, item := range root {
		switch {
		case version == V1 && slices.Contains(textMembers, name):
			data[name] = item
		case name != "data":
			document[name] = item
		case version != V1:
			data = maps.Clone(objectOf(item))
		}
	}
	document["spec"], document["data"] = specV3, data
	if _, ok := document["spec_version"]; !ok || version != V3 {
		document["spec_version"] = specVersion
	}
	addMissing := func(name string, value any) {
		if _, ok := data[name]; !ok {
			data[name] = value
		}
	}
	for _, name := range slices.Concat(textMembers, moreTextMembers) {
		addMissing(name, "")
	}
	for _, name := range listMembers {
		addMissing(name, []any{})
	}
	addMissing("extensions", object{})
	return document
}

// readText accepts numbers and booleans, because some programs write versions as numbers.
func (c *Card) readText(o object, name string) string {
	switch item := o[name].(type) {
	case nil:
	case string:
		return c.cleanText(item)
	case json.Number, bool:
		return fmt.Sprint(item)
	default:
		c.addNote("data."+name, "it should be a string, but it is %s", describe(item))
	}
	return ""
}

func (c *Card) readTexts(o object, name string) []string {
	switch item := o[name].(type) {
	case nil:
	case string:
		if item != "" {
			return []string{c.cleanText(item)}
		}
	case []any:
		texts, others := c.listTexts(item)
		if others > 0 {
			c.addNote("data."+name, "%s of the list should be strings but are not", countThings(others, "item"))
		}
		return texts
	default:
		c.addNote("data."+name, "it should be a list of strings, but it is %s", describe(item))
	}
	return nil
}

// listTexts keeps empty strings, so indexes match those in the card.
func (c *Card) listTexts(list []any) (texts []string, others int) {
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			others++
		}
		texts = append(texts, c.cleanText(text))
	}
	return texts, others
}

func (c *Card) readNotes(d object) string {
	if english := textOf(objectOf(d["creator_notes_multilingual"])["en"]); english != "" {
		return c.cleanText(english)
	}
	return c.readText(d, "creator_notes")
}

func (c *Card) readBook(book any) {
	entries, ok := objectOf(book)["entries"].([]any)
	if !ok {
		if book != nil {
			c.addNote("data.character_book", "it should be an object with a list called entries")
		}
		return
	}
	for i, item := range entries {
		entry, ok := item.(object)
		if !ok {
			c.addNote(fmt.Sprintf("data.character_book.entries[%d]", i), "it should be an object, but it is %s", describe(item))
		}
		enabled, isSet := entry["enabled"].(bool)
		order, err := strconv.ParseFloat(fmt.Sprint(entry["insertion_order"]), 64)
		if err != nil || math.IsNaN(order) || math.IsInf(order, 0) {
			order = 0
		}
		c.Book = append(c.Book, Entry{
			Keys: c.listKeys(entry["keys"]), SecondaryKeys: c.listKeys(entry["secondary_keys"]),
			Content: c.cleanText(textOf(entry["content"])), Enabled: enabled || !isSet,
			Constant: entry["constant"] == true, Selective: entry["selective"] == true, UseRegex: entry["use_regex"] == true,
			Order: order,
		})
	}
}

// listKeys also accepts one comma-separated string, because some programs write all keys in one.
func (c *Card) listKeys(value any) []string {
	list, _ := value.([]any)
	texts, _ := c.listTexts(list)
	if text, ok := value.(string); ok {
		texts = strings.Split(c.cleanText(text), ",")
	}
	var keys []string
	for _, text := range texts {
		if key := strings.TrimSpace(text); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

func (c *Card) cleanText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return strings.Map(func(r rune) rune {
		if plaintext.IsObeyed(r) && r != '\n' && r != '\t' {
			c.hidden++
			return -1
		}
		return r
	}, text)
}

func countThings(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if word, ok := strings.CutSuffix(noun, "y"); ok {
		return strconv.Itoa(n) + " " + word + "ies"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Raw returns the whole card as V3, for the member x-card.
func (c *Card) Raw() json.RawMessage { return encodeJSON(c.document) }
