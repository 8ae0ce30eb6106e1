package views

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// OpeningCard is the card at the start of a conversation. Texts are clean, and empty texts are
// omitted.
type OpeningCard struct {
	Name, About string
	Goal        string
	Tries       string // explains the tries
	Score       string // explains the score
	Help        string // key or command for the help
	Found       string // for example "2 of 4 endings"
	// Portrait may be nil. Portrait.Frame can change while the card is visible.
	Portrait *Portrait
}

// Portrait is the character's picture. Frame is nil until the picture is drawn.
type Portrait struct {
	Frame  *Frame
	Hidden bool // the theme has no colours
}

func (p *Portrait) forget() string {
	if p.Frame == nil {
		return ""
	}
	return p.Frame.Forget
}

const faceWidth = 8

const (
	minIconCard    = 46
	minPictureCard = 64
)

// DrawLines returns lines of at most width cells.
func (c *OpeningCard) DrawLines(st *Styles, width int) []string {
	if c.hasPicture() && width >= minPictureCard {
		return c.pictureLines(st, width)
	}
	lines := append(c.headLines(st, width), "")
	for _, row := range c.listRows() {
		lines = append(lines, rowLines(st, row, width)...)
	}
	return lines
}

func (c *OpeningCard) hasPicture() bool {
	return c.Portrait != nil && c.Portrait.Frame != nil && !c.Portrait.Hidden
}

func (c *OpeningCard) pictureLines(st *Styles, width int) []string {
	const margin = pictureColumns + 3
	words := append(c.nameLines(st, width-margin), "")
	for _, row := range c.listRows() {
		for _, line := range rowLines(st, row, width-margin+1) {
			words = append(words, strings.TrimPrefix(line, " "))
		}
	}
	return placeBeside(c.Portrait.Frame.Lines, pictureColumns, words)
}

func (c *OpeningCard) headLines(st *Styles, width int) []string {
	if width < minIconCard {
		return terminal.IndentLines(c.nameLines(st, width-2), 1)
	}
	if c.hasPicture() {
		return placeBeside(c.Portrait.Frame.Lines, pictureColumns, c.nameLines(st, width-pictureColumns-4))
	}
	initial := c.initial() + " "
	if ansi.StringWidth(initial) == 2 {
		initial = " " + initial
	}
	face := []string{"╭───╮", "│" + initial + "│", "╰───╯"}
	for i, line := range face {
		face[i] = st.Character.Render(line)
	}
	return placeBeside(face, faceWidth-3, c.nameLines(st, width-faceWidth-2))
}

func (c *OpeningCard) nameLines(st *Styles, room int) []string {
	words := []string{st.Character.Render(terminal.CutToWidth(c.Name, room))}
	for _, line := range WrapShort(st.Text, c.About, room+1, 3) {
		words = append(words, strings.TrimPrefix(line, " "))
	}
	return words
}

func placeBeside(face []string, width int, words []string) []string {
	var lines []string
	for i := range max(len(face), len(words)) {
		line := strings.Repeat(" ", width+3)
		if i < len(face) {
			line = " " + face[i] + "  "
		}
		if i < len(words) {
			line += words[i]
		}
		lines = append(lines, line)
	}
	return lines
}

func (c *OpeningCard) initial() string {
	for _, r := range c.Name {
		if letter := string(unicode.ToUpper(r)); unicode.IsLetter(r) && ansi.StringWidth(letter) > 0 {
			return letter
		}
	}
	return "?"
}

type row struct{ about, text string }

func (c *OpeningCard) listRows() []row {
	var rows []row
	if c.Goal != "" {
		rows = append(rows, row{"Your aim", c.Goal})
	}
	if c.Tries != "" {
		rows = append(rows, row{"Tries", c.Tries})
	}
	if c.Score != "" {
		rows = append(rows, row{"Score", c.Score})
	}
	if c.Found != "" {
		rows = append(rows, row{"Found", c.Found + " so far."})
	}
	talking := "Say whatever you like. What you do goes between *stars*. " + c.Help + " lists the keys."
	return append(rows, row{"Talking", talking})
}

const aboutWidth = 11

func rowLines(st *Styles, r row, width int) []string {
	var lines []string
	for i, line := range terminal.WrapText(r.text, max(width-aboutWidth-2, 16)) {
		about := ""
		if i == 0 {
			about = r.about
		}
		lines = append(lines, " "+st.Faint.Render(terminal.PadToWidth(about, aboutWidth))+st.Text.Render(line))
	}
	return lines
}
