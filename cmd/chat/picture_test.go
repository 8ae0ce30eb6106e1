//go:build !windows

package chat_test

import (
	"cmp"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

// The pictures of the chat: pictureScreens has the output of a real terminal, and the pages embed
// the pictures that are drawn from it.
const (
	pictureScreens = "testdata/picture/"
	pictureFolder  = "../../docs/"
	picturePage    = "../../docs/chat.md"
)

type picture struct {
	name          string
	width, height int
	look, says    string
	// begin is the window to start from if it is not the look's, steps lead to the picture, and
	// after restores the screen.
	begin string
	steps []pictureStep
	after *pictureStep
}

// pictureStep is the text to type, the tmux keys to press then, and the text that the screen shows
// afterwards. A key that begins with = is the one before a text on the screen.
type pictureStep struct {
	says  string
	keys  []string
	shows string
}

// The kinds of terminals.
const (
	darkTerminal    = "dark"
	lightTerminal   = "light"
	sixteenTerminal = "16 colours"
	asciiTerminal   = "ASCII"
)

// Windows that begin for pictures of any look.
const (
	resumedWindow = "resumed"
	samplesWindow = "samples"
)

// pictures are made of one play, in this order. The first one is the page's own.
var pictures = []picture{
	{name: "chat", width: 100, height: 30, look: darkTerminal, says: "the conversation, and a side panel with the aim, the score, the tries and the parts"},
	{name: "pictures/80x24-dark", width: 80, height: 24, look: darkTerminal, says: "too narrow for a panel; the last line shows the part, the score and the tries"},
	{name: "pictures/120x40-dark", width: 120, height: 40, look: darkTerminal, says: "the side panel shows the aim, the score, the tries and the parts"},
	{name: "pictures/200x60-dark", width: 200, height: 60, look: darkTerminal, says: "the text stays 100 columns wide, and the panel is wider"},
	{name: "pictures/80x24-light", width: 80, height: 24, look: lightTerminal, says: "the same on a light background, with a contrast of at least 4.5 to 1"},
	{name: "pictures/120x40-light", width: 120, height: 40, look: lightTerminal, says: "the side panel on a light background"},
	{name: "pictures/200x60-light", width: 200, height: 60, look: lightTerminal, says: "the large window on a light background"},
	{name: "pictures/100x30-16", width: 100, height: 30, look: sixteenTerminal, says: "a terminal with 16 colours, and a continued conversation"},
	{name: "pictures/100x30-ascii", width: 100, height: 30, look: asciiTerminal, says: "with LC_ALL=C, lines, bars and marks are ASCII"},
	{
		name: "pictures/resume", width: 120, height: 40, look: darkTerminal, says: "a continued conversation, scrolled back to the end of the previous part", begin: resumedWindow,
		steps: []pictureStep{{keys: []string{"PPage"}, shows: "You made it"}}, after: &pictureStep{keys: []string{"C-End"}, shows: "Continuing where you left off"},
	},
	{
		name: "pictures/help", width: 80, height: 24, look: darkTerminal, says: "the help (F1)", begin: resumedWindow,
		steps: []pictureStep{{keys: []string{"F1"}, shows: "Ctrl+P"}}, after: &pictureStep{keys: []string{"Escape"}, shows: "Say something"},
	},
	{
		name: "pictures/parts", width: 80, height: 24, look: darkTerminal, says: "the parts of the story (F4); the titles of locked parts are hidden", begin: resumedWindow,
		steps: []pictureStep{{keys: []string{"F4"}, shows: "???"}},
	},
	{
		name: "pictures/locked", width: 80, height: 24, look: darkTerminal, says: "Enter on a locked part shows how to unlock it", begin: resumedWindow,
		steps: []pictureStep{{keys: []string{"Down", "Enter"}, shows: "That part is closed"}}, after: &pictureStep{keys: []string{"Escape"}, shows: "Say something"},
	},
	{
		name: "pictures/hidden", width: 120, height: 40, look: darkTerminal, says: "the panel hidden with F7; the last line shows the part, the score and the tries", begin: resumedWindow,
		steps: []pictureStep{{keys: []string{"F7"}, shows: "the side panel is hidden"}}, after: &pictureStep{keys: []string{"F7"}, shows: "Your aim"},
	},
	{
		name: "pictures/rejected", width: 80, height: 24, look: darkTerminal, says: "a lost ending: the reason, the number of endings found, and the choices", begin: resumedWindow,
		steps: []pictureStep{{says: "Open the door.", shows: "What now?"}},
	},
	{
		name: "pictures/ending-dark", width: 80, height: 24, look: darkTerminal, says: "back at the turning point, and then a won ending", begin: resumedWindow,
		steps: []pictureStep{{keys: []string{"=Back to where"}, shows: "taken back"}, {keys: []string{"C-u"}, shows: "Say something"}, {says: "Thank you, nobody is cross with you.", shows: "What now?"}},
	},
	{
		name: "pictures/ending-light", width: 80, height: 24, look: lightTerminal, says: "the same ending on a light background", begin: resumedWindow,
		steps: []pictureStep{{says: "/theme light", shows: "the theme is light"}, {keys: []string{"Down", "Up"}, shows: "What now?"}},
	},
	{
		name: "pictures/ending-ascii", width: 80, height: 24, look: asciiTerminal, says: "the same ending in ASCII",
		steps: []pictureStep{{shows: "What now?"}},
	},
	{
		name: "pictures/personas", width: 80, height: 24, look: darkTerminal, says: "the list of personas of `parley chat --local`", begin: samplesWindow,
		steps: []pictureStep{{shows: "Hobb Tansy"}},
	},
}

func (p picture) title() string {
	return fmt.Sprintf("%d by %d, %s: %s.", p.width, p.height, p.look, p.says)
}

func (p picture) screenFile() string {
	return pictureScreens + strings.TrimPrefix(p.name, "pictures/") + ".ansi"
}

// pictureTurns are the messages, and the text on the screen after each.
var pictureTurns = [][2]string{
	{"My train was cancelled.", "Score 2 of 3"},
	{"I will try, mostly.", "2 tries left"},
	{"The whistling will be hard for me.", "What now?"},
	{"", "Carried over"},
	{"We should call a mechanic.", "2 tries left"},
	{"Let me go first", "Score 3 of 3"},
	{"Open the door.", "Last try"},
}

// tmux is a private terminal that other programs of the machine do not see.
type tmux struct {
	t      *testing.T
	socket string
}

func (m tmux) do(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket, "-f", os.DevNull}, args...)...).CombinedOutput()
	assert.NoError(m.t, err, "tmux %v %s", args, out)
	return string(out)
}

func (m tmux) shows(text string) string {
	m.t.Helper()
	last := ""
	for limit := time.Now().Add(cmdtest.Timeout); time.Now().Before(limit); {
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

// TestPicture compares a played sample with the pictures of docs/chat.md, except for the random lines; see -update.
func TestPicture(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err == nil {
		played := playInTmux(t)
		for _, p := range pictures {
			if assert.Updating() {
				write(t, p.screenFile(), played[p.name])
			}
			was, is := fixedParts(read(t, p.screenFile())), fixedParts(played[p.name])
			assert.EqualSlices(t, was, is, "the chat looks otherwise than in %s (-update makes it anew)", p.name)
		}
	}
	holdPictures(t)
	holdPage(t)
}

// holdPictures compares the pictures with the screens that they are drawn from.
func holdPictures(t *testing.T) {
	t.Helper()
	whole := 0
	for _, p := range pictures {
		fresh := drawScreen(read(t, p.screenFile()), p)
		whole += len(fresh)
		if assert.Updating() {
			write(t, pictureFolder+p.name+".svg", fresh)
		}
		if read(t, pictureFolder+p.name+".svg") != fresh {
			t.Errorf("docs/%s.svg is not made of %s: -update makes it", p.name, p.screenFile())
		}
	}
	assert.True(t, whole <= 250_000, "the pictures have %d bytes", whole)
}

func holdPage(t *testing.T) {
	t.Helper()
	page := read(t, picturePage)
	fresh := replaceBlock(page, "screen", "```text\n"+plainScreen(read(t, pictures[0].screenFile()))+"```\n")
	var list strings.Builder
	for _, p := range pictures[1:] {
		fmt.Fprintf(&list, "\n![%s](%s.svg)\n", p.title(), p.name)
	}
	fresh = replaceBlock(fresh, "pictures", list.String()+"\n")
	if assert.Updating() {
		write(t, picturePage, fresh)
		return
	}
	assert.Equal(t, fresh, page, "docs/chat.md has another screen or other pictures: -update makes them")
}

func replaceBlock(page, name, text string) string {
	block := regexp.MustCompile("(?s)<!-- " + name + " -->.*<!-- /" + name + " -->")
	return block.ReplaceAllLiteralString(page, "<!-- "+name+" -->\n"+text+"<!-- /"+name+" -->")
}

// playInTmux plays once, resuming for other colours and signs, and returns the window of each picture by name.
func playInTmux(t *testing.T) map[string]string {
	t.Helper()
	source := assert.Value(examples.Read("hotel"))(t)
	stage := newServerFixtureOf(t, string(source), narrator(nil), "--llm", "offline")
	folder, err := os.MkdirTemp("", "tm") // Names of sockets are short.
	assert.NoError(t, err)
	window := tmux{t, filepath.Join(folder, "s")}
	t.Cleanup(func() {
		window.do("kill-server")
		_ = os.RemoveAll(folder)
	})
	home, shown, look, last := t.TempDir(), map[string]string{}, "", [2]int{}
	for _, p := range pictures {
		isNew := cmp.Or(p.begin, p.look) != look
		if isNew {
			look = cmp.Or(p.begin, p.look)
			window.beginLook(look, home, stage)
		}
		window.do("resize-window", "-t", "chat", "-x", strconv.Itoa(p.width), "-y", strconv.Itoa(p.height))
		if size := [2]int{p.width, p.height}; isNew || size != last || len(p.steps) == 0 {
			last = size
			window.showsRows(p.height)
		}
		for _, step := range p.steps {
			window.takeStep(step)
		}
		shown[p.name] = strings.TrimRight(window.do("capture-pane", "-e", "-p", "-t", "chat"), "\n") + "\n"
		if p.after != nil {
			window.takeStep(*p.after)
		}
	}
	return shown
}

func (m tmux) takeStep(step pictureStep) {
	m.t.Helper()
	if step.says != "" {
		m.do("send-keys", "-t", "chat", "-l", step.says)
		m.shows(step.says)
		m.do("send-keys", "-t", "chat", "Enter")
	}
	for _, key := range step.keys {
		if text, isNumber := strings.CutPrefix(key, "="); isNumber {
			before, _, _ := strings.Cut(m.shows(text), " "+text)
			key = before[len(before)-1:]
		}
		m.do("send-keys", "-t", "chat", key)
	}
	m.shows(step.shows)
}

func (m tmux) beginLook(look, home string, stage *serverFixture) {
	m.t.Helper()
	switch look {
	case darkTerminal:
		m.startChat(home, stage, "new-session", "-s", "chat", "COLORTERM=truecolor", "LC_ALL=C.UTF-8")
		m.shows("Say something")
		for _, turn := range pictureTurns {
			m.sayTurn(turn)
		}
	case lightTerminal:
		m.do("send-keys", "-t", "chat", "-l", "/theme light")
		m.do("send-keys", "-t", "chat", "Enter")
		m.shows("the theme is light")
		m.do("send-keys", "-t", "chat", "x", "BSpace") // A key takes the news away.
		m.shows("Say something")
	case sixteenTerminal:
		m.startChat(home, stage, "respawn-window", "-k", "-t", "chat", "TERM=xterm", "COLORTERM=", "LC_ALL=C.UTF-8")
		m.shows("Say something")
	case asciiTerminal:
		m.startChat(home, stage, "respawn-window", "-k", "-t", "chat", "COLORTERM=truecolor", "LC_ALL=C")
		m.shows("F1 keys") // An ending may stand there, without an input.
	case resumedWindow:
		m.startChat(home, stage, "respawn-window", "-k", "-t", "chat", "COLORTERM=truecolor", "LC_ALL=C.UTF-8")
		m.shows("Say something")
	case samplesWindow:
		m.startChat(home, nil, "respawn-window", "-k", "-t", "chat", "COLORTERM=truecolor", "LC_ALL=C.UTF-8")
	}
}

// startChat starts the chat in tmux, with the samples if there is no stage. NAME=VALUE is environment.
func (m tmux) startChat(home string, stage *serverFixture, args ...string) {
	m.t.Helper()
	var command, variables []string
	for _, arg := range args {
		if strings.Contains(arg, "=") {
			variables = append(variables, arg)
			continue
		}
		command = append(command, arg)
	}
	if command[0] == "new-session" {
		command = append(command, "-d", "-x", "100", "-y", "30")
	}
	command = append(append(command, "env", cmdtest.AsParley+"=1", "NO_COLOR=", "HOME="+home, "PARLEY_DATA_DIR="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home), variables...)
	command = append(command, os.Args[0], "chat", "--theme", "dark", "--player-name", "Mara", "--player-gender", "female")
	if stage == nil {
		m.do(append(command, "--local")...)
		return
	}
	m.do(append(command, "--server", stage.Address, stage.persona)...)
}

func (m tmux) sayTurn(turn [2]string) {
	m.t.Helper()
	if turn[0] != "" { // Else Enter goes on from an ending.
		m.do("send-keys", "-t", "chat", "-l", turn[0])
		m.shows("› " + turn[0])
	}
	m.do("send-keys", "-t", "chat", "Enter")
	m.shows(turn[1])
}

func (m tmux) showsRows(rows int) {
	m.t.Helper()
	last := ""
	for limit := time.Now().Add(cmdtest.Timeout); time.Now().Before(limit); {
		now := m.do("capture-pane", "-p", "-t", "chat")
		lines := strings.Split(strings.TrimRight(now, "\n"), "\n")
		if now == last && len(lines) == rows && strings.Contains(lines[rows-1], "F1") {
			return
		}
		last = now
		time.Sleep(100 * time.Millisecond)
	}
	m.t.Fatalf("the window is not drawn to its end:\n%s", last)
}

func plainScreen(screen string) string {
	lines := strings.Split(strings.TrimRight(ansi.Strip(screen), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func fixedParts(screen string) []string {
	lines := strings.Split(strings.TrimRight(plainScreen(screen), "\n"), "\n")
	parts := []string{lines[0], lines[len(lines)-1]}
	for _, line := range lines {
		for _, edge := range []string{" │ ", " | "} {
			if _, panel, found := strings.Cut(line, edge); found {
				parts = append(parts, panel)
			}
		}
	}
	return parts
}

func read(t *testing.T, file string) string {
	t.Helper()
	text := assert.Value(os.ReadFile(file))(t)
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	assert.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// The picture's measures, in its own units: a cell and the margin of the screen.
const (
	cellWidth  = 8.4
	cellHeight = 18
	frameEdge  = 16
)

type look struct {
	paper
	fill              string
	bold, italic      bool
	faint, underlined bool
	reversed          bool
}

type paper struct{ ink, ground string }

func choosePaper(p picture) paper {
	if p.look == lightTerminal {
		return paper{"#24272e", "#fafaf7"}
	}
	return paper{"#d7dae0", "#16181d"}
}

// sixteenInks are the sixteen colours of common terminals.
var sixteenInks = []string{
	"#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
	"#7f7f7f", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff",
}

// drawScreen draws a terminal screen as SVG: one element for each run of one look, with forced widths.
func drawScreen(screen string, p picture) string {
	var b strings.Builder
	w, h, on := float64(p.width)*cellWidth+2*frameEdge, p.height*cellHeight+2*frameEdge, choosePaper(p)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s" xml:space="preserve">`+"\n", w, h, on.ink)
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"10\" fill=\"%s\"/>\n", html.EscapeString(p.title()), on.ground)
	now := look{paper: on}
	for row, line := range strings.Split(screen, "\n") {
		now = drawLine(&b, line, row, now)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawLine draws a line and returns the look at its end, with which the next line begins.
func drawLine(b *strings.Builder, line string, row int, now look) look {
	column := 0
	for line != "" {
		if codes, rest, ok := cutSGR(line); ok {
			now, line = now.after(codes), rest
			continue
		}
		end := strings.IndexByte(line, 0x1b)
		if end < 0 {
			end = len(line)
		}
		end = max(end, 1)
		drawRun(b, line[:end], column, row, now)
		column, line = column+ansi.StringWidth(line[:end]), line[end:]
	}
	return now
}

func cutSGR(line string) (codes []string, rest string, ok bool) {
	after, is := strings.CutPrefix(line, "\x1b[")
	if !is {
		return nil, line, false
	}
	params, rest, found := strings.Cut(after, "m")
	if !found || strings.Trim(params, "0123456789;") != "" {
		return nil, line, false
	}
	return strings.Split(params, ";"), rest, true
}

// after is the look that SGR parameters make of one.
func (l look) after(codes []string) look {
	for i := 0; i < len(codes); i++ {
		n, _ := strconv.Atoi(codes[i])
		switch {
		case n == 0:
			l = look{paper: l.paper}
		case n == 1:
			l.bold = true
		case n == 2:
			l.faint = true
		case n == 22:
			l.bold, l.faint = false, false
		case n == 3, n == 23:
			l.italic = n == 3
		case n == 4, n == 24:
			l.underlined = n == 4
		case n == 7, n == 27:
			l.reversed = n == 7
		case n == 39:
			l.fill = ""
		case n >= 30 && n <= 37:
			l.fill = sixteenInks[n-30]
		case n >= 90 && n <= 97:
			l.fill = sixteenInks[n-90+8]
		case (n == 38 || n == 48) && i+4 < len(codes) && codes[i+1] == "2":
			if n == 38 {
				l.fill = "#" + hexOf(codes[i+2]) + hexOf(codes[i+3]) + hexOf(codes[i+4])
			}
			i += 4
		}
	}
	return l
}

func hexOf(decimal string) string {
	n, _ := strconv.Atoi(decimal)
	return fmt.Sprintf("%02x", n)
}

// drawRun draws a text, and the parts around several spaces separately, because renderers collapse them.
func drawRun(b *strings.Builder, text string, column, row int, l look) {
	for text != "" {
		rest := text
		if !l.reversed && !l.underlined { // There spaces are seen.
			rest = strings.TrimLeft(text, " ")
		}
		column += len(text) - len(rest)
		word, _, _ := strings.Cut(rest, "  ")
		if word == "" && rest != "" {
			word = rest[:1]
		}
		l.draw(b, word, column, row)
		column, text = column+ansi.StringWidth(word), rest[len(word):]
	}
}

// bars are vertical lines, which as letters would have gaps between the rows: where
// in the cell they begin, and how wide they are.
var bars = map[string][2]float64{"│": {3.7, 1}, "▎": {0, 2.1}}

func (l look) draw(b *strings.Builder, text string, column, row int) {
	if !l.reversed && !l.underlined {
		text = strings.TrimRight(text, " ")
	}
	if text == "" {
		return
	}
	x, wide := frameEdge+float64(column)*cellWidth, float64(ansi.StringWidth(text))*cellWidth
	fill, extra := l.fill, ""
	if fill == "" {
		fill = l.ink
	}
	if bar, is := bars[text]; is && !l.reversed {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x+bar[0], frameEdge+row*cellHeight, bar[1], cellHeight, fill)
		return
	}
	if l.reversed {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, frameEdge+row*cellHeight, wide, cellHeight, fill)
		fill = l.ground
	}
	if l.bold {
		extra += ` font-weight="bold"`
	}
	if l.italic {
		extra += ` font-style="italic"`
	}
	if l.faint {
		extra += ` opacity="0.65"`
	}
	if l.underlined {
		extra += ` text-decoration="underline"`
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
		x, frameEdge+row*cellHeight+14, wide, fill, extra, html.EscapeString(text))
}
