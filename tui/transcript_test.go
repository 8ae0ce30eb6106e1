package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func filled(n int) *transcript {
	t := newTranscript(testStyles())
	for i := range n {
		kind, name := characterTurn, "Mira"
		if i%2 == 1 {
			kind, name = playerTurn, "Alex"
		}
		t.addEntry(entry{kind: kind, name: name, text: fmt.Sprintf("message %d: %s", i, strings.Repeat("word ", i%40))})
	}
	t.resize(60, 20)
	return t
}

// all is every line of a transcript, as the window would show them.
func (t *transcript) all() []string {
	var lines []string
	for i := range t.entries {
		lines = append(lines, t.entryLines(i)...)
	}
	return lines
}

// The window is always a piece of the whole, wherever one scrolls to.
func TestTranscriptWindow(t *testing.T) {
	log := filled(60)
	whole := log.all()
	top := len(whole) - log.height
	check := func(what string) {
		t.Helper()
		top = max(min(top, len(whole)-log.height), 0)
		if got := log.drawLines(); !slices.Equal(got, whole[top:top+log.height]) {
			t.Fatalf("%s: the window is not at line %d of %d", what, top, len(whole))
		}
		if log.follow != (top == len(whole)-log.height) {
			t.Fatalf("%s: follow is %v at line %d of %d", what, log.follow, top, len(whole))
		}
	}
	check("at first")
	for _, n := range []int{-1, -1, -30, 7, 1, -500, -1, 3, 1000, -2, 1, 1, -5, 5} {
		log.scrollBy(n)
		top = max(top+n, 0)
		check(fmt.Sprint("after ", n))
	}
	log.scrollToTop()
	top = 0
	check("at the top")
	log.scrollPage(1)
	top += log.height - 2
	check("a page down")
	log.scrollToEnd()
	top = len(whole)
	check("at the end")
}

func TestTranscriptGrowsAndShrinks(t *testing.T) {
	log := filled(30)
	log.scrollPage(-1)
	before := log.drawLines()
	log.addEntry(entry{kind: playerTurn, name: "Alex", text: "new"})
	if !slices.Equal(before, log.drawLines()) {
		t.Error("a new turn moved the window")
	}
	log.dropLastTurn()
	log.dropLastTurn()
	log.dropLastTurn()
	if got := len(log.entries); got != 29 {
		t.Errorf("drop took more than the player's turns: %d left", got)
	}
	log.resize(25, 7)
	for _, line := range log.drawLines() {
		if ansi.StringWidth(line) > 25 {
			t.Errorf("%q is wider than the window", line)
		}
	}
	log.clearEntries()
	if lines := log.drawLines(); strings.TrimSpace(strings.Join(lines, "")) != "" || len(lines) != 7 {
		t.Errorf("an empty transcript shows %q", lines)
	}
}

// longChat is a chat of n messages on a large screen.
func longChat(b *testing.B, n int) *driver {
	d := playing(b)
	d.resize(120, 40)
	chat := d.root.child.(*chat)
	for _, e := range filled(n).entries {
		chat.log.addEntry(e)
	}
	return d
}

func BenchmarkView(b *testing.B) {
	for _, n := range []int{10, 1000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := longChat(b, n)
			b.ReportAllocs()
			for b.Loop() {
				_ = d.root.View()
			}
		})
	}
}

func BenchmarkKey(b *testing.B) {
	for _, n := range []int{10, 1000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := longChat(b, n)
			b.ReportAllocs()
			for b.Loop() {
				d.press("x", "ctrl+u")
			}
		})
	}
}

func BenchmarkResize(b *testing.B) {
	for _, n := range []int{10, 1000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := longChat(b, n)
			for i := 0; b.Loop(); i++ {
				d.resize(100+i%40, 40)
				_ = d.root.View()
			}
		})
	}
}
