package card

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

// The names of the specifications, as in the members spec and spec_version.
const (
	specV2      = "chara_card_v2"
	specV3      = "chara_card_v3"
	specPrefix  = "chara_card_v"
	specVersion = "3.0"
)

var textMembers = []string{"name", "description", "personality", "scenario", "first_mes", "mes_example"}

// moreTextMembers and listMembers are the additional required members of V2 and V3.
var (
	moreTextMembers = []string{
		"creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version",
	}
	listMembers = []string{"alternate_greetings", "group_only_greetings", "tags"}
)

func readCard(root *node, container Container) (*Card, error) {
	c := &Card{Container: container}
	if err := c.findVersion(root); err != nil {
		return nil, err
	}
	c.whole = toV3(root, c.Version)
	d := c.whole.get("data")
	c.Name, c.Nickname = c.readText(d, "name"), c.readText(d, "nickname")
	c.Description, c.Personality = c.readText(d, "description"), c.readText(d, "personality")
	c.Scenario, c.SystemPrompt = c.readText(d, "scenario"), c.readText(d, "system_prompt")
	c.PostHistory = c.readText(d, "post_history_instructions")
	c.FirstMessage, c.AlternateGreetings = c.readText(d, "first_mes"), c.readTexts(d, "alternate_greetings")
	c.GroupGreetings = c.readTexts(d, "group_only_greetings")
	c.ExampleMessages, c.CreatorNotes = c.readText(d, "mes_example"), c.readNotes(d)
	c.Creator, c.CardVersion = c.readText(d, "creator"), c.readText(d, "character_version")
	c.Tags = c.readTexts(d, "tags")
	c.readBook(d.get("character_book"))
	if c.hidden > 0 {
		c.addNote("data", "%s removed from its texts, because they are invisible", countThings(c.hidden, "character"))
	}
	return c, nil
}

// findVersion sets the version of a card from its spec. A V1 card has no spec and is recognized by
// its members.
func (c *Card) findVersion(root *node) error {
	spec := textOf(root.get("spec"))
	data := root.get("data")
	hasData := data != nil && data.kind == '{'
	switch {
	case spec == "lorebook_v3":
		return fmt.Errorf("%w: it is a lorebook (lorebook_v3), which does not contain a character", ErrNoCard)
	case strings.HasPrefix(spec, specPrefix) && !hasData:
		return fmt.Errorf("the card has spec %q, but no object data for the character", spec)
	case spec == specV2, spec == "" && hasData && countMembers(data) >= 2:
		c.Version = V2
	case strings.HasPrefix(spec, specPrefix):
		c.Version = V3
		if version := textOf(root.get("spec_version")); spec != specV3 || version != "" && version != specVersion {
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

// countMembers returns the number of V1 members in an object, or 0 if the name is missing. The
// members name and description do not count, because many other objects have them.
func countMembers(n *node) int {
	if n.get("name") == nil {
		return 0
	}
	count := 0
	for _, name := range textMembers[2:] {
		if n.get(name) != nil {
			count++
		}
	}
	return count
}

// toV3 converts a card of any version to V3 and adds the required members that are missing. It may
// use add, because parseJSON has removed duplicate members.
func toV3(root *node, version Version) *node {
	whole := &node{kind: '{'}
	whole.add("spec", textNode(specV3))
	whole.add("spec_version", textNode(specVersion))
	data := &node{kind: '{'}
	whole.add("data", data)
	for i, name := range root.names {
		switch item := root.items[i]; {
		case name == "spec":
		case name == "spec_version":
			if version == V3 {
				whole.set(name, item)
			}
		case version != V1 && name == "data":
			data.names, data.items = slices.Clone(item.names), slices.Clone(item.items)
		case name == "data": // V1 has no such member.
		case version == V1 && slices.Contains(textMembers, name):
			data.add(name, item)
		default:
			whole.add(name, item)
		}
	}
	for _, name := range slices.Concat(textMembers, moreTextMembers) {
		addMissing(data, name, textNode(""))
	}
	for _, name := range listMembers {
		addMissing(data, name, listNode())
	}
	addMissing(data, "extensions", &node{kind: '{'})
	return whole
}

func addMissing(n *node, name string, value *node) {
	if n.get(name) == nil {
		n.set(name, value)
	}
}

func textOf(n *node) string {
	if n != nil && n.kind == '"' {
		return n.text
	}
	return ""
}

// readText reads a member that should be a string. It accepts numbers and booleans, because some
// programs write versions as numbers.
func (c *Card) readText(n *node, name string) string {
	item := n.get(name)
	switch {
	case item == nil || item.kind == 'x' && item.text == "null":
		return ""
	case item.kind == '"':
		return c.cleanText(item.text)
	case item.kind == 'x':
		return item.text
	}
	c.addNote("data."+name, "it should be a string, but it is %s", item.describe())
	return ""
}

func (c *Card) readTexts(n *node, name string) []string {
	item := n.get(name)
	switch {
	case item == nil || item.kind == 'x' && item.text == "null":
		return nil
	case item.kind == '"' && item.text == "":
		return nil
	case item.kind == '"':
		return []string{c.cleanText(item.text)}
	case item.kind != '[':
		c.addNote("data."+name, "it should be a list of strings, but it is %s", item.describe())
		return nil
	}
	texts, others := c.listTexts(item)
	if others > 0 {
		c.addNote("data."+name, "%s of the list should be strings but are not", countThings(others, "item"))
	}
	return texts
}

// listTexts returns the strings of a list and the number of other items. It keeps empty strings, so
// that indexes in the result match those in the card.
func (c *Card) listTexts(list *node) (texts []string, others int) {
	if list == nil || list.kind != '[' {
		return nil, 0
	}
	for _, item := range list.items {
		if item.kind != '"' {
			others++
		}
		texts = append(texts, c.cleanText(textOf(item)))
	}
	return texts, others
}

func (c *Card) readNotes(d *node) string {
	if english := textOf(d.get("creator_notes_multilingual").get("en")); english != "" {
		return c.cleanText(english)
	}
	return c.readText(d, "creator_notes")
}

func (c *Card) readBook(book *node) {
	entries := book.get("entries")
	switch {
	case book == nil || book.kind == 'x':
		return
	case book.kind != '{' || entries == nil || entries.kind != '[':
		c.addNote("data.character_book", "it should be an object with a list called entries")
		return
	}
	for i, item := range entries.items {
		if item.kind != '{' {
			c.addNote(fmt.Sprintf("data.character_book.entries[%d]", i), "it should be an object, but it is %s", item.describe())
		}
		c.Book = append(c.Book, Entry{
			Keys:          c.listKeys(item.get("keys")),
			SecondaryKeys: c.listKeys(item.get("secondary_keys")),
			Content:       c.cleanText(textOf(item.get("content"))),
			Enabled:       isTrue(item.get("enabled"), true),
			Constant:      isTrue(item.get("constant"), false),
			Selective:     isTrue(item.get("selective"), false),
			UseRegex:      isTrue(item.get("use_regex"), false),
			Order:         numberOf(item.get("insertion_order")),
		})
	}
}

// listKeys returns the keys of an entry. Some programs write them as one comma-separated string.
func (c *Card) listKeys(n *node) []string {
	texts, _ := c.listTexts(n)
	if n != nil && n.kind == '"' {
		texts = strings.Split(c.cleanText(n.text), ",")
	}
	var keys []string
	for _, text := range texts {
		if key := strings.TrimSpace(text); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

func isTrue(n *node, missing bool) bool {
	if n == nil || n.kind != 'x' || n.text == "null" {
		return missing
	}
	return n.text == "true"
}

func numberOf(n *node) float64 {
	if n == nil {
		return 0
	}
	number, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
		return 0
	}
	return number
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

func countThings(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if word, ok := strings.CutSuffix(thing, "y"); ok {
		return strconv.Itoa(n) + " " + word + "ies"
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// Raw returns the whole card as V3, as stored in a persona's member x-card.
func (c *Card) Raw() json.RawMessage { return c.whole.appendJSON(nil) }
