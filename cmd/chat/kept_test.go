package chat

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/assert"
)

// newPlayerAt returns a person's access at a terminal, a persona file, and a function that plays it with lines.
func newPlayerAt(t *testing.T) (a *service.Access, file string, play func(lines string, flags ...string) (code int, said string)) {
	t.Helper()
	a, out, talk := cmdtest.NewAccess(t, nil)
	a.TTY.In = true
	file = filepath.Join(t.TempDir(), "gate.yaml")
	assert.NoError(t, os.WriteFile(file, []byte(cmdtest.EndlessPersona), 0o600))
	return a, file, func(lines string, flags ...string) (int, string) {
		a.In = strings.NewReader(lines)
		before := [2]int{len(out.String()), len(talk.String())}
		args := append([]string{"chat", file, "--plain", "--player-name", "Mara", "--player-gender", "female"}, flags...)
		code := cmdtest.Run(t.Context(), a, args, NewCmd(a))
		return code, out.String()[before[0]:] + talk.String()[before[1]:]
	}
}

// TestKeptChatSaysWhatIsKept: a person's chat with a file goes on and explains where it is kept.
func TestKeptChatSaysWhatIsKept(t *testing.T) {
	t.Parallel()
	a, _, play := newPlayerAt(t)
	data := assert.Value(a.Dirs().Data())(t)
	for _, k := range []struct{ lines, flag, said, unsaid string }{
		{"hello\n", "", "Kept in " + filepath.Join(data, "chats", "gate-"), "Going on"},
		{"/history\n", "", "Continuing where you left off, after 3 messages", "The file changed"},
		{"/history\n", "--no-save", "This chat was not saved", "Going on"},
		{"/new\nhello\n", "", "Continuing where you left off, after 3 messages", "The file changed"},
		{"hello\n", "--new", "Kept in", "Going on"},
	} {
		var flags []string
		if k.flag != "" {
			flags = append(flags, k.flag)
		}
		code, all := play(k.lines, flags...)
		assert.Equal(t, code, 0, "%q %s", k.lines, k.flag)
		assert.Contains(t, all, k.said, "%q %s", k.lines, k.flag)
		assert.NotContains(t, all, k.unsaid, "%q %s", k.lines, k.flag)
	}
}

// TestKeptChatGoesOnInAnEditedFile: the new version is played if all turns go the same way; else the player chooses.
func TestKeptChatGoesOnInAnEditedFile(t *testing.T) {
	t.Parallel()
	_, file, play := newPlayerAt(t)
	save := func(replaced ...string) {
		t.Helper()
		assert.NoError(t, os.WriteFile(file, []byte(strings.NewReplacer(replaced...).Replace(watchedDoor)), 0o600))
	}
	expect := func(lines, said string, flags ...string) {
		t.Helper()
		code, all := play(lines, flags...)
		assert.Equal(t, code, 0, "%q %v: exit code %d, want %q in\n%s", lines, flags, code, said, all)
		assert.Contains(t, all, said, "%q %v: exit code %d, want %q in\n%s", lines, flags, code, said, all)
	}
	save()
	expect("Let me in\n", "What is the word?")
	save("What is the word?", "Say the word.")
	expect("/history\n", "The file changed: your turn has the same effect in the new version.")
	expect("My lap is warm\n", "A warm lap it is.")
	save(`"My lap is warm", `, "")
	expect("", "/update continues in the new version from there; otherwise the chat stays in the old version.")
	expect("I push the door\n", "It opens.") // in the old one
	save(`"My lap is warm", `, "", "The door is shut.", "The door is closed.")
	expect("/update\n", "You had said: \"My lap is warm\".")
	expect("The word is heron\n", "A warm lap it is.")
	save("A warm lap", "A hot lap")
	expect("My lap is warm\n", "A hot lap it is.", "--new")
	save("A warm lap", "A lap", "machine_key: door", "machine_key: porch")
	expect("", "The part you were in was removed from the file, so the story starts again; /sessions lists the earlier chat. Kept in")
}

// TestKeptChatIsOpenOnce: a second chat with the same file is refused, and may go on without keeping anything.
func TestKeptChatIsOpenOnce(t *testing.T) {
	t.Parallel()
	a, file, play := newPlayerAt(t)
	first := assert.Value((&chatOptions{Access: a}).startLocal(t.Context(), file, false))(t)
	if code, all := play("hello\n"); code != cli.ExitTrouble || !strings.Contains(all, "another chat with "+file+
		" is open\n  leave that chat first, or open a second chat with --no-save, which is not saved") {
		t.Errorf("a second chat: exit code %d\n%s", code, all)
	}
	code, all := play("hello\n", "--no-save")
	assert.Equal(t, code, 0, "beside it: exit code %d\n%s", code, all)
	first.leave()
	code, all = play("hello\n")
	assert.Equal(t, code, 0, "after it: exit code %d\n%s", code, all)
}

// TestChatWithoutADirectory: where nothing can be written the chat says so and is played; with --save it is refused.
func TestChatWithoutADirectory(t *testing.T) {
	t.Parallel()
	a, file, play := newPlayerAt(t)
	data := assert.Value(a.Dirs().Data())(t)
	assert.NoError(t, os.WriteFile(data, nil, 0o600))
	if code, all := play("hello\n"); code != 0 || !strings.Contains(all, "this chat is not saved: mkdir "+data) ||
		!strings.Contains(all, "This chat is not saved when you leave") {
		t.Errorf("exit code %d\n%s", code, all)
	}
	code, all := play("hello\n", "--save")
	assert.Equal(t, code, cli.ExitTrouble, "--save: exit code %d\n%s", code, all)
	assert.NoError(t, os.Remove(data))
	dir := assert.Value((&chatOptions{Access: a}).prepareKeptDir(file))(t)
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "parley.db"), []byte("this is no database"), 0o600))
	if code, all := play("hello\n"); code != cli.ExitTrouble || !strings.Contains(all, "open the saved chat in "+dir) || !strings.Contains(all, "--no-save") {
		t.Errorf("a damaged database: exit code %d\n%s", code, all)
	}
}

// TestKeptChatsAreBounded: one more chat than are kept removes the one that was used least recently and is not open.
func TestKeptChatsAreBounded(t *testing.T) {
	t.Parallel()
	chats := t.TempDir()
	now := time.Now()
	for i := range maxKeptChats {
		dir := filepath.Join(chats, fmt.Sprintf("chat-%03d", i))
		assert.NoError(t, os.Mkdir(dir, 0o700))
		assert.NoError(t, os.WriteFile(filepath.Join(dir, "parley.db"), nil, 0o600))
		assert.NoError(t, os.Chtimes(dir, now, now.Add(time.Duration(i-maxKeptChats)*time.Minute)))
	}
	count := func() int {
		left := assert.Value(os.ReadDir(chats))(t)
		return len(left)
	}
	dropOldest(chats)
	if _, err := os.Stat(filepath.Join(chats, "chat-000")); err == nil || count() != maxKeptChats-1 {
		t.Errorf("%d chats are left, with the oldest: %v", count(), err == nil)
	}
	if dropOldest(chats); count() != maxKeptChats-1 {
		t.Errorf("%d chats are left though there was room", count())
	}
	other := filepath.Join(chats, "something-else")
	assert.NoError(t, os.Mkdir(other, 0o700))
	assert.NoError(t, os.Remove(filepath.Join(chats, "chat-001", "parley.db")))
	open := assert.Value(localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: filepath.Join(chats, "chat-001")}))(t)
	defer func() { _ = open.Close() }()
	assert.NoError(t, os.Chtimes(filepath.Join(chats, "chat-001"), now, now.Add(-time.Hour*24)))
	assert.NoError(t, os.Chtimes(other, now, now.Add(-time.Hour*24)))
	again := filepath.Join(chats, "chat-new")
	assert.NoError(t, errors.Join(os.Mkdir(again, 0o700), os.WriteFile(filepath.Join(again, "parley.db"), nil, 0o600)))
	dropOldest(chats)
	assert.Value(os.Stat(other))(t, "a directory that is no chat is gone")
	assert.Value(os.Stat(filepath.Join(chats, "chat-001", "parley.db")))(t, "the chat that is open is gone")
}

// TestKilledChatKeepsWhatWasAnswered kills a chat after each reply: the next has all answered turns.
func TestKilledChatKeepsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	start := func() (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
		p := exec.Command(os.Args[0], "chat", "--local", "--save", "--plain", "Biscuit", "--player-name", "Mara")
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_DATA_DIR="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home)
		in, errIn := p.StdinPipe()
		out, errOut := p.StdoutPipe()
		assert.Must(t, errIn == nil && errOut == nil && p.Start() == nil, "the chat does not start")
		return p, in, bufio.NewScanner(out)
	}
	readTo := func(out *bufio.Scanner, text string) (lines []string) {
		for out.Scan() {
			if lines = append(lines, out.Text()); strings.Contains(out.Text(), text) {
				return lines
			}
		}
		t.Fatalf("no %q in %q", text, lines)
		return nil
	}
	for turn := 1; turn <= 3; turn++ {
		p, in, out := start()
		readTo(out, "[Not asleep]") // where it stands at the beginning
		_, _ = fmt.Fprintf(in, "message %d [[aside]]\n", turn)
		readTo(out, "[Not asleep]")
		_ = p.Process.Kill()
		_ = p.Wait()
	}
	p, in, out := start()
	_, _ = io.WriteString(in, "/history\n")
	_ = in.Close()
	said := strings.Join(readTo(out, "message 3"), "\n")
	for _, text := range []string{"message 1", "message 2"} {
		assert.Contains(t, said, text)
	}
	for out.Scan() {
	}
	_ = p.Wait()
}

// twoWays is a persona with two named ways to the same ending, and one without a name.
const twoWays = `
name: Ada
description: Keeps a gate.
persona_identity_prompt: You keep a gate.
machines:
  - machine_key: gate
    scoring_mode: pass_fail
    states:
      - {state_key: shut, is_initial_state: true}
      - {state_key: open, is_terminal_state: true, ending: By the front door}
    transitions:
      - {from_state_key: shut, to_state_key: open, decision_type: pass, condition: asks, priority: 1}
      - {from_state_key: shut, to_state_key: open, decision_type: pass, condition: pays, ending: The bribe, priority: 2}
      - {from_state_key: shut, decision_type: reject, condition: leaves, priority: 3}
`

// TestNamedEndingsAreFoundOneByOne: two endings of one way count as two, over chats and after /undo.
func TestNamedEndingsAreFoundOneByOne(t *testing.T) {
	t.Parallel()
	_, file, play := newPlayerAt(t)
	assert.NoError(t, os.WriteFile(file, []byte(twoWays), 0o600))
	for _, k := range []struct{ lines, said string }{
		{"let me in [[2]]\n", "You made it: The bribe.\n"},
		{"/export " + filepath.Join(filepath.Dir(file), "ada.md") + "\n", "You have found 1 of 3 endings so far."},
		{"/undo\nlet me in [[2]]\n", "You knew this ending: 1 of 3 found. To find: 1 to win, 1 to lose here.\n"},
		{"/undo\nplease [[1]]\n", "You made it: By the front door.\n"},
		{"/undo\nplease [[1]]\n", "You knew this ending: 2 of 3 found. To find: 1 to lose here.\n"},
		{"/undo\nI go [[3]]\n", "A new ending, and the last: all 3 found.\n"},
	} {
		code, all := play(k.lines)
		assert.Equal(t, code, 0, "%q: exit code %d, want %q in\n%s", k.lines, code, k.said, all)
		assert.Contains(t, all, k.said, "%q: exit code %d, want %q in\n%s", k.lines, code, k.said, all)
	}
	text := assert.Value(os.ReadFile(filepath.Join(filepath.Dir(file), "ada.md")))(t)
	assert.Contains(t, string(text), "You made it: The bribe")
}
