package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
)

// screens are the moments that are stored as pictures and laid out at all sizes.
var screens = []struct {
	name string
	make func(t testing.TB) *driver
}{
	{"picker", func(t testing.TB) *driver { return newDriver(t, nil).settle() }},
	{"picker-empty", func(t testing.TB) *driver {
		d := newDriver(t, nil)
		d.service.Items = nil
		return d.settle()
	}},
	{"picker-failed", func(t testing.TB) *driver {
		d := newDriver(t, nil)
		d.service.ListError = tuitest.ErrLost
		return d.settle()
	}},
	{"form", func(t testing.TB) *driver {
		return newDriver(t, func(o *Options) { o.Persona = "mira" }).settle().press("Alex")
	}},
	{"form-gender", func(t testing.TB) *driver {
		d := newDriver(t, func(o *Options) { o.Persona = "mira" })
		usesGender(d)
		return d.settle().press("Alex", "enter")
	}},
	{"unknown", func(t testing.TB) *driver { return newDriver(t, func(o *Options) { o.Persona = "nobody" }).settle() }},
	{"opening", playing},
	{"waiting", func(t testing.TB) *driver {
		d := playing(t).press("pass, please", "enter")
		d.now = d.now.Add(7 * time.Second)
		return d
	}},
	{"talk", func(t testing.TB) *driver {
		d := playing(t)
		d.service.Answer = "So **you** say. There are:\n\n- one way in, which is long and dark and not for everybody\n- no way out\n\n日本語 \x1b[2J"
		return d.say("pass, I am a friend", "redi", "more").press("a second", "ctrl+j", "line")
	}},
	{"tokens", func(t testing.TB) *driver {
		d := playing(t)
		d.service.Tokens = wire.Tokens{In: 1234, Out: 56}
		return d.say("pass, I am a friend", "redi")
	}},
	{"lost", func(t testing.TB) *driver { return playing(t).say("lost words") }},
	{"ending", func(t testing.TB) *driver { return playing(t).say("pass", "pass") }},
	{"ending-written", func(t testing.TB) *driver {
		d := playing(t).press("reject", "enter", "one more thing", "enter").settle()
		return d.press("no")
	}},
	{"ending-back", func(t testing.TB) *driver { return playing(t).say("pass", "reject").press("2").settle() }},
	{"ending-rejected", func(t testing.TB) *driver { return playing(t).say("reject") }},
	{"speaking", func(t testing.TB) *driver {
		d := playing(t).press("redi", "enter")
		c := d.root.child.(*chat)
		c.log.BeginEntry(c.messageEntry(wire.RoleAssistant, ""))
		c.log.AppendWords("Let me **think**.\n\nThere *was* a man at the gate, years ago, who said")
		return d
	}},
	{"scrolled", func(t testing.TB) *driver {
		return playing(t).say("more", "redi", "pass", "more", "redi").press("ctrl+home")
	}},
	{"scripts", func(t testing.TB) *driver {
		d := playing(t)
		c := d.root.child.(*chat)
		c.current.User.Persona = bringing(d, "cat")
		c.current.Session.Machine = c.current.User.Persona.FindMachine("gate")
		d.service.Answer = "שלום, 👩‍👩‍👧‍👦 and 🇩🇪! 日本語の文章は折り返しが必要です。 cafe\u0301 नमस्ते مرحبا"
		d = d.say("pass שלום 👍🏽")
		d.root.child.(*chat).showCarried(wire.Progress{CrossMachineVars: map[string]string{"cat": "ビスケット"}})
		return d
	}},
	{"machines", func(t testing.TB) *driver { return playing(t).press("f4").settle() }},
	{"standing", func(t testing.TB) *driver { return playing(t).say("pass").press("F6") }},
	{"input", func(t testing.TB) *driver {
		return playing(t).press("שלום, one two three four five מה שלומך 👩‍👩‍👧‍👦 日本語の文章は折り返し cafe\u0301 é", "ctrl+j", "مرحبا بالعالم and 👍🏽🇩🇪", "left", "left")
	}},
	{"help", func(t testing.TB) *driver { return playing(t).press("f1") }},
	{"leaving", func(t testing.TB) *driver { return playing(t).press("ctrl+c") }},
}

func TestGoldenScreens(t *testing.T) {
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) { goldenSizes(t, s.name, s.make(t)) })
	}
}

// At every size a screen has exactly as many lines as the window, and each line fits.
func TestLayoutAtAllSizes(t *testing.T) {
	for _, s := range screens {
		d := s.make(t)
		eachSize(d, func(int, int) {})
	}
}

// The largest screen that is tried.
const (
	maxTriedWidth  = 300
	maxTriedHeight = 100
)

// eachSize resizes a screen from the smallest to the largest size. For each size it checks the frame and calls look.
func eachSize(d *driver, look func(width, height int)) {
	for _, w := range steps(minWidth, maxTriedWidth, 13) {
		for _, h := range steps(minHeight, maxTriedHeight, 8) {
			d.Resize(w, h)
			exact(d.t, d.root.View(), w, h)
			look(w, h)
		}
	}
}

// steps yields numbers from the first to the last, including both.
func steps(from, to, by int) (list []int) {
	for n := from; n < to; n += by {
		list = append(list, n)
	}
	return append(list, to)
}

func TestTooSmall(t *testing.T) {
	d := playing(t)
	for _, size := range [][2]int{{39, 12}, {40, 11}, {30, 10}, {20, 40}, {12, 3}, {11, 1}, {5, 3}, {1, 1}} {
		d.Resize(size[0], size[1])
		lines := strings.Split(ansi.Strip(d.root.View()), "\n")
		assert.True(t, len(lines) <= size[1], "at %v it is higher: %q", size, lines)
		for _, line := range lines {
			assert.True(t, len(line) <= size[0], "at %v it is wider: %q", size, line)
		}
		says := strings.Join(lines, " ")
		room := size[0] * size[1]
		assert.True(t, room <= 10 || strings.Contains(says, "needs 40x12"), "at %v it says %q", size, says)
		assert.True(t, size[0] < 20 || says == fmt.Sprintf("terminal too small: %dx%d, needs 40x12", size[0], size[1]), "at %v it says %q", size, says)
	}
	d.Resize(40, 12)
	d.hides("too small")
}

// Without colours the output contains only sequences for bold, faint, italic and reverse.
func TestNoColor(t *testing.T) {
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			view := strings.ReplaceAll(s.make(t).root.View(), terminal.CaretMark, "") // as the renderer does
			for seq := range strings.SplitSeq(view, "\x1b[") {
				attrs, _, _ := strings.Cut(seq, "m")
				for a := range strings.SplitSeq(attrs, ";") {
					assert.Must(t, !strings.Contains(view, "\x1b["+attrs+"m") || len(a) != 2, "%s sets a colour: %q", s.name, attrs)
				}
			}
		})
	}
}

func TestChoosingAPersona(t *testing.T) {
	d := newDriver(t, nil)
	usesGender(d)
	d.settle()
	d.press("zzz").shows("Nothing matches")
	d.press("enter").settle().shows("Nothing matches")
	d.press("esc").shows("Mira", "Oskar")
	d.press("SMALL gate").shows("Mira")
	d.hides("Oskar")
	d.press("enter").settle().shows("You are", "Some texts depend on your gender. Enter selects non-binary.")
	d.press("enter").shows("Enter your name")
	d.press("Kim", "enter", "left", "enter").settle().shows("Halt, Kim!")
	got := d.notes["mira"]
	assert.Equal(t, got.PlayerName, "Kim")
	assert.Equal(t, got.PlayerGender, "male")
	assert.Equal(t, got.Machine, "m-gate")
	assert.Equal(t, got.UserSessionID, "u-1")
}

// bringing returns the persona with a first part that takes over a variable of another part.
func bringing(d *driver, key string) *conversation.Persona {
	d.service.Persona.Machines[0].InputVariables = []personas.InputVariable{{Key: key}}
	return conversation.NewPersona("mira", d.service.Persona)
}

// usesGender makes a text of the persona depend on the player's gender.
func usesGender(d *driver) {
	d.service.Persona.Machines[0].ChatPrompt = "Write of the player as {{ player_gender }}."
}

func TestEndingChoices(t *testing.T) {
	d := playing(t).say("pass", "pass")
	d.shows("› 1 Go on to The cellar", "2 Play The gate again", "3 Take back “pass”", "4 Talk to somebody else")
	d.press("enter").settle().shows("── The cellar ──", "In the dark")
	// The cellar opens the tower, to which Enter leads on.
	d.say("pass").shows("You made it", "This opens The tower.", "› 1 Go on to The tower", "What now?")
	d.runAsync(time.Hour).settle().hides("── The tower ──")
	d.press("enter").settle().shows("── The tower ──", "In the dark")
	d.hides("Play The cellar again")
	d.say("reject").shows("You did not make it", "“reject” ended this part. Other words may do better.")
	d.press("up", "up", "down", "down", "down", "enter").settle().shows("Whom do you want to talk to?", "ended: You did not make it")
}

// A finished machine still takes commands, and the card stays the keys' owner.
func TestCommandsBesideTheEndingCard(t *testing.T) {
	d := playing(t).say("pass", "pass").press("/prog").showing("› /prog", "› 1 Go on to The cellar")
	d.press("ress", "enter").settle().shows("1 of 3 parts ended, total score 2")
	d.hides("/progress", "Say something")
	d.press("words").shows("this part is over: press 1 to 4, or write a command such as /help")
	d.shows("› words")
	d.press("enter").settle().shows("this part is over", "› 1 Go on to The cellar") // The line's own Enter.
	d.runAsync(2*time.Second).press("enter").settle().shows("In the dark", "── The cellar ──", "› words")
}

func TestResume(t *testing.T) {
	d := playing(t).say("pass", "ctrl+u")
	again := newRoot(d.root.env)
	d.root, d.due = again, append(d.due[:0], again.Init())
	d.Resize(80, 24)
	d.settle().shows("pass", "Continuing where you left off", "In the yard · score 1 of 2")
	d.say("pass")
	d.root = newRoot(d.root.env)
	d.due = append(d.due[:0], d.root.Init())
	d.Resize(80, 24)
	d.settle().shows("You made it", "Your score of 2 is enough: it takes 2.", "Go on to The cellar")
}

func TestNewSessionForgetsTheOld(t *testing.T) {
	d := playing(t).say("pass")
	d.root.env.opts.NewSession = true
	d.root = newRoot(d.root.env)
	d.due = append(d.due[:0], d.root.Init())
	d.Resize(80, 24)
	d.settle().shows("At the gate · score 0 of 2")
	d.hides("pass")
}

func TestAnswerOfAnotherSessionIsDropped(t *testing.T) {
	d := playing(t)
	before := d.screen()
	fail := func() tea.Cmd { panic("shown") }
	d.send(answerMsg{ticket{"other", 1}, fail})
	d.send(answerMsg{ticket{"s-gate", 0}, fail})
	d.send(screenMsg{&chat{}, fail})
	d.send(failedMsg{ticket{"s-gate", 99}, "late", errors.New("late")})
	assert.Equal(t, d.screen(), before, "late answers changed the screen")
}

func TestLimitOfAMessage(t *testing.T) {
	d := playing(t)
	paste := func(n int) {
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(strings.Repeat("é", n))})
	}
	paste(wire.MaxMessage + 1)
	d.shows(tooLong, "Say something")
	paste(wire.MaxMessage)
	d.hides("left out")
	d.press("x").shows("a message can have at most " + terminal.GroupThousands(wire.MaxMessage) + " characters")
	d.press("backspace", "y").hides("a message can have at most")
	d.press("ctrl+j").shows("a message can have at most")
	d.press("enter").settle().shows("éy. Here is what I think")
}

func TestCommands(t *testing.T) {
	cases := []struct {
		line  string
		shows []string
	}{
		{"/help", []string{"Keys and commands", "Ctrl+P"}},
		{"/machines", []string{"Your story with Mira", "opens when you make it in The gate"}},
		{"/machines cellar", []string{"that part is closed: it opens when you make it in The gate"}},
		{"/machines nowhere", []string{`unknown part "nowhere"`}},
		{"/progress", []string{"0 of 3 parts ended, total score 0"}},
		{"/history", []string{"── The gate ──"}},
		{"/reset", []string{"write /reset again"}},
		{"/rest", []string{"did you mean /reset?"}},
		{"//hi", []string{"You said: /hi"}},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) { playing(t).say(c.line).shows(c.shows...) })
	}
}

func TestResetIsSaidTwice(t *testing.T) {
	d := playing(t).say("pass", "/reset", "redi", "/reset").showing("In the yard")
	d.say("/reset").shows("At the gate · score 0 of 2")
	d.hides("pass")
}

func TestScrollingStaysWhileWordsArrive(t *testing.T) {
	d := playing(t)
	for range 12 {
		d.say("aside")
	}
	d.press("late", "enter", "pgup", "pgup")
	top := func() string { return strings.Join(strings.Split(d.screen(), "\n")[:8], "\n") }
	before := top()
	if d.settle(); top() != before {
		t.Errorf("the view moved from\n%s\nto\n%s", before, top())
	}
	d.shows("below")
	d.press("esc").hides("below")
	d.press("ctrl+home").shows("Halt, Alex!")
	d.press("ctrl+end").hides("below")
}

func TestLeaving(t *testing.T) {
	quits := func(d *driver) bool {
		for _, cmd := range d.due {
			if cmd != nil {
				if _, ok := cmd().(tea.QuitMsg); ok {
					return true
				}
			}
		}
		return false
	}
	d := playing(t).press("ctrl+c")
	assert.True(t, !quits(d), "one Ctrl+C leaves")
	d.send(interruptLapsedMsg{d.root.interrupts})
	if d.press("ctrl+c"); quits(d) {
		t.Error("a Ctrl+C after the lapse leaves")
	}
	if d.press("ctrl+c"); !quits(d) {
		t.Error("two Ctrl+C do not leave")
	}
	assert.True(t, quits(playing(t).press("ctrl+d")), "Ctrl+D does not leave")
	d = playing(t).press("/quit", "enter")
	d.send(d.due[len(d.due)-1]())
	assert.True(t, quits(d), "/quit does not leave")
}

// The input grows with the text up to a quarter of the window, and shrinks when lines are deleted.
func TestInputGrowsAndShrinks(t *testing.T) {
	d := playing(t)
	for _, line := range []string{"a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8", "i9"} {
		d.press(line, "ctrl+j")
	}
	d.shows("i9", "e5")
	d.hides("d4")
	for range 3 * 7 {
		d.send(tea.KeyMsg{Type: tea.KeyBackspace})
	}
	d.shows("› a1\n", "   b2\n")
	d.hides("c3")
	d.press("z").shows("   z\n")
	d.press("up", "up", "x").shows("› ax1\n")
}

// A player who has told one character a name is not asked again by the next.
func TestNameIsAskedOnce(t *testing.T) {
	d := newDriver(t, nil).settle()
	d.press("enter").settle().shows("Name", conversation.KeptName)
	d.hides("You are")
	d.press("Kim", "enter").settle()
	clear(d.notes) // The test must not depend on data stored for a persona.
	d.press("f3").settle().shows("Whom do you want to talk to?")
	d.press("enter").settle().shows("Halt, Kim!")
}

// TestCaretIsMarked: screens with a field mark its caret, once, at the character that is shown reversed.
func TestCaretIsMarked(t *testing.T) {
	for _, s := range screens {
		if s.name != "input" && s.name != "machines" && s.name != "scrolled" {
			continue
		}
		view := s.make(t).root.View()
		before, behind, found := strings.Cut(view, terminal.CaretMark)
		const reversed = "\x1b[7m"
		if !found || strings.Contains(behind, terminal.CaretMark) || !strings.HasSuffix(before, reversed) && !strings.HasPrefix(behind, reversed) {
			t.Errorf("%s: marked %v, then %.20q", s.name, found, behind)
		}
	}
}
