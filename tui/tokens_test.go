package tui

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/wire"
)

// TestPlainTokens: line mode says at its end what the whole chat has cost, beside
// the play, and nothing where it has cost nothing.
func TestPlainTokens(t *testing.T) {
	p := newLinePlay()
	p.stage.tokens = wire.Tokens{In: 1200, Out: 40}
	if err := p.play(t.Context(), strings.NewReader("pass\nhm\n"), nil); err != nil {
		t.Fatal(err)
	}
	if want := "Tokens: the model read 3,600 and wrote 120.\n"; p.err.String() != want || strings.Contains(p.out.String(), "oken") {
		t.Errorf("talk %q, want %q; play %q", p.err.String(), want, p.out.String())
	}
	p.stage.tokens = wire.Tokens{}
	if err := p.play(t.Context(), strings.NewReader("pass\n"), nil); err != nil || p.err.Len() > 0 {
		t.Errorf("talk %q, %v", p.err.String(), err)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567"} {
		if got := groupThousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
