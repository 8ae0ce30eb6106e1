package lines

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
	"github.com/parley-npc/parley/tui/tuitest/memory"
)

const gateOpening = "Mira: Halt, **Alex**! Who goes there, and what do you want in *The gate*?\n"

// linePlay is a play in line mode with its output for the given input.
type linePlay struct {
	service        *tuitest.Service
	notes          memory.Notebook
	out, err       bytes.Buffer
	after          func(time.Duration) <-chan time.Time // the clock's when nil
	terminalPlayer *terminalPlayer
}

func newLinePlay() *linePlay {
	return &linePlay{service: tuitest.NewService(), notes: memory.Notebook{}}
}

func (p *linePlay) play(ctx context.Context, in io.Reader, change func(*Options)) error {
	p.out.Reset()
	p.err.Reset()
	opts := Options{Options: conversation.Options{Service: p.service, Memory: p.notes, NewID: func() string { return "u-1" }}, In: in, Out: &p.out, Err: &p.err}
	asLineAlex(&opts)
	if change != nil {
		change(&opts)
	}
	if p.after == nil {
		return Play(ctx, opts)
	}
	play := newPlayer(ctx, opts.withDefaults())
	play.opts.After = p.after
	return play.playToEnd()
}

func asLineAlex(o *Options) { o.Persona, o.PlayerName, o.PlayerGender = "mira", "Alex", "female" }

func lineFiles() record.Files {
	return record.Files{
		Save: func(file string, _ []byte) (string, error) { return file, nil },
		SavePlay: func(_ context.Context, _ *record.Record, file string) ([]string, error) {
			return []string{"Written to " + file + "."}, nil
		},
	}
}

func TestPlain(t *testing.T) {
	notSent := fmt.Sprintf("Line 1 was not sent: a message can have at most %d characters.\n", wire.MaxMessage)
	cases := []struct{ name, in, out, talk string }{
		{"nothing to read", "", gateOpening + "[At the gate] [score 0 of 2] [still going]\n", ""},
		{"to an ending, the rest unread", "pass\n\n   \npass\nunread\n", gateOpening + `[At the gate] [score 0 of 2] [still going]
Mira: You said: pass. Here is what I think about it.
[In the yard] [score 1 of 2] [still going]
Mira: You said: pass. Here is what I think about it.
[Through the gate] [score 2 of 2] [ended: accepted]
Unlocked: The cellar (cellar).
`, "1 line was not sent: The gate has ended.\n"},
		{"no line end, CRLF, BOM", "\ufeffpass\r\nkick", gateOpening + `[At the gate] [score 0 of 2] [still going]
Mira: You said: pass. Here is what I think about it.
[In the yard] [score 1 of 2] [still going]
Mira: You said: kick. Here is what I think about it.
[In the yard] [score 1 of 2] [still going]
`, ""},
		{"kicked out", "kick me\n", gateOpening + `[At the gate] [score 0 of 2] [still going]
Mira: You said: kick me. Here is what I think about it.
[At the gate] [score -2 of 2] [ended: kicked out]
`, ""},
		{"commands", "/machines\n/nope\n//hi\n/quit\nunread\n", gateOpening + `[At the gate] [score 0 of 2] [still going]
1. The gate: begun.
2. ???: closed, opens when you make it in The gate.
3. ???: closed, opens later.
Mira: You said: /hi. Here is what I think about it.
[At the gate] [score 0 of 2] [still going]
`, "Unknown command /nope (/help lists the commands); to send this as a message, begin it with two slashes.\n"},
		{"reset and progress", "pass\n/reset\n/progress\n", gateOpening + `[At the gate] [score 0 of 2] [still going]
Mira: You said: pass. Here is what I think about it.
[In the yard] [score 1 of 2] [still going]
` + gateOpening + `[At the gate] [score 0 of 2] [still going]
0 of 3 parts ended, total score 0.
1. The gate: begun.
2. ???: closed, opens when you make it in The gate.
3. ???: closed, opens later.
`, ""},
		{"history", "hm\n/history\n", gateOpening + `[At the gate] [score 0 of 2] [still going]
Mira: You said: hm. Here is what I think about it.
[At the gate] [score 0 of 2] [still going]
` + gateOpening + `Alex: hm
Mira: You said: hm. Here is what I think about it.
`, ""},
		{"one character too long", strings.Repeat("é", wire.MaxMessage+1) + "\n", gateOpening + "[At the gate] [score 0 of 2] [still going]\n", notSent},
		{"far too long, then a short one", strings.Repeat("x", 1<<20) + "\nhm\n", gateOpening + `[At the gate] [score 0 of 2] [still going]
Mira: You said: hm. Here is what I think about it.
[At the gate] [score 0 of 2] [still going]
`, notSent},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newLinePlay()
			assert.NoError(t, p.play(t.Context(), strings.NewReader(c.in), nil), c.name)
			assert.Equal(t, p.out.String(), c.out, "%s: out", c.name)
			assert.Equal(t, p.err.String(), c.talk, "%s: talk", c.name)
		})
	}
}

// TestEveryCommandRunsInLines: line mode runs each command, or prints that it needs the screen.
func TestEveryCommandRunsInLines(t *testing.T) {
	for _, c := range conversation.Commands() {
		t.Run(c.Name, func(t *testing.T) {
			p := newLinePlay()
			said := p.person(t, "pass|/"+c.Name+"|/quit", never, func(o *Options) { o.Files = lineFiles() })
			without := newLinePlay().person(t, "pass|/quit", never, nil)
			assert.Equal(t, strings.Contains(said, "needs the full screen"), c.ScreenOnly, "/%s is refused %s", c.Name, said)
			assert.True(t, said != without || c.Name == conversation.CommandQuit, "/%s does nothing:\n%s", c.Name, said)
		})
	}
}

func TestPlainLongestMessageIsSent(t *testing.T) {
	p := newLinePlay()
	assert.NoError(t, p.play(t.Context(), strings.NewReader(strings.Repeat("é", wire.MaxMessage)+"\n"), nil))
	got := len(p.service.Messages["m-gate"])
	assert.Equal(t, got, 3, "the session has %d messages, not 3; talk: %s", got, p.err.String())
}

func TestPlainParagraphsAndHostileText(t *testing.T) {
	p := newLinePlay()
	p.service.Answer = "One\x1b[2J.\r\n\r\n  Two.\nThree.\n"
	assert.NoError(t, p.play(t.Context(), strings.NewReader("hm"), nil))
	assert.Contains(t, p.out.String(), "Mira: One␛[2J.\n  Two.\n  Three.\n[")
}

// A link with is_auto_advance moves the player on without a question, and the next lines go to the next machine.
func TestPlainAutoAdvance(t *testing.T) {
	p := newLinePlay()
	p.service.Unlocked = []string{"m-cellar"}
	err := p.play(t.Context(), strings.NewReader("pass\nreject\nunread\n"), func(o *Options) { o.Machine = "cellar" })
	assert.NoError(t, err)
	want := `[In the light] [pass or fail] [ended: accepted]
Unlocked: The tower (tower).
Continuing with The tower.
Mira: Halt, **Alex**! Who goes there, and what do you want in *The tower*?
[In the dark] [pass or fail] [still going]
Mira: You said: reject. Here is what I think about it.
[In the dark] [pass or fail] [ended: rejected]
`
	got := p.out.String()
	assert.True(t, strings.HasSuffix(got, want), "out\n%s\nwant at the end\n%s", got, want)
	assert.Equal(t, p.notes["mira"].Machine, "m-tower", "remembered %+v", p.notes["mira"])
}

func TestPlainResumes(t *testing.T) {
	p := newLinePlay()
	assert.NoError(t, p.play(t.Context(), strings.NewReader("pass\n"), nil))
	assert.NoError(t, p.play(t.Context(), strings.NewReader("pass\n"), nil))
	want := "Mira: You said: pass. Here is what I think about it.\n[In the yard] [score 1 of 2] [still going]\nMira: You said"
	got := p.out.String()
	assert.True(t, strings.HasPrefix(got, want), "the second play wrote\n%s", got)
	assert.Contains(t, got, "ended: accepted", "the second play")
	assert.NoError(t, p.play(t.Context(), strings.NewReader("unread\n"), nil))
	got = p.out.String()
	assert.True(t, strings.HasSuffix(got, "[Through the gate] [score 2 of 2] [ended: accepted]\n"), "the finished play wrote\n%s", got)
	assert.NoError(t, p.play(t.Context(), strings.NewReader(""), func(o *Options) { o.NewSession = true }))
	got = p.out.String()
	assert.True(t, strings.HasPrefix(got, gateOpening), "a new session wrote\n%s", got)
}

func TestPlainRefusals(t *testing.T) {
	cases := []struct {
		name, in string
		change   func(*Options)
		want     error
	}{
		{"no persona", "", func(o *Options) { o.Persona = "" }, ErrNoPersona},
		{"gender", "", func(o *Options) { o.PlayerGender = "robot" }, conversation.ErrGender},
		{"name", "", func(o *Options) { o.PlayerName = strings.Repeat("x", 81) }, conversation.ErrPlayerName},
		{"lost turn", "hm\nlost\nunread\n", nil, tuitest.ErrLost},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newLinePlay()
			assert.ErrorIs(t, p.play(t.Context(), strings.NewReader(c.in), c.change), c.want, c.name)
			assert.NotContains(t, p.out.String(), "unread", "%s: it went on", c.name)
		})
	}
	p := newLinePlay()
	assert.NoError(t, p.play(t.Context(), strings.NewReader(""), func(o *Options) { o.PlayerName = strings.Repeat("x", 80) }), "a name of 80 characters")
}

func interactive(o *Options) {
	*o = Options{Options: conversation.Options{Service: o.Service, Memory: o.Memory, NewID: o.NewID}, In: o.In, Out: o.Out, Err: o.Err, Interactive: true}
}

func TestPlainAsks(t *testing.T) {
	p := newLinePlay()
	p.service.Persona.Machines[0].ChatPrompt = "Call the player by {{ player_gender }}."
	p.after = at(new([]time.Duration))
	in := "x\n9\n1\n\n" + strings.Repeat("y", 81) + "\nKim\n0\n2\nlost\npass\n/reset\npass\n/machines cellar\npass\n1\n"
	assert.NoError(t, p.play(t.Context(), strings.NewReader(in), interactive))
	for _, want := range []string{"1. Mira: Guards", "2. Oskar: A merchant", "No persona matches these words. Write a number from 1 to 2, or other words.",
		"How shall Mira call you? ", "A name can have at most 80 characters.", "1. female  2. male  3. non-binary",
		"Talking to Mira in The gate as Kim.", "Not sent: the connection was lost", "write /reset again",
		"The gate is over. What now?", "Some texts depend on your gender. Enter selects non-binary.", conversation.KeptName} {
		assert.Contains(t, p.err.String(), want, "the talk lacks")
	}
	got := p.out.String()
	assert.Contains(t, got, "in The cellar?")
	assert.Contains(t, got, "in The tower?")
	if got := p.notes["mira"]; got.PlayerName != "Kim" || got.PlayerGender != "male" {
		t.Errorf("remembered %+v", got)
	}
}

func TestPlainNobodyPublished(t *testing.T) {
	p := newLinePlay()
	p.service.Items = nil
	assert.ErrorIs(t, p.play(t.Context(), strings.NewReader("1\n"), interactive), ErrNoPersonas)
}

// TestPlainCatchesUp: a turn that counted although its answer was lost is shown and not sent twice.
func TestPlainCatchesUp(t *testing.T) {
	for in, messages := range map[string]int{"pass cut|hm|hm|/quit": 5, "pass cut|pass cut|/quit": 3} {
		p := newLinePlay()
		got := p.person(t, in, stopping(p), nil)
		assert.Equal(t, len(p.service.Messages["m-gate"]), messages, "%s: the session %s", in, got)
		assert.Contains(t, got, "did arrive", in)
	}
}

// Line mode ends when its context is done, even if the input or the service blocks.
func TestPlainEndsWithItsContext(t *testing.T) {
	for _, in := range []string{"", "wait\n"} {
		reader, writer := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- newLinePlay().play(ctx, reader, nil) }()
		if in != "" {
			io.WriteString(writer, in)
		}
		cancel()
		select {
		case err := <-done:
			assert.ErrorIs(t, err, context.Canceled, in)
		case <-time.After(time.Minute):
			t.Fatalf("%q: it hangs", in)
		}
		writer.Close()
	}
}

// TestPlainInterruptedAtThePrompt: after an interrupt at the prompt, the shell's prompt is on its own line.
func TestPlainInterruptedAtThePrompt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newLinePlay()
	reader, writer := io.Pipe()
	defer writer.Close()
	asked := func(o *Options) {
		interactive(o)
		asLineAlex(o)
		o.Err = io.MultiWriter(o.Err, whenSaid{"You: ", cancel})
	}
	assert.ErrorIs(t, p.play(ctx, reader, asked), context.Canceled, "it ends")
	got := p.err.String()
	assert.True(t, strings.HasSuffix(got, "You: \n"), "the talk ends in %q", got)
}

// whenSaid does something when a text is written.
type whenSaid struct {
	text string
	do   func()
}

func (w whenSaid) Write(b []byte) (int, error) {
	if string(b) == w.text {
		w.do()
	}
	return len(b), nil
}

// If the service has forgotten the player, the play begins again from the beginning.
func TestForgottenSessionBeginsAnew(t *testing.T) {
	p := newLinePlay()
	p.notes["mira"] = conversation.SavedSession{Persona: "mira", UserSessionID: "old", PlayerName: "Alex", PlayerGender: "female", Machine: "m-tower"}
	assert.NoError(t, p.play(t.Context(), strings.NewReader(""), nil))
	if got := p.out.String(); !strings.HasPrefix(got, gateOpening) || p.notes["mira"].Machine != "m-gate" || p.notes["mira"].UserSessionID != "old" {
		t.Errorf("out %s, remembered %+v", got, p.notes["mira"])
	}
}

func FuzzNextLine(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"))
	f.Add([]byte("\xff\n" + strings.Repeat("é", 9000)))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bufio.NewReader(bytes.NewReader(in))
		lines := 0
		for {
			line := readLine(r)
			if line.err != nil {
				break
			}
			if lines++; terminal.CountCharacters(line.text) > wire.MaxMessage || strings.Contains(line.text, "\n") {
				t.Fatalf("a line of %d characters", terminal.CountCharacters(line.text))
			}
		}
		want := bytes.Count(in, []byte("\n"))
		if len(in) > 0 && in[len(in)-1] != '\n' {
			want++
		}
		assert.Must(t, lines == want, "%d lines of %d", lines, want)
	})
}

// TestPlainTokens: line mode prints the cost of the whole chat at its end, and nothing if it was free.
func TestPlainTokens(t *testing.T) {
	p := newLinePlay()
	p.service.Tokens = wire.Tokens{In: 1200, Out: 40}
	assert.NoError(t, p.play(t.Context(), strings.NewReader("pass\nhm\n"), nil))
	if want := "Tokens: the model read 3,600 and wrote 120.\n"; p.err.String() != want || strings.Contains(p.out.String(), "oken") {
		t.Errorf("talk %q, want %q; play %q", p.err.String(), want, p.out.String())
	}
	p.service.Tokens = wire.Tokens{}
	err := p.play(t.Context(), strings.NewReader("pass\n"), nil)
	assert.NoError(t, err)
	assert.Equal(t, p.err.String(), "")
}

// TestLinesTakeBack: line mode takes messages back, restores them, and sends them again.
func TestLinesTakeBack(t *testing.T) {
	p := newLinePlay()
	in := "pass, a friend\nredi, no\n/undo\n/redo\n/undo 2\npass, again\n/retry\n/fork two words\n/branches\n/compare\n/compare x\n/undo 9\n/undo x\n"
	assert.NoError(t, p.play(t.Context(), strings.NewReader(in), nil))
	said := p.out.String() + p.err.String()
	for _, want := range []string{
		`Your message is taken back. You had said: "redi, no".`, "The turns are restored.", `Your message is taken back. You had said: "pass, a friend".`,
		"Saved as a branch", `"two words"`, "Now branch ", `"x" is not the number of another branch`, "You have said only 1 message here",
		"is not a number of messages",
	} {
		assert.Contains(t, said, want)
	}
	assert.Equal(t, len(p.service.Messages["m-gate"]), 3, "messages")
}

// TestLinesTakeAnEndingBack: an ending names /undo, and a number takes the last words back, won or lost.
func TestLinesTakeAnEndingBack(t *testing.T) {
	for said, number := range map[string]string{"reject": "2", "pass": "3"} {
		p := newLinePlay()
		in := []string{said, number, "/quit"}
		if said == "pass" {
			in = append([]string{"pass"}, in...)
		}
		got := p.person(t, strings.Join(in, "|"), never, nil)
		assert.InOrder(t, got, "/undo takes your last words back.", number+". Take back “"+said+"”.", `Your message is taken back. You had said: "`+said+`".`)
	}
}

const triesHint = "3 tries here. " + playwords.MissRule + " " + playwords.FreeTalkButNo + "\n"

// TestHintsInAPipe: the initial tries and the model are printed once beside the play, if a script asks for hints.
func TestHintsInAPipe(t *testing.T) {
	t.Parallel()
	assert.Equal(t, (&Options{}).ModelWords(), "", "of a model that is not known it")
	for _, c := range []struct {
		name            string
		hints, directed bool
		want            string
	}{
		{"no hints", false, true, ""},
		{"another model", true, false, triesHint},
		{"the built-in model", true, true, "The built-in model answers; use --llm ollama/NAME for a language model. " +
			"`parley localserver models` lists them.\n" + triesHint},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newLinePlay()
			err := p.play(t.Context(), strings.NewReader("hm\n/reset\nhm\n"), func(o *Options) { o.Hints, o.Directed = c.hints, c.directed })
			assert.NoError(t, err)
			assert.Equal(t, p.err.String(), c.want)
		})
	}
}

// TestHintsToAPerson: for a person the same hints are part of the usual output.
func TestHintsToAPerson(t *testing.T) {
	t.Parallel()
	p := newLinePlay()
	assert.NoError(t, p.play(t.Context(), strings.NewReader("hm\n/new\n"), func(o *Options) { o.Interactive, o.Directed = true, true }))
	for _, words := range []string{"The built-in model answers", playwords.MissRule} {
		n := strings.Count(p.err.String(), words)
		assert.Equal(t, n, 1, "%q is said %d times:\n%s", words, n, p.err.String())
	}
	assert.Contains(t, p.out.String(), "3 tries here.", "the tries are missing")
}
