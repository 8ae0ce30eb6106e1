package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/tui/views"
)

func longChat(b *testing.B, n int) *driver {
	d := playing(b)
	d.Resize(120, 40)
	chat := d.root.child.(*chat)
	fillLog(chat.log, n)
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
				d.Resize(100+i%40, 40)
				_ = d.root.View()
			}
		})
	}
}

func fillLog(log *views.Transcript, n int) {
	for i := range n {
		kind, name := views.CharacterTurn, "Mira"
		if i%2 == 1 {
			kind, name = views.PlayerTurn, "Alex"
		}
		log.AddEntry(views.Entry{Kind: kind, Name: name, Text: fmt.Sprintf("message %d: %s", i, strings.Repeat("word ", i%40))})
	}
}
