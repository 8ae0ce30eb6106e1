// Package card reads character cards and converts between cards and persona documents. A character
// card describes one character for other chat programs. The package supports V1, V2 (chara_card_v2)
// and V3 (chara_card_v3) as JSON, inside a PNG, or as CHARX (a zip archive). Cards are untrusted,
// so sizes are checked before decoding. The package never opens a file.
package card

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Bounds of a card. Larger cards are rejected.
const (
	// MaxFile is the maximum size of a card file in bytes. Most of a large CHARX is pictures.
	MaxFile = 64 << 20
	maxJSON = 16 << 20
	// Less than the 100 levels of a persona, because the persona contains the card.
	maxLevels = 64
	maxValues = 100_000
)

// Version is the version of the card format.
type Version int

// The versions.
const (
	V1 Version = 1 + iota
	V2
	V3
)

// String returns the name of the version, such as "V2".
func (v Version) String() string { return fmt.Sprintf("V%d", int(v)) }

// Container is the file format of a card.
type Container string

// The containers.
const (
	JSON  Container = "JSON"
	PNG   Container = "PNG"
	CHARX Container = "CHARX"
)

// Card is a character card. Texts are unchanged and may contain macros such as {{char}}.
type Card struct {
	Version   Version
	Container Container

	Name, Nickname         string
	Description            string
	Personality, Scenario  string
	SystemPrompt           string
	PostHistory            string
	FirstMessage           string
	AlternateGreetings     []string
	GroupGreetings         []string
	ExampleMessages        string
	CreatorNotes           string
	Book                   []Entry
	Picture                []byte // image file, or nil
	PictureSource          string // description of the origin of Picture
	LeftAssets, OtherFiles []string

	// Notes describe problems that Read ignored.
	Notes []Note

	document object // card as V3, without pictures
	hidden   int    // number of invisible characters removed from texts
}

// Entry is an entry of a lorebook.
type Entry struct {
	Keys, SecondaryKeys []string
	Content             string
	Enabled, Constant   bool
	Selective, UseRegex bool
	Order               float64
}

// Note is a remark about a card. Place is a path such as "data.first_mes", or "" for the whole
// card.
type Note struct{ Place, Text string }

// ErrNoCard means that a file is not a character card. A damaged card causes other errors.
var ErrNoCard = errors.New("not a character card")

// Read parses a JSON, PNG or CHARX file as a card of any version. If the content is not a card, the
// error wraps ErrNoCard.
func Read(content []byte) (*Card, error) {
	if len(content) > MaxFile {
		return nil, fmt.Errorf("the file is larger than %d MiB, the maximum for a card", MaxFile>>20)
	}
	switch {
	case bytes.HasPrefix(content, []byte(pngSignature)):
		return readPNG(content)
	case bytes.HasPrefix(content, []byte(zipBegin)), bytes.HasPrefix(content, []byte(zipEmpty)):
		return readArchive(content)
	case bytes.HasPrefix(content, []byte("\xff\xd8\xff")) && bytes.Contains(content, []byte(zipEmpty)):
		return readArchive(content) // Some programs put a JPEG before a CHARX.
	}
	root, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	c, err := readCard(root, JSON)
	if err == nil {
		c.takeAssets(nil)
	}
	return c, err
}

func (c *Card) addNote(place, format string, args ...any) {
	c.Notes = append(c.Notes, Note{place, fmt.Sprintf(format, args...)})
}

type comment struct{ path, text string }

var comments = []comment{
	{"name", "Converted from a character card. What a card does not contain is marked TODO: see evaluation_criteria."},
	{"machines[0].states[0].evaluation_criteria", `
Write here when the player wins this conversation. A model judges the messages by this
text. For play without a model, also add offline.examples.pass: things that a winning
player says. A card contains neither; without them the conversation never ends.`},
	{"machines[0].transitions", `Other decisions (redirect, reject, kick_out) need a criterion and a transition each; for
redirects, max_redirects is the number of tries.`},
	{"offline", "Answers to questions. They do not change the score, and are not sent to a model."},
	{Member, "The whole card as V3, for `parley persona export`. It is sent with the persona but not used."},
}

// EncodeYAML encodes a persona from Card.Persona. Comments in the text list the parts that the
// author has to add.
func EncodeYAML(p personas.Persona) ([]byte, error) {
	text, err := personas.EncodeYAML(p)
	if err != nil {
		return nil, err
	}
	_, places, faults := personas.Parse("card.yaml", text)
	switch {
	case len(text) > personas.MaxFile:
		return nil, fmt.Errorf("the persona would be larger than the maximum of %d MiB", personas.MaxFile>>20)
	case len(faults) > 0:
		return nil, fmt.Errorf("the card cannot be converted to a persona: %s", faults[0].Message)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, c := range slices.Backward(comments) {
		if !places.Has(c.path) {
			continue
		}
		position := places.Key(c.path)
		indent := strings.Repeat(" ", position.Column-1)
		comment := indent + "# " + strings.ReplaceAll(strings.TrimSpace(c.text), "\n", "\n"+indent+"# ") + "\n"
		lines = slices.Insert(lines, position.Line-1, []byte(comment))
	}
	return bytes.Join(lines, nil), nil
}
