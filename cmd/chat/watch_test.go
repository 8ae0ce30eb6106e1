package chat

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// watchedDoor is a persona with a door of two states and a hall behind it.
const watchedDoor = `name: Odo
description: A porter.
persona_identity_prompt: You are a porter.
machines:
  - machine_key: door
    scoring_mode: pass_fail
    states:
      - state_key: shut
        is_initial_state: true
        offline:
          opening: ["The door is shut."]
          examples: {pass: ["My lap is warm", "The word is heron"], redirect: ["Let me in", "Open the door"]}
          lines: {pass: ["A warm lap it is."], redirect: ["What is the word?"]}
      - state_key: ajar
        offline:
          examples: {pass: ["I push the door"], redirect: ["I wait"]}
          lines: {pass: ["It opens."], redirect: ["It stays ajar."]}
      - {state_key: wide, is_terminal_state: true}
    transitions:
      - {from_state_key: shut, to_state_key: ajar, decision_type: pass, condition: The player says the word.}
      - {from_state_key: ajar, to_state_key: wide, decision_type: pass, condition: The player pushes.}
  - machine_key: hall
    scoring_mode: pass_fail
    states:
      - {state_key: dark, is_initial_state: true, offline: {opening: ["It is dark."]}}
      - {state_key: lit, is_terminal_state: true}
    transitions:
      - {from_state_key: dark, to_state_key: lit, decision_type: pass, condition: The player makes light.}
machine_links:
  - {source_machine_key: door, target_machine_key: hall, condition_type: outcome, condition_value: ACCEPT}
`

// watchedChat is a chat in line mode with a file that is edited meanwhile.
type watchedChat struct {
	t         *testing.T
	access    *service.Access
	args      []string
	file      string
	in        io.WriteCloser
	out, talk *cmdtest.Buffer
	ended     chan int
	times     map[string]int // how often each text was waited for
}

func watchDoor(t *testing.T) *watchedChat { return watchDoorWith(t, nil) }

func watchDoorWith(t *testing.T, environment map[string]string, flags ...string) *watchedChat {
	t.Helper()
	a, out, talk := cmdtest.NewAccess(t, environment)
	c := &watchedChat{t: t, access: a, file: filepath.Join(t.TempDir(), "odo.yaml"), out: out, talk: talk, times: map[string]int{}}
	c.write(watchedDoor)
	c.args = append([]string{"chat", c.file, "--watch", "--plain", "--player-name", "Mara", "--player-gender", "female"}, flags...)
	c.starts()
	c.hears("The door is shut.")
	t.Cleanup(c.leaves)
	return c
}

func (c *watchedChat) starts() {
	lines, in := io.Pipe()
	c.in, c.ended = in, make(chan int, 1)
	c.access.In, c.access.TTY.In = lines, true
	go func() {
		c.ended <- cmdtest.Run(context.WithoutCancel(c.t.Context()), c.access, c.args, NewCmd(c.access))
	}()
}

func (c *watchedChat) leaves() {
	_ = c.in.Close()
	if code := <-c.ended; code != 0 {
		c.t.Errorf("exit code %d\n%s", code, c.talk)
	}
}

func (c *watchedChat) write(text string) {
	c.t.Helper()
	assert.NoError(c.t, os.WriteFile(c.file, []byte(text), 0o600))
}

func (c *watchedChat) edits(replaced ...string) {
	c.t.Helper()
	c.write(strings.NewReplacer(replaced...).Replace(watchedDoor))
}

func (c *watchedChat) replaces(replaced ...string) {
	c.t.Helper()
	other := c.file + "~"
	assert.NoError(c.t, os.WriteFile(other, []byte(strings.NewReplacer(replaced...).Replace(watchedDoor)), 0o600))
	assert.NoError(c.t, os.Rename(other, c.file))
}

// says types a line and waits for what is printed of it.
func (c *watchedChat) says(line, reply string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
	c.hears(reply)
}

func (c *watchedChat) hears(text string) {
	c.t.Helper()
	c.times[text]++
	c.out.Await(c.t, text, c.times[text])
}

func (c *watchedChat) isTold(text string) {
	c.t.Helper()
	c.times["!"+text]++
	c.talk.Await(c.t, text, c.times["!"+text])
}

// TestWatchGoesOn: if all turns go the same way, the chat goes on in the new version, however it was saved.
func TestWatchGoesOn(t *testing.T) {
	t.Parallel()
	c := watchDoor(t)
	c.edits("The door is shut.", "The door is not open.")
	c.isTold("The file changed: continuing in the new version.")
	c.hears("Odo: The door is not open.")
	c.says("Let me in", "Odo: What is the word?")
	c.says("My lap is warm", "Odo: A warm lap it is.")
	c.replaces("A warm lap it is.", "Warm enough.")
	c.isTold("The file changed: all 2 turns have the same effect in the new version.")
	c.hears("Odo: Warm enough.")
	c.says("I push the door", "Odo: It opens.")
	c.edits("It opens.", "It creaks.")
	c.isTold("The file changed: all 3 turns have the same effect")
	c.says("/branches", "2. door")
}

// TestWatchNamesTheFirstChange: a changed turn is named with the reason, and /update gives the words back.
func TestWatchNamesTheFirstChange(t *testing.T) {
	t.Parallel()
	c := watchDoor(t)
	c.says("Let me in", "What is the word?")
	c.says("My lap is warm", "A warm lap it is.")
	less := []string{`"My lap is warm", `, "", `["Let me in"`, `["My lap is warm", "Let me in"`}
	c.edits(less...)
	c.isTold(`The file changed: turn 2 "My lap is warm": pass to ajar became redirect to shut (its example is gone).`)
	c.isTold("/update continues in the new version from there; otherwise the chat stays in the old version.")
	c.says("I wait", "It stays ajar.")
	c.says("/update", "What is the word?")
	c.isTold("Continuing in the new version, before turn 2.")
	c.isTold(`You had said: "My lap is warm". Write it again, or write something else.`)
	c.says("My lap is warm", "What is the word?")
	c.edits(append(less, "What is the word?", "The word, please.")...)
	c.isTold("all 2 turns have the same effect")
	c.hears("The word, please.")
}

// TestWatchBrokenFile: a broken file is reported with its place, and the old version goes on.
func TestWatchBrokenFile(t *testing.T) {
	t.Parallel()
	c := watchDoor(t)
	c.says("/update", "")
	c.isTold("The persona file has not changed.")
	c.edits("decision_type: pass, condition: The player pushes.}", "decision_type: pass")
	c.isTold("The file cannot be played, so the chat stays in the old version: " + c.file + ":2")
	c.says("Let me in", "What is the word?")
	assert.NoError(t, os.Remove(c.file))
	c.isTold("no such file")
	c.edits()
	c.isTold("The file changed: your turn has the same effect")
}

func TestWatchRemoved(t *testing.T) {
	t.Parallel()
	c := watchDoor(t)
	c.says("My lap is warm", "A warm lap it is.")
	c.says("I push the door", "It opens.")
	c.says("1", "It is dark.")
	c.edits("machine_key: hall", "machine_key: cellar", "target_machine_key: hall", "target_machine_key: cellar")
	c.isTold("The file changed: the machine hall is gone.")
	c.says("/update", "The door is shut.")
	c.says("My lap is warm", "A warm lap it is.")
	c.edits("state_key: ajar", "state_key: open", "to_state_key: ajar", "to_state_key: open", "from_state_key: ajar", "from_state_key: open")
	c.isTold(`turn 1 "My lap is warm": pass to ajar became pass to open.`)
	c.says("/update", "The door is shut.")
	c.says("My lap is warm", "A warm lap it is.")
}

func TestWatchPortrait(t *testing.T) {
	t.Parallel()
	c := watchDoor(t)
	for _, shade := range []uint8{1, 200} {
		small := image.NewGray(image.Rect(0, 0, 8, 8))
		small.Pix[0] = shade
		var picture bytes.Buffer
		assert.NoError(t, png.Encode(&picture, small))
		assert.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(c.file), "a.png"), picture.Bytes(), 0o600))
		if shade == 1 {
			c.edits("description: ", "portrait: a.png\ndescription: ")
		}
		c.isTold("The file changed: continuing in the new version.")
	}
}

// TestWatchAsksNoModel: the verdicts of a model are kept, and so are its words. Only the rules can make a difference.
func TestWatchAsksNoModel(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	model := httptest.NewServer(llmtest.New(func(r llmtest.Request) llmtest.Script {
		if !cmdtest.IsPreparation(r.Body) {
			calls.Add(1)
		}
		if r.IsJudgement() {
			return llmtest.Script{Pieces: []string{r.JudgedAs("pass")}}
		}
		return llmtest.Script{Text: "Mm, said a model."}
	}).ListModels("llama3.2:latest", "llama3.2"))
	defer model.Close()
	c := watchDoorWith(t, map[string]string{"OLLAMA_HOST": model.URL}, "--llm", "ollama/llama3.2")
	c.says("Some words", "Mm, said a model.")
	before := calls.Load()
	c.edits(`"My lap is warm", `, "", "The player says the word.", "Never.")
	c.isTold("The file changed: your turn has the same effect in the new version.")
	c.hears("Mm, said a model.")
	c.edits("to_state_key: ajar", "to_state_key: wide")
	c.isTold(`turn 1 "Some words": pass to ajar became pass to ACCEPT.`)
	now := calls.Load()
	assert.Equal(t, now, before, "the model was asked %d times", now-before)
	c.says("/update", "The door is shut.")
	c.isTold("Continuing in the new version, before turn 1.")
}

// TestWatchRefusals: only a file is watched, and the keys of its machines are listed.
func TestWatchRefusals(t *testing.T) {
	t.Parallel()
	a, out, talk := cmdtest.NewAccess(t, nil)
	file := filepath.Join(t.TempDir(), "odo.yaml")
	assert.NoError(t, os.WriteFile(file, []byte(watchedDoor), 0o600))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"chat", "--local", "--watch"}, cli.ExitUsage, "--watch needs a persona file"},
		{[]string{"chat", "Odo", "--watch"}, cli.ExitUsage, "--watch needs a persona file"},
		{[]string{"chat", file, "--machine", "attic"}, cli.ExitUsage, "--machine attic: unknown machine; the machines of " + file + " are door, hall"},
		{[]string{"chat", file, "--machine", "hall", "--save"}, cli.ExitUsage, "cannot be saved: omit --save"},
		{[]string{"chat", file, "--machine", "hall"}, 0, "It is dark."},
		{[]string{"chat", file, "--machine", "door"}, 0, "The door is shut."},
	} {
		if code := cmdtest.Run(t.Context(), a, c.args, NewCmd(a)); code != c.code || !strings.Contains(out.String()+talk.String(), c.want) {
			t.Errorf("%v: exit code %d, want %d and %q in\n%s", c.args, code, c.code, c.want, talk)
		}
	}
}
