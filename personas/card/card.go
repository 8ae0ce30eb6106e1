// Package card reads character cards, and converts between cards and persona documents. A character
// card is a file in which other chat programs store one character. The package supports the
// versions V1, V2 (chara_card_v2) and V3 (chara_card_v3). A card may be JSON, inside a PNG, or
// CHARX (a zip archive). Cards are untrusted input, so their sizes are checked before they are
// decoded. The package never opens a file.
package card

import (
	"bytes"
	"errors"
	"fmt"
)

// Bounds of a card. Larger cards are rejected.
const (
	// MaxFile is the maximum size of a card file in bytes. Most of a large CHARX is pictures.
	MaxFile = 64 << 20
	maxJSON = 16 << 20
	// maxLevels is the maximum nesting depth of the JSON. It is less than the 100 levels of a
	// persona, because the card is stored in a member of the persona.
	maxLevels = 64
	// maxValues is the maximum number of values in the JSON. It is about half of the maximum for a
	// persona.
	maxValues = 100_000
)

// Version is the version of a card's format.
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

// Card is a character card. Its texts are as in the file, including macros such as {{char}}.
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
	Picture                []byte // the image file, or nil
	PictureSource          string // description of where Picture is from
	LeftAssets, OtherFiles []string

	// Notes describe problems in the card that Read ignored.
	Notes []Note

	whole  object // the card in the form of V3, without pictures
	hidden int    // number of invisible characters that were removed from texts
}

// Entry is an entry of a card's lorebook.
type Entry struct {
	Keys, SecondaryKeys []string
	Content             string
	Enabled, Constant   bool
	Selective, UseRegex bool
	Order               float64
}

// Note is a remark about a card. Place is a path in the card, such as "data.first_mes", or "" for
// the whole card.
type Note struct{ Place, Text string }

// ErrNoCard means that a file is not a character card. Other errors mean that the card is damaged.
var ErrNoCard = errors.New("not a character card")

// Read parses the content of a JSON, PNG or CHARX file as a card of any version. The error wraps
// ErrNoCard if the content is not a card.
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
