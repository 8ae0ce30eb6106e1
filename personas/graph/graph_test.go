package graph

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/personatest"
)

// linkedPersona returns a persona with a machine "a" that ends with 0 or 3, and others like it behind links.
func linkedPersona(n int) personas.Persona {
	m := personas.Machine{Key: "rooms", Name: fmt.Sprintf("%d rooms", n)}
	key := func(i int) string { return fmt.Sprintf("room-%d", i) }
	add := func(from, to int, d personas.Decision, delta, priority int) {
		m.Transitions = append(m.Transitions, personas.Transition{From: key(from), To: key(to), Decision: d, ScoreDelta: delta, Priority: priority})
	}
	for i := range n {
		m.States = append(m.States, personas.State{Key: key(i), Label: fmt.Sprintf("Room number %d", i), IsInitial: i == 0, IsTerminal: i >= n-2})
		if i >= n-2 {
			continue
		}
		add(i, i+1, personas.DecidePass, 1, 0)
		if i%3 == 1 {
			add(i, min(n-1, i+2+i*7%4), personas.DecidePass, 2, 1)
		}
		if i%4 == 2 {
			add(i, max(0, i-1-i*5%4), personas.DecideReject, -1, 0)
		}
		add(i, i, personas.DecideRedirect, 0, 1+i%2)
		if i%5 == 0 {
			add(i, i, personas.DecideKickOut, -5, -1)
		}
	}
	return personas.Persona{Name: "Rooms", Machines: []personas.Machine{m}}
}

// hostile contains texts that pictures must be able to show.
var hostile = []string{
	`"quoted" 'text'`, `</text><script>alert(1)</script>`, "a\nb\r\nc\td", `a]b}c)d|e;f`, `%%{init: {"theme":"x"}}%%`, "`**md**`", "1. one", "- list",
	`\n \N \G \"`, "\u202eright to left\u2066", "e\u0301 \u200bzero", "日本語の部屋", "🙂👩‍🚀", "&amp;&lt;#35;", "end", "]]>", "<!--", "\x00\x1b[31mred\x07", "\xff\xfe",
	strings.Repeat("long ", 100), strings.Repeat("w", 300), "", "  ", "$$x^2$$", "\ufeff\uffff\U000e0001",
}

func hostilePersona(s string) personas.Persona {
	p := linkedPersona(5)
	m := &p.Machines[0]
	p.Name, m.Name, m.Key = s, s, s
	for i := range m.States {
		m.States[i].Label = s
	}
	m.States[1].Key, m.States[2].TerminalOutcome = s, personas.Outcome(s)
	m.Transitions = append(m.Transitions, personas.Transition{From: "room-0", To: "room-2", Condition: s, Decision: personas.Decision(s)})
	m.Transitions = append(m.Transitions, personas.Transition{From: "room-0", To: s + "?", Condition: s, Decision: personas.DecidePass})
	other := linkedPersona(3).Machines[0]
	p.Machines = append(p.Machines, other, personas.Machine{Key: s + "!"})
	p.Links = []personas.Link{{Source: s, Target: "rooms", Condition: personas.IfOutcome, Outcome: personas.Outcome(s)}, {Source: "rooms", Target: "rooms"}, {Source: s, Target: "nobody"}}
	return p
}

func checkFormats(t *testing.T, p *personas.Persona, o Options) {
	t.Helper()
	svg := assert.Value(SVG(p, o))(t)
	checkXML(t, svg)
	mermaid, err := Mermaid(p, o)
	checkMermaid(t, mermaid, err)
	dot, err := DOT(p, o)
	checkDOT(t, dot, err)
	for _, width := range []int{0, 24, 41, 120} {
		text, err := Terminal(p, o, width)
		checkText(t, text, max(width, minWidth), err)
	}
}

func checkXML(t *testing.T, svg string) {
	t.Helper()
	allowed := map[string]bool{"svg": true, "title": true, "style": true, "rect": true, "circle": true, "path": true, "text": true}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		assert.NoError(t, err, "the SVG is no XML %s", svg)
		start, ok := token.(xml.StartElement)
		assert.Must(t, !ok || allowed[start.Name.Local], "the SVG has an element <%s>", start.Name.Local)
	}
}

// mermaidLine matches every form of line that we write; texts are in quotes and do not contain
// characters that end them or begin markup.
var mermaidLine = regexp.MustCompile(`^(flowchart TD|    (end|subgraph m\d+\["T"\]|\w+(\[|\(\[|\(\()"T"(\]|\]\)|\)\))|\w+ (-->|--x|==>)(\|"T"\|)? \w+|class \w+ \w+|linkStyle [\d,]+ [\w:#,. -]+|classDef \w+ [\w:#,. -]+))$`)

func checkMermaid(t *testing.T, text string, err error) {
	t.Helper()
	assert.Must(t, err == nil && utf8.ValidString(text), "%v: %v", err, text)
	quoted := regexp.MustCompile(`"(?:[^"<>{}|;\[\]\\%` + "`" + `*_~$&#\n]|#\d+;|<br/>)*"`)
	for line := range strings.Lines(quoted.ReplaceAllString(text, `"T"`)) {
		line = strings.TrimSuffix(line, "\n")
		assert.Must(t, mermaidLine.MatchString(line), "a line is not valid Mermaid: %q", line)
	}
}

func checkDOT(t *testing.T, text string, err error) {
	t.Helper()
	assert.Must(t, err == nil && utf8.ValidString(text), "%v: %v", err, text)
	outside := regexp.MustCompile(`"(?:[^"\\\n]|\\["\\n])*"`).ReplaceAllString(text, "Q")
	assert.Must(t, !strings.ContainsAny(outside, "\"\\<"), "not DOT:\n%s", outside)
	assert.Equal(t, strings.Count(outside, "{"), strings.Count(outside, "}"), "braces of\n%s", outside)
	assert.Equal(t, strings.Count(outside, "["), strings.Count(outside, "]"), "brackets of\n%s", outside)
	line := regexp.MustCompile(`^(digraph Q \{|\s*\}|  compound=.*;|  (node|edge) \[[^\]]*\];|  subgraph cluster_\d+ \{|    label=Q; style=Q; labeljust=l;|\s+\w+ (-> \w+ )?\[[\w=Q, .]*\];|\s+\w+ -> \w+;)$`)
	for l := range strings.Lines(outside) {
		l = strings.TrimSuffix(l, "\n")
		assert.Must(t, line.MatchString(l), "a line is not valid DOT: %q", l)
	}
}

func checkText(t *testing.T, text string, width int, err error) {
	t.Helper()
	assert.Must(t, err == nil && utf8.ValidString(text), "%v: %v", err, text)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		assert.Must(t, int(cellWidth(line)) <= width, "a line is wider than %d: %q", width, line)
		for _, r := range line {
			assert.Must(t, isDrawable(r), "a line has %U: %q", r, line)
		}
	}
}

func TestHostileTexts(t *testing.T) {
	for i, s := range hostile {
		p := hostilePersona(s)
		checkFormats(t, &p, Options{})
		if i%4 != 0 {
			// One in four is enough, because a PNG takes half a second.
		} else if _, err := PNG(&p, Options{}); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	checkFormats(t, &personas.Persona{}, Options{})
}

func FuzzPictures(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := hostilePersona(s)
		checkFormats(t, &p, Options{})
	})
}

// TestGolden compares the pictures of a sample with those that a person approved.
func TestGolden(t *testing.T) {
	p := personatest.Sample(t, "hotel")
	for name, draw := range map[string]func() (string, error){
		"testdata/hotel.mmd":     func() (string, error) { return Mermaid(p, Options{}) },
		"testdata/hotel.dot":     func() (string, error) { return DOT(p, Options{}) },
		"testdata/hotel.txt":     func() (string, error) { return Terminal(p, Options{}, 80) },
		"testdata/top-floor.txt": func() (string, error) { return Terminal(p, Options{Machine: "top-floor"}, 40) },
		"../../docs/hotel.svg":   func() (string, error) { return SVG(p, Options{}) },
	} {
		t.Run(name, func(t *testing.T) { assert.Golden(t, name, assert.Value(draw())(t)) })
	}
}

// TestPictures: PNGs have the expected size and are neither empty nor black.
func TestPictures(t *testing.T) {
	all := map[string]personas.Persona{}
	for _, name := range examples.Names() {
		all[name] = *personatest.Sample(t, name)
	}
	for _, n := range []int{5, 20, 60} {
		all[fmt.Sprintf("rooms-%d", n)] = linkedPersona(n)
	}
	for name, p := range all {
		t.Run(name, func(t *testing.T) {
			data := assert.Value(PNG(&p, Options{}))(t, name)
			picture := assert.Value(png.Decode(bytes.NewReader(data)))(t, name)
			s := assert.Value(drawingOf(&p, Options{}))(t, name)
			scale := min(pngScale, math.Sqrt(maxPixels/(s.width*s.height)))
			assert.Equal(t, picture.Bounds().Dx(), int(s.width*scale), "%s: the image %v %v", name, s.width, s.height)
			assert.Equal(t, picture.Bounds().Dy(), int(s.height*scale), "%s: the image %v %v", name, s.width, s.height)
			ink := inkedShare(picture)
			assert.True(t, ink >= 0.01 && ink <= 0.5, "%s: %.1f%% of the image is dark", name, 100*ink)
		})
	}
}

func inkedShare(picture image.Image) float64 {
	dark, all := 0, 0
	for y := 0; y < picture.Bounds().Dy(); y += 2 {
		for x := 0; x < picture.Bounds().Dx(); x += 2 {
			r, g, b, _ := picture.At(x, y).RGBA()
			if all++; r+g+b < 3*0xc000 {
				dark++
			}
		}
	}
	return float64(dark) / float64(all)
}

// TestArrowsAreWhatTheEngineDoes: each transition is drawn to the state that the engine enters.
func TestArrowsAreWhatTheEngineDoes(t *testing.T) {
	checked := 0
	for _, name := range append(examples.Names(), "rooms") {
		p := linkedPersona(12)
		if name != "rooms" {
			p = *personatest.Sample(t, name)
		}
		for i := range p.Machines {
			checked += checkArrows(t, &p.Machines[i])
		}
	}
	assert.True(t, checked >= 60, "only %d transitions were checked", checked)
}

func checkArrows(t *testing.T, doc *personas.Machine) int {
	t.Helper()
	run := assert.Value(engine.Compile(doc))(t)
	for i, transition := range doc.Transitions {
		one := *doc
		one.EarlyFailBound = new(-1000)
		r := assert.Value(run.Step(engine.Session{State: transition.From}, engine.Fire(i)))(t)
		v := arrowOf(&one, i)
		forced := r.Session.IsFinished() && r.Session.State == transition.From
		state := doc.States[v.to].Key
		about := fmt.Sprintf("machine %s, transition %d: drawn to %s (%d), the engine goes to %+v",
			doc.Key, i, state, v.destination, r.Session)
		assert.True(t, r.Session.Score <= doc.FailBound() || (v.destination == ends) == forced, about)
		assert.True(t, v.destination == ends || state == r.Session.State, about)
	}
	return len(doc.Transitions)
}

// arrowOf draws only one transition together with all passes, and returns its arrow.
func arrowOf(doc *personas.Machine, index int) *arrow {
	b := &machineBuilder{doc: doc, m: &machine{}, index: map[string]int{}}
	for i := range doc.States {
		b.addState(&doc.States[i])
	}
	b.findFirstPasses()
	b.addTransition(index)
	for _, st := range b.m.states {
		for _, v := range st.sides {
			return v
		}
	}
	return b.m.arrows[0]
}

func TestMerging(t *testing.T) {
	p := *personatest.Sample(t, "hotel")
	m := newPicture(&p, Options{}).machines[1]
	assert.Equal(t, m.arrows[0].labelText(), "+3, +2 p1", "the two ways from the corridor to the lift are drawn as")
}

func TestEndingNamesAreDrawn(t *testing.T) {
	p := *personatest.Sample(t, "starter")
	m := &p.Machines[0]
	for i := range m.States {
		m.States[i].EndingName = "Off the page"
	}
	for i := range m.Transitions {
		m.Transitions[i].EndingName = "A bowl of tuna"
	}
	picture := newPicture(&p, Options{}).machines[0]
	for _, st := range picture.states {
		assert.Equal(t, st.ending, map[bool]string{true: "ACCEPT, Off the page"}[st.terminal], "%s ends", st.key)
	}
	assert.Contains(t, picture.arrows[0].labelText(), "“A bowl of tuna”", "an arrow")
}

func TestRefusals(t *testing.T) {
	p := linkedPersona(MaxStates)
	_, err := SVG(&p, Options{})
	assert.NoError(t, err, "%d states", MaxStates)
	p = linkedPersona(MaxStates + 1)
	for name, draw := range map[string]func() error{
		"svg": func() error { _, err := SVG(&p, Options{}); return err },
		"png": func() error { _, err := PNG(&p, Options{}); return err },
	} {
		t.Run(name, func(t *testing.T) { assert.ErrorIs(t, draw(), ErrTooLarge, "%s of %d states", name, MaxStates+1) })
	}
	assert.Value(SVG(arrowPersona(MaxMachineArrows), Options{}))(t, "%d arrows", MaxMachineArrows)
	_, err = SVG(arrowPersona(MaxMachineArrows+1), Options{})
	assert.ErrorIs(t, err, ErrTooLarge, "%d arrows", MaxMachineArrows+1)
	terminal := func(p *personas.Persona, o Options) (string, error) { return Terminal(p, o, 80) }
	for _, draw := range []func(*personas.Persona, Options) (string, error){SVG, DOT, Mermaid, terminal} {
		_, err := draw(&p, Options{Machine: "none"})
		assert.ErrorIs(t, err, ErrMachine, "an unknown machine")
		out, err := draw(&p, Options{Machine: "rooms"})
		assert.True(t, err != nil || strings.Contains(out, "1001 rooms"), "the machine is not drawn")
	}
}

func arrowPersona(n int) *personas.Persona {
	p := linkedPersona(MaxStates)
	m := &p.Machines[0]
	m.Transitions = nil
	for i := range n {
		from := i / 5
		m.Transitions = append(m.Transitions, personas.Transition{From: m.States[from].Key, To: m.States[from+1+i%5].Key, Decision: personas.DecidePass})
	}
	return &p
}
