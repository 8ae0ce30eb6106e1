package tui

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
	"github.com/parley-npc/parley/tui/views"
)

// exact checks that a view is width by height and contains no control sequences but our own.
func exact(t testing.TB, view string, width, height int) {
	t.Helper()
	lines := strings.Split(view, "\n")
	assert.Must(t, len(lines) == height, "%d lines, not %d", len(lines), height)
	for i, line := range lines {
		got := ansi.StringWidth(line)
		assert.Must(t, got <= width, "line %d has %d cells of %d: %q", i, got, width, line)
		odd := tuitest.Foreign(line, terminal.IsObeyed)
		assert.Must(t, odd == "", "line %d lets %q through: %q", i, odd, line)
	}
}

// TestFrameIsExact: for random sizes, contents and resizes the frame is exact, and nothing foreign is in it.
func TestFrameIsExact(t *testing.T) {
	for seed := range uint64(60) {
		frames(t, seed)
	}
}

// The screens before a chat show the hostile texts without control characters.
func TestHostileBeforeTheChat(t *testing.T) {
	for _, h := range tuitest.Hostile {
		d := newDriver(t, nil)
		d.service.Items[0].Name, d.service.Items[0].Description = h.Text, h.Text
		d.service.Persona.Persona.Name, d.service.Persona.Persona.Description = h.Text, h.Text
		d.settle()
		exact(t, d.root.View(), 80, 24)
		d.press("enter").settle()
		exact(t, d.root.View(), 80, 24)
		d.service.ListError = errors.New(h.Text)
		d.press("esc").settle()
		exact(t, d.root.View(), 80, 24)
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(frames)
}

func frames(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	d := newDriver(t, asAlex)
	p := &d.service.Persona
	p.Persona.Name = tuitest.Mixed(r)
	for i := range p.Machines {
		p.Machines[i].Name = tuitest.Mixed(r)
		for j := range p.Machines[i].States {
			p.Machines[i].States[j].Label = tuitest.Mixed(r)
		}
	}
	d.service.Answer = tuitest.Mixed(r)
	d.settle()
	c, ok := d.root.child.(*chat)
	if !ok {
		t.Fatalf("no chat at seed %d:\n%s", seed, d.screen())
	}
	c.showCarried(wire.Progress{CrossMachineVars: map[string]string{tuitest.Mixed(r): tuitest.Mixed(r)}})
	for range 20 {
		switch r.IntN(6) {
		case 0:
			d.say([]string{"pass", "redi", "more", "reje"}[r.IntN(4)])
		case 1:
			c.log.BeginEntry(c.messageEntry(wire.RoleAssistant, ""))
			var words terminal.Cleaner
			text := tuitest.Mixed(r)
			for len(text) > 0 {
				n := 1 + r.IntN(len(text))
				c.log.AppendWords(words.Add(text[:n]))
				text = text[n:]
				exact(t, d.root.View(), d.root.width, d.root.height)
			}
			c.log.BreakOff()
		case 2:
			d.press([]string{"pgup", "pgdown", "ctrl+home", "esc"}[r.IntN(4)])
		case 3:
			c.trouble = terminal.Clean(tuitest.Mixed(r))
			c.log.AddNote(terminal.CleanLines(tuitest.Mixed(r)), views.ToneBad)
			c.layOut()
		default:
			d.Resize(minWidth+r.IntN(300-minWidth), minHeight+r.IntN(100-minHeight))
		}
		exact(t, d.root.View(), d.root.width, d.root.height)
	}
}

// TestPanelStaysInItsColumn: lines of disputed width do not move the panel.
func TestPanelStaysInItsColumn(t *testing.T) {
	d := playing(t)
	d.service.Answer = "👩‍👩‍👧‍👦 and 日本"
	d.say("pass")
	d.Resize(120, 40)
	for line := range strings.SplitSeq(d.root.View(), "\n") {
		assert.True(t, !strings.Contains(line, "👩") || strings.Contains(line, ansi.EraseLineRight),
			"the panel is not pinned: %q", line)
		assert.True(t, !strings.Contains(line, "Score") || !strings.Contains(line, "\x1b[87G"),
			"a plain line is pinned: %q", line)
	}
}

// TestPlayerPanel: the panel shows goal, score, tries and visited states, but not those that follow.
func TestPlayerPanel(t *testing.T) {
	d := playing(t)
	d.Resize(120, 40)
	d.shows("Talk the guard into it.", "Score 0 of 2", "3 tries left", "● At the gate", "???", "closed", "0 of 3 ended")
	d.hides("The cellar", "In the yard", "kicked out", "Opens next", "redirect", "Machines")
	d.say("redi").shows("2 tries left")
	d.say("pass").shows("✓ At the gate", "● In the yard", "Score 1 of 2", "→ In the yard  +1  (1 of 2)")
	d.say("redi").shows("Last try", "→ that used a try, the last one is left")
	d.say("pass").shows("You made it", "Your score of 2 is enough: it takes 2.", "This opens The cellar.",
		"✓ The gate          made it", "○ The cellar", "1 of 3 ended")
	d.hides("3 tries left", "Last try", "The tower", "needed")
}

func TestEndingIsSaidOnce(t *testing.T) {
	d := playing(t)
	d.Resize(80, 30)
	d.say("redi").say("redi").say("redi")
	if got := strings.Count(d.root.View(), "You did not make it"); got != 1 {
		t.Errorf("the ending is said %d times:\n%s", got, d.root.View())
	}
	d.shows("missed too, and you were out of tries.", "What now?", "A new ending: 1 of 7 found.")
	d.hides("rejected", "redirect", "✓")
}

// TestPanel: the author's panel shows the present state, the points and the carried variables.
func TestPanel(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Author = true }).settle()
	d.Resize(120, 40)
	d.shows("● At the gate", "├─ In the yard", "✕ kicked out", "Score 0 of 2", "0 of 2 redirects used", "Opens next", "when accepted", "0 of 3 ended")
	d.say("pass").shows("↓ At the gate", "● In the yard", "Score 1 of 2")
	d.say("redi").shows("No redirects left of 1")
	d.say("pass").shows("● Through the gate", "✓ The gate          made it", "1 of 3 ended")
	d.hides("Opens next", "redirects used")
	c := d.root.child.(*chat)
	c.showCarried(wire.Progress{CrossMachineVars: map[string]string{"b": "two\nlines", "a": "\x1b[2J"}})
	d.shows("Carried over", "a: ␛[2J", "b: two")
	d.Resize(99, 40)
	d.hides("Opens next", "Carried over")
	d.shows("Through the gate · score 2 of 2")
}

// TestStanding: if the panel does not fit, a key shows all of it, live.
func TestStanding(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Author = true }).settle()
	d.Resize(40, 12)
	d.press("F6").shows("Where you stand", "● At the gate", "Down shows more")
	d.hides("Opens next", "Halt, Alex!")
	d.press("pgdown").shows("Score 0 of 2", "0 of 2 redirects used")
	d.press("pgdown", "pgdown", "pgdown").shows("opens later", "Esc goes back")
	d.hides("Down shows more", "● At the gate")
	d.press("up", "pgup", "pgup", "pgup").shows("● At the gate")
	d.press("esc", "/state", "enter").settle().shows("Where you stand")
	d.press("F6").showing("Halt, Alex!").press("pass", "enter", "F6").settle().shows("● In the yard", "↓ At the gate")
	d.press("enter").hides("Where you stand")
}

// TestStatusLineKeepsScoreAndHelp: the status line has the help key at any width, and the score.
func TestStatusLineKeepsScoreAndHelp(t *testing.T) {
	for _, said := range [][]string{nil, {"pass"}, {"pass", "redi"}, {"pass", "redi", "more"}, {"pass", "pass"}, {"reject"}} {
		d := playing(t)
		d.service.Tokens = wire.Tokens{In: 12345, Out: 678}
		d.say(said...)
		for width := minWidth; width < views.LeastWindow+20; width++ {
			d.Resize(width, 20)
			lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
			if last := lines[len(lines)-1]; !strings.Contains(last, " F1") || strings.Contains(last, "score ") != (width < views.LeastWindow) {
				t.Errorf("%v at %d cells: %q", said, width, last)
			}
		}
	}
}

// The variables at the beginning of a conversation are shown once, below the opening.
func TestCarriedOverIsSaidOnce(t *testing.T) {
	bringsCat := func() *driver {
		d := newDriver(t, asAlex)
		d.service.Persona.Machines[0].InputVariables = []personas.InputVariable{{Key: "the_cat"}}
		return d.settle()
	}
	d := bringsCat()
	c := d.root.child.(*chat)
	vars := wire.Progress{CrossMachineVars: map[string]string{"the_cat": "Biscuit.", "dog": "Rex"}}
	for range 2 {
		c.showCarried(vars)
	}
	if got := strings.Count(d.screen(), "The cat: “Biscuit”"); got != 1 {
		t.Errorf("said %d times:\n%s", got, d.screen())
	}
	d.hides("the_cat", "Rex")
	d = bringsCat().say("pass")
	d.root.child.(*chat).showCarried(vars)
	d.hides("Carried over")
}

func TestNoMotion(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.NoMotion = true }).settle()
	d.press("wait", "enter")
	before := d.screen()
	d.now = d.now.Add(waitTick)
	assert.Equal(t, d.screen(), before, "something moved")
}

// BenchmarkMemory is what a conversation of 100,000 messages holds, read through.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d := playing(b)
		c := d.root.child.(*chat)
		for i := range 100_000 {
			text := fmt.Sprintf("message %d: %s", i, strings.Repeat("word ", 40))
			m := wire.HistoryMessage{ID: fmt.Sprintf("%036d", i), Role: []string{wire.RoleAssistant, wire.RoleUser}[i%2], Content: text}
			c.current.Session.Messages = append(c.current.Session.Messages, m)
			c.log.AddEntry(c.messageEntry(m.Role, m.Content))
		}
		c.log.ScrollToTop()
		for i := 0; i < 20_000 && !c.log.Follow; i++ {
			c.log.ScrollPage(1)
			_ = d.root.View()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
		runtime.KeepAlive(d)
	}
}

func longSpeech(t *testing.T) *driver {
	return playing(t).say("redi first words", "redi"+strings.Repeat(" word", 300))
}

// TestLongReplyKeepsPlayerMessageVisible: a long answer keeps the player's message and the aim in sight.
func TestLongReplyKeepsPlayerMessageVisible(t *testing.T) {
	d := longSpeech(t)
	d.shows("Mira · Your aim: Talk the guard into it.", "Alex: redi word word")
	first := strings.Split(d.screen(), "\n")[2]
	assert.True(t, strings.HasPrefix(first, " Alex: redi word"), "the first line is %q", first)
	d.press("pgup").hides("Alex: redi word")
	d.press("ctrl+home").shows("Your aim   Talk the guard into it.", "Mira · The gate")
	d.press("ctrl+end").shows("Alex: redi word", "Your aim: Talk")
	d.say("redi short").shows("   redi short")
	d.hides("Alex: redi short")
	d.Resize(120, 40)
	if n := strings.Count(d.screen(), "Talk the guard into it."); n != 1 {
		t.Errorf("the aim is shown %d times:\n%s", n, d.screen())
	}
}

// TestLongAimShowsKey: an aim that does not fit in the header has its key in the last line.
func TestLongAimShowsKey(t *testing.T) {
	d := newDriver(t, asAlex)
	d.service.Persona.Machines[0].PlayerGoal = strings.Repeat("a long way to go ", 6)
	d.settle().say("redi" + strings.Repeat(" word", 300))
	d.shows("Mira · The gate", "F6 aim, F1 keys")
	d.press("F6").settle().shows("Your aim", "a long way to go")
}

// TestEarlierPartMessageIsNotRepeated: the player's last message in an earlier part is not repeated in the present one.
func TestEarlierPartMessageIsNotRepeated(t *testing.T) {
	d := playing(t).say("pass", "pass"+strings.Repeat(" word", 300)).press("enter").settle()
	d.hides("Alex: pass word")
}
