package tui

import (
	"context"
	"flag"
	"fmt"
	"html"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/wire"
)

// hotelPlay is a stage on which a sample persona is played from a script, with its
// author's own lines.
type hotelPlay struct {
	*stage
	script []scriptedTurn
}

type scriptedTurn struct {
	said, answer string
	fires        int // place among the machine's transitions, -1 for a follow-up
}

func newHotelPlay(t *testing.T) *hotelPlay {
	source, err := examples.Read("hotel")
	if err != nil {
		t.Fatal(err)
	}
	doc, _, faults := personas.Parse("hotel.yaml", source)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	h := &hotelPlay{stage: newStage()}
	full := wire.FullPersona{Persona: wire.Persona{PersonaItem: wire.PersonaItem{ID: "mira", Name: doc.Name, Description: doc.Description}}}
	for _, m := range doc.Machines {
		full.Machines = append(full.Machines, wire.Machine{ID: "m-" + m.Key, Machine: m})
	}
	full.Links = doc.Links
	h.persona = full
	return h
}

// InitSession opens with the author's line.
func (h *hotelPlay) InitSession(ctx context.Context, persona, machine string, body wire.InitSession) (wire.Opening, error) {
	opening, err := h.stage.InitSession(ctx, persona, machine, body)
	fill := strings.NewReplacer("{{player_name}}", body.PlayerName, "{{purpose}}", "My train was cancelled.")
	line := fill.Replace(h.doc(opening.MachineID).States[0].Offline.Opening[0])
	h.history[opening.MachineID][0].Content, opening.Message = line, line
	return opening, err
}

// StreamMessage makes the turn that the script has for the words.
func (h *hotelPlay) StreamMessage(_ context.Context, _, machine string, body wire.Message, onDelta func(string) error) (wire.Reply, error) {
	at := slices.IndexFunc(h.script, func(s scriptedTurn) bool { return s.said == body.Message })
	verdict := engine.FollowUp
	if h.script[at].fires >= 0 {
		verdict = engine.Fire(h.script[at].fires)
	}
	compiled, err := engine.Compile(&h.doc(machine).Machine)
	if err != nil {
		return wire.Reply{}, err
	}
	r, err := compiled.Step(*h.sessions[machine], verdict)
	if err != nil {
		return wire.Reply{}, err
	}
	if r.Completed() {
		h.vars = map[string]string{"purpose": "My train was cancelled."}
	}
	*h.sessions[machine], h.answer = r.Session, h.script[at].answer
	return h.reply(machine, body.Message, r), onDelta(h.answer)
}

// TestPicture draws docs/chat.svg, the picture in the README: a chat with a sample
// on a screen of 120 by 40. It fails when the picture is not what the screen shows
// now; -update draws it anew.
func TestPicture(t *testing.T) {
	d := newDriver(t, nil)
	h := newHotelPlay(t)
	h.script = []scriptedTurn{
		{"Is the dog staff?", "Breakfast is at seven, and the dog is staff. The reason for your stay?", 1},
		{"My train was cancelled.", "I see. I'll write it small.\n\nThree rules. No whistling on the stairs. Don't feed the lift. And after twelve, one stops counting. Which will you find hardest?", 0},
		{"What does the lift eat?", "It began with a sandwich. We don't speak of the sandwich. So, may I rely on you?", 5},
		{"The whistling will be hard for me.", "Thank you. Most people lie about the whistling.", 4},
	}
	d.root.opts.Service, d.root.desk.service = h, h
	d.root.opts.PlayerName, d.root.opts.PlayerGender = "Mara", "female"
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.TrueColor)
	d.root.st = themed(r, ThemeDark, false)
	d.resize(120, 40)
	d.due = append(d.due[:0], d.root.enter("mira"))
	d.settle()
	for _, turn := range h.script {
		d.say(turn.said)
	}
	picture := svgOf(d.root.View(), 120, 40)
	file := "../docs/chat.svg"
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(file, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != picture {
		t.Errorf("docs/chat.svg is not what the screen shows (-update draws it):\n%s", d.screen())
	}
}

// The picture's measures, in its own units: a cell and what surrounds the screen.
const (
	cellWidth  = 8.4
	cellHeight = 18
	frameEdge  = 16
)

// svgOf draws a screen: one text element for each run of one look, each line at
// its own height. Widths are forced, so that no font moves the columns.
func svgOf(screen string, width, height int) string {
	var b strings.Builder
	w, h := float64(width)*cellWidth+2*frameEdge, height*cellHeight+2*frameEdge
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`+"\n", w, h)
	b.WriteString("<title>A chat with Ottoline Frost: the conversation, and beside it the states, the score and the machines</title>\n")
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="10" fill="#16181d"/>`+"\n")
	for row, line := range strings.Split(screen, "\n") {
		for _, r := range strands(line) {
			r.draw(&b, row)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// strand is a piece of a line in one look, with the column where it begins.
type strand struct {
	column int
	text   string
	look   string
}

func (r strand) draw(b *strings.Builder, row int) {
	text := strings.TrimRight(r.text, " ")
	if text == "" {
		return
	}
	x := frameEdge + float64(r.column)*cellWidth
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
		x, frameEdge+row*cellHeight+14, float64(ansi.StringWidth(text))*cellWidth, r.look, html.EscapeString(text))
}

// strands takes a line apart at its colours.
func strands(line string) []strand {
	var list []strand
	column, look := 0, svgLook(nil)
	for part := range strings.SplitSeq(line, "\x1b[") {
		if before, after, found := strings.Cut(part, "m"); found && strings.Trim(before, "0123456789;") == "" && (column > 0 || len(list) > 0 || part != line) {
			look, part = svgLook(strings.Split(before, ";")), after
		}
		list = append(list, words(part, column, look)...)
		column += ansi.StringWidth(part)
	}
	return list
}

// words takes a text apart where more than one space stands, which who draws would
// make one.
func words(text string, column int, look string) []strand {
	var list []strand
	for text != "" {
		rest := strings.TrimLeft(text, " ")
		column += len(text) - len(rest)
		word, _, _ := strings.Cut(rest, "  ")
		list = append(list, strand{column, word, look})
		column, text = column+ansi.StringWidth(word), rest[len(word):]
	}
	return list
}

// svgLook makes attributes of SGR parameters.
func svgLook(codes []string) string {
	fill, extra := "#d7dae0", ""
	for i := 0; i < len(codes); i++ {
		switch codes[i] {
		case "1":
			extra += ` font-weight="bold"`
		case "3":
			extra += ` font-style="italic"`
		case "7":
			fill = "#ffffff"
		case "38":
			if i+4 < len(codes) && codes[i+1] == "2" {
				fill = "#" + hex(codes[i+2]) + hex(codes[i+3]) + hex(codes[i+4])
				i += 4
			}
		}
	}
	return fmt.Sprintf(` fill="%s"%s`, fill, extra)
}

func hex(decimal string) string {
	n, _ := strconv.Atoi(decimal)
	return fmt.Sprintf("%02x", n)
}
