// Package card reads character cards, the files in which other chat programs keep a character, and
// converts between them and persona documents. It supports the versions V1, V2 (chara_card_v2) and
// V3 (chara_card_v3) as JSON, within a PNG and as CHARX, a zip archive. Cards are untrusted input:
// everything in them is bounded before it is read. The package never opens a file.
package card

import (
	"bytes"
	"errors"
	"fmt"
)

// Bounds of a card. Larger ones are refused.
const (
	// MaxFile is the most bytes of a card file. The pictures of a CHARX are most of it.
	MaxFile = 64 << 20
	// maxJSON is the most bytes of a card's JSON.
	maxJSON = 16 << 20
	// maxLevels is how deep the JSON may nest. A persona has 100 levels, and the card is one
	// of its members.
	maxLevels = 64
	// maxValues is the maximum number of values in the JSON: about half of that for a persona.
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

// Container is the kind of file that a card was in.
type Container string

// The containers.
const (
	JSON  Container = "JSON"
	PNG   Container = "PNG"
	CHARX Container = "CHARX"
)

// Card is a character card. Texts are as in the file, macros such as {{char}} included.
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
	Creator, CardVersion   string
	Tags                   []string
	Book                   []Entry
	Picture                []byte // as in the file, or nil
	PictureSource          string // the source of the picture
	LeftAssets, OtherFiles []string

	// Notes describe the defects of the card that were ignored.
	Notes []Note

	whole  *node // the card as V3, without pictures
	hidden int   // characters that were taken out of texts
}

// Entry is an entry of a card's lorebook.
type Entry struct {
	Keys, SecondaryKeys []string
	Content             string
	Enabled, Constant   bool
	Selective, UseRegex bool
	Order               float64
}

// Note is a remark about a card. Place is a path in the card, such as "data.first_mes"; "" for the
// card as a whole.
type Note struct{ Place, Text string }

// ErrNoCard means that a file is not a character card, as opposed to a broken one.
var ErrNoCard = errors.New("not a character card")

// Read reads a card of any version from the content of a JSON, PNG or CHARX file. The error
// wraps ErrNoCard if the content is something else.
func Read(content []byte) (*Card, error) {
	if len(content) > MaxFile {
		return nil, fmt.Errorf("the file has more than %d MiB, the most that a card may have", MaxFile>>20)
	}
	switch {
	case bytes.HasPrefix(content, []byte(pngSignature)):
		return readPNG(content)
	case isArchive(content):
		return readArchive(content)
	case bytes.HasPrefix(content, []byte("\xff\xd8\xff")) && hasArchive(content):
		return readArchive(content) // Some programs put a JPEG in front of a CHARX.
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

// addNote adds a note about a place of the card.
func (c *Card) addNote(place, format string, args ...any) {
	c.Notes = append(c.Notes, Note{place, fmt.Sprintf(format, args...)})
}
