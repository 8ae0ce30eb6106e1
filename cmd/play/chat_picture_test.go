//go:build !windows

package play_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/examples"
)

// The picture of the chat: what a real terminal showed, the picture that is made of
// it, and the page that has it as text.
const (
	pictureScreen = "testdata/picture/chat.ansi"
	pictureFile   = "../../docs/chat.svg"
	picturePage   = "../../docs/chat.md"
	pictureTitle  = "A chat with Ottoline Frost: the conversation, and beside it the states, the score and the machines"
	pictureWidth  = 100
	pictureHeight = 30
)

// pictureTurns are what is said, and what the screen shows then.
var pictureTurns = [][2]string{
	{"My train was cancelled.", "Score 2 of 3"},
	{"I will try, mostly.", "2 tries left"},
	{"The whistling will be hard for me.", "Carried over"},
	{"We should call a mechanic.", "2 tries left"},
	{"Let me go first", "Score 3 of 3"},
	{"Open the door.", "Last try"},
}

// tmux is a terminal of its own, which other programs of the machine do not see.
type tmux struct {
	t      *testing.T
	socket string
}

func (m tmux) do(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket, "-f", os.DevNull}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// shows waits until the window shows a text and then stands still.
func (m tmux) shows(text string) string {
	m.t.Helper()
	last := ""
	for limit := time.Now().Add(cmdtest.Patience); time.Now().Before(limit); {
		now := m.do("capture-pane", "-p", "-t", "chat")
		if now == last && strings.Contains(now, text) && !strings.Contains(now, "is thinking") && !strings.Contains(now, "is speaking") && !strings.Contains(now, "opening ") {
			return now
		}
		last = now
		time.Sleep(50 * time.Millisecond)
	}
	m.t.Fatalf("the window never shows %q:\n%s", text, last)
	return ""
}

// TestPicture plays a sample in a real terminal, against a real server, and holds
// what stands there at the end against docs/chat.svg and docs/chat.md, which were
// made of such a play; -update makes them anew. The character's own lines are chosen
// by chance, so the side panel and the status line are what has to be the same.
// Without tmux only the picture and the text are held against what they were made of.
func TestPicture(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err == nil {
		played := playedInTmux(t)
		if cmdtest.Updating() {
			write(t, pictureScreen, played)
		}
		kept := read(t, pictureScreen)
		if was, is := fixedParts(kept), fixedParts(played); !slices.Equal(was, is) {
			t.Errorf("the chat looks otherwise than in its picture (-update makes it anew):\n%s\nand was\n%s", strings.Join(is, "\n"), strings.Join(was, "\n"))
		}
	}
	screen := read(t, pictureScreen)
	picture := svgOf(screen, pictureTitle, pictureWidth, pictureHeight)
	text := "<!-- screen -->\n```text\n" + plainScreen(screen) + "```\n<!-- /screen -->"
	page := read(t, picturePage)
	fresh := regexp.MustCompile(`(?s)<!-- screen -->.*<!-- /screen -->`).ReplaceAllLiteralString(page, text)
	if cmdtest.Updating() {
		write(t, pictureFile, picture)
		write(t, picturePage, fresh)
		return
	}
	if read(t, pictureFile) != picture || fresh != page {
		t.Errorf("docs/chat.svg or docs/chat.md is not made of %s: -update makes them", pictureScreen)
	}
}

func playedInTmux(t *testing.T) string {
	t.Helper()
	source, err := examples.Read("hotel")
	if err != nil {
		t.Fatal(err)
	}
	stage := newStageOf(t, string(source), narrator(nil), "--llm", "offline")
	home := t.TempDir()
	folder, err := os.MkdirTemp("", "tm") // Names of sockets are short.
	if err != nil {
		t.Fatal(err)
	}
	window := tmux{t, filepath.Join(folder, "s")}
	t.Cleanup(func() {
		window.do("kill-server")
		_ = os.RemoveAll(folder)
	})
	window.do("new-session", "-d", "-s", "chat", "-x", "100", "-y", "30",
		"env", cmdtest.AsParley+"=1", "COLORTERM=truecolor", "LC_ALL=C.UTF-8", "NO_COLOR=", "HOME="+home, "PARLEY_DATA_DIR="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home,
		os.Args[0], "chat", "--server", stage.Address, "--theme", "dark", "--player-name", "Mara", "--player-gender", "female", stage.persona)
	window.shows("Say something")
	for _, turn := range pictureTurns {
		window.do("send-keys", "-t", "chat", "-l", turn[0])
		window.shows("› " + turn[0])
		window.do("send-keys", "-t", "chat", "Enter")
		window.shows(turn[1])
	}
	return strings.TrimRight(window.do("capture-pane", "-e", "-p", "-t", "chat"), "\n") + "\n"
}

// plainScreen is a screen as text.
func plainScreen(screen string) string {
	lines := strings.Split(strings.TrimRight(ansi.Strip(screen), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// fixedParts are the lines of the side panel, and the first and the last line.
func fixedParts(screen string) []string {
	lines := strings.Split(strings.TrimRight(plainScreen(screen), "\n"), "\n")
	parts := []string{lines[0], lines[len(lines)-1]}
	for _, line := range lines {
		if _, panel, found := strings.Cut(line, "│ "); found {
			parts = append(parts, panel)
		}
	}
	return parts
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
