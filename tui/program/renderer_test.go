package program

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/hinshun/vt10x"
	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

// shown is a terminal and what draws on it.
type shown struct {
	*Renderer
	emulator vt10x.Terminal
	written  bytes.Buffer // by the last frame
	writes   int
}

func newShown(width, height int) *shown {
	s := &shown{emulator: vt10x.New(vt10x.WithSize(width, height))}
	s.Renderer = NewRenderer(s)
	s.Resize(width, height)
	return s
}

// Write writes to the terminal.
func (s *shown) Write(p []byte) (int, error) {
	s.writes++
	s.written.Write(p)
	return s.emulator.Write(p)
}

// draw draws a frame and returns the bytes written for it.
func (s *shown) draw(frame string) string {
	s.written.Reset()
	_ = s.Draw(frame)
	return s.written.String()
}

// cells returns the rows of cells that the terminal shows, with their styles.
func (s *shown) cells(width, height int) []string {
	rows := make([]string, height)
	for y := range height {
		var row strings.Builder
		for x := range width {
			g := s.emulator.Cell(x, y)
			fmt.Fprintf(&row, "%c/%d/%d/%d ", max(g.Char, ' '), g.Mode, g.FG, g.BG)
		}
		rows[y] = row.String()
	}
	return rows
}

// checkSame compares a terminal that was drawn step by step with one that shows only the frame.
func checkSame(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, s *shown, frame string, width, height int) {
	t.Helper()
	fresh := newShown(width, height)
	fresh.draw(frame)
	if got, want := s.cells(width, height), fresh.cells(width, height); !slices.Equal(got, want) {
		for y := range got {
			if got[y] != want[y] {
				t.Fatalf("row %d shows\n%s\nnot\n%s\nof the frame %q\nby %q", y, got[y], want[y], frame, s.written.String())
			}
		}
	}
}

// pieces are what lines are made of: looks of all kinds, characters of one cell, of two, of
// none and of disputed width, words that are written to the left.
var pieces = []string{
	"word ", "a", "b", " ", "   ", "────", "│", "▎ ", "é", "§", "Жук", "…", "—",
	"\x1b[1mbold\x1b[0m", "\x1b[7m \x1b[m", "\x1b[38;5;120mgreen\x1b[m", "\x1b[38;2;1;2;3;1mmany\x1b[0m", "\x1b[1m\x1b[31mtwo\x1b[22mone\x1b[0m",
	"\x1b[48;5;4m     \x1b[0m", "\x1b[0;38;5;1;48;5;2m▀▀\x1b[0;38;5;3m▀\x1b[0m", "漢字", "é", "👩‍🚀", "⌚", "שלום", "\u200e", "\u00ad", "ก็", "🇩🇪",
}

// lineOf makes a line of pieces that has at most so many characters.
func lineOf(t *rapid.T, width int) string {
	line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "line"), "")
	if rapid.IntRange(0, 4).Draw(t, "panel") == 0 {
		line = keepRunes(line, width/2)
		line += ansi.EraseLineRight + strings.Repeat(" ", width/2-utf8.RuneCountInString(ansi.Strip(line)))
		line += fmt.Sprintf("\x1b[%dG│ beside", width/2+1)
	}
	return keepRunes(line, width)
}

// keepRunes keeps the first characters of a line, not counting sequences, as the emulator counts cells.
func keepRunes(line string, most int) string {
	n := 0
	var kept strings.Builder
	for len(line) > 0 {
		if sequence := harmless.FindString(line); sequence != "" {
			kept.WriteString(sequence)
			line = line[len(sequence):]
			continue
		}
		_, size := utf8.DecodeRuneInString(line)
		if n++; n <= most {
			kept.WriteString(line[:size])
		}
		line = line[size:]
	}
	return kept.String()
}

var harmless = regexp.MustCompile("^\x1b\\[[0-9;]*[mKG]")

// TestDifferencesMakeTheFrame: after any frames and sizes the terminal shows exactly the last frame.
func TestDifferencesMakeTheFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := 40, 8
		s := newShown(width, height)
		var lines []string
		for range rapid.IntRange(1, 8).Draw(t, "frames") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				width, height = rapid.IntRange(20, 60).Draw(t, "width"), rapid.IntRange(2, 12).Draw(t, "height")
				s.emulator.Resize(width, height)
				s.Resize(width, height)
				lines = nil
			case 1:
				s.Invalidate()
			}
			lines = changeLines(t, lines, width, height)
			frame := strings.Join(lines, "\n")
			s.draw(frame)
			checkSame(t, s, frame, width, height)
			if again := s.draw(frame); again != "" {
				t.Fatalf("the same frame writes %q", again)
			}
		}
	})
}

// changeLines changes some lines, and now and then their number.
func changeLines(t *rapid.T, lines []string, width, height int) []string {
	lines = slices.Clone(lines)
	number := len(lines)
	if number == 0 || rapid.IntRange(0, 3).Draw(t, "resized") == 0 {
		number = rapid.IntRange(1, height+2).Draw(t, "lines")
	}
	for len(lines) < number {
		lines = append(lines, lineOf(t, width))
	}
	lines = lines[:number]
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		i := rapid.IntRange(0, number-1).Draw(t, "changed")
		if rapid.Bool().Draw(t, "longer") {
			lines[i] = keepRunes(lines[i]+rapid.SampledFrom(pieces).Draw(t, "more"), width)
		} else {
			lines[i] = lineOf(t, width)
		}
	}
	return lines
}

// FuzzDraw makes one frame of another: of any two texts, which may hold looks.
func FuzzDraw(f *testing.F) {
	f.Add("› hey\x1b[7m \x1b[m", "› hey!\x1b[7m \x1b[m")
	f.Add("a\nb\nc", "a")
	f.Add("漢字 left", "漢 left")
	f.Add("\x1b[1m\x1b[31mx", "\x1b[31mx\x1b[0my")
	f.Add("────│ one", "────│ two")
	f.Fuzz(func(t *testing.T, from, to string) {
		const width, height = 30, 6
		s := newShown(width, height)
		s.draw(tidyFrame(from, width))
		frame := tidyFrame(to, width)
		s.draw(frame)
		checkSame(t, s, frame, width, height)
	})
}

// tidyFrame makes a frame of any text: looks, but no other sequences, and lines that fit.
func tidyFrame(text string, width int) string {
	lines := strings.Split(strings.ToValidUTF8(text, "?"), "\n")
	for i, line := range lines {
		var tidy strings.Builder
		for len(line) > 0 {
			if style := cutStyle(line); style != "" {
				tidy.WriteString(style)
				line = line[len(style):]
				continue
			}
			r, size := utf8.DecodeRuneInString(line)
			if r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) && ansi.StringWidth(string(r)) > 0 {
				tidy.WriteRune(r)
			}
			line = line[size:]
		}
		lines[i] = keepRunes(tidy.String(), width)
	}
	return strings.Join(lines, "\n")
}

// TestKeyWritesLittle: a typed letter costs only its own cell and the cursor's, for any frame around it.
func TestKeyWritesLittle(t *testing.T) {
	frame := func(typed string) string {
		lines := slices.Repeat([]string{strings.Repeat("\x1b[32mgreen\x1b[m words ", 10)}, 38)
		return strings.Join(append(lines, "\x1b[2m"+strings.Repeat("─", 86)+"\x1b[m│ panel", "› "+typed+"\x1b[7m \x1b[m"), "\n")
	}
	s := newShown(120, 40)
	typed := strings.Repeat("what was written before ", 4)
	s.draw(frame(typed))
	written := s.draw(frame(typed + "§"))
	assert.Contains(t, written, "§")
	assert.True(t, len(written) <= 40, "a key writes %d bytes: %q", len(written), written)
	assert.Equal(t, s.writes, 2, "two frames are written")
}

// TestUnknownWidthIsDrawnWhole: a line with a character of disputed width is drawn from its beginning.
func TestUnknownWidthIsDrawnWhole(t *testing.T) {
	for _, disputed := range []string{"👩‍🚀", "漢字", "e\u0301", "שלום", "\u200eabc", "a\u00adb", "⌚", "a\tb"} {
		s := newShown(80, 3)
		s.draw("first\n" + disputed + " and a\nlast")
		written := s.draw("first\n" + disputed + " and b\nlast")
		assert.Equal(t, written, "\x1b[H\r\n"+disputed+" and b\x1b[K", "%q is changed", disputed)
	}
}

// TestFrameIsCut: a frame that is too large is cut at the top and at the right.
func TestFrameIsCut(t *testing.T) {
	s := newShown(20, 2)
	s.draw("gone\n" + strings.Repeat("long ", 9) + "\nlast")
	assert.Equal(t, strings.TrimRight(s.emulator.String(), "\n "), "long long long long \nlast", "it shows")
	assert.Equal(t, s.draw("gone too\n"+strings.Repeat("long ", 8)+"more\nlast"), "", "what is not seen is written")
}

// TestFullLineOfUnknownWidth: a line that a terminal takes for shorter leaves nothing of the old one.
func TestFullLineOfUnknownWidth(t *testing.T) {
	s := newShown(10, 2)
	s.draw("xxxxxxxxxx\nlast")
	s.draw("漢漢漢漢漢\nlast") // One cell each in this emulator.
	assert.Equal(t, strings.TrimRight(s.emulator.String(), "\n "), "漢漢漢漢漢     \nlast", "it shows")
}

// TestHalfOfWideCharacter: if only half of a wide character fits, nothing of the old content is left there.
func TestHalfOfWideCharacter(t *testing.T) {
	s := newShown(4, 2)
	s.draw("xxxx\nlast")
	s.draw("abc漢\nlast")
	assert.Equal(t, strings.TrimRight(s.emulator.String(), "\n "), "abc \nlast", "it shows")
}

// FuzzReadCells: no line breaks the reading of cells, and cells are never more than the line has characters.
func FuzzReadCells(f *testing.F) {
	for _, line := range append(pieces, "\x1b", "\x1b[", "\x1b[1;", "\x1b[?25l", "\xff") {
		f.Add(line, 10)
	}
	f.Fuzz(func(t *testing.T, line string, width int) {
		cells, plain := readCells(line, width)
		if !plain && cells != nil || len(cells) > utf8.RuneCountInString(line) || width > 0 && len(cells) > width {
			t.Errorf("%q has %d cells (plain: %v)", line, len(cells), plain)
		}
	})
}

// TestCursorFollowsCaret: the cursor is where a frame marks the caret, and moves alone if only that changed.
func TestCursorFollowsCaret(t *testing.T) {
	s := newShown(20, 4)
	const mark = terminal.CaretMark
	for _, step := range []struct {
		frame string
		x, y  int
	}{
		{"one\n> " + mark + "\x1b[7m \x1b[0m\nfoot", 2, 1},
		{"one\n> a" + mark + "\x1b[7m \x1b[0m\nfoot", 3, 1},
		{"one\n> " + mark + "\x1b[7ma\x1b[0m \nfoot", 2, 1},
		{"two\n> " + mark + "\x1b[7ma\x1b[0m \nfoot, and more", 2, 1},
		{"two\n> \x1b[1mé漢字\x1b[0m" + mark + " x\nfoot", 7, 1},
		{"two\n> é漢字 x\n" + mark + "foot", 0, 2},
		{mark + "two\n> é漢字 x\n" + mark + "foot", 0, 0},
		{"top\nis\ncut\noff\nlast " + mark + " ", 5, 3},
		{strings.Repeat("w", 30) + mark, 19, 0},
	} {
		written := s.draw(step.frame)
		assert.NotContains(t, written, mark, "%q: the mark is written", step.frame)
		at := s.emulator.Cursor()
		assert.Equal(t, at.X, step.x, "%q: column of the cursor after %q", step.frame, written)
		assert.Equal(t, at.Y, step.y, "%q: row of the cursor after %q", step.frame, written)
		checkSame(t, s, strings.ReplaceAll(step.frame, mark, ""), 20, 4)
		assert.Equal(t, s.draw(step.frame), "", "the same frame writes")
	}
	s.draw("a\n" + mark + "b")
	s.Invalidate()
	if s.draw("a\n" + mark + "b"); s.emulator.Cursor().Y != 1 {
		t.Error("the cursor is not at the caret after the whole frame")
	}
	s.draw("a\nb")
	assert.Equal(t, s.draw("a\nb"), "", "a frame without a caret writes")
}

// keyNames collects the names of the keys that it receives.
type keyNames []string

func (k keyNames) Init() tea.Cmd { return nil }
func (k keyNames) View() string  { return "" }
func (k keyNames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if press, ok := msg.(tea.KeyMsg); ok {
		return append(k, press.String()), nil
	}
	return k, nil
}

// TestKeyNamesAreText: a word that arrives in one message and is also the name of a key is text.
func TestKeyNamesAreText(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"up", "down", "enter", "esc", "tab", "home", "end", "ctrl+c", "f6", "pgup", "backspace"} {
		p := NewPasteDetector(keyNames{}, time.Now, func(time.Duration, tea.Msg) tea.Cmd { return nil })
		p.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(word)})
		names, _ := p.screen.(keyNames) // the model that Update returned
		assert.Equal(t, strings.Join(names, ""), word, "arrives %q", names)
		assert.Equal(t, len(names), len(word), "arrives %q", names)
	}
}
