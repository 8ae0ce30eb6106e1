package lines

import (
	"io"
	"strings"
	"testing"
	"time"
)

// TestUnreadLinesAreCounted: a piped play reports how many lines were not sent, without empty ones and commands.
func TestUnreadLinesAreCounted(t *testing.T) {
	for in, want := range map[string]string{
		"pass\npass\n":                                   "",
		"pass\npass\n\n  \n/progress\n":                  "",
		"pass\npass\none\n\ntwo\n/quit\nthree":           "3 lines were not sent: The gate has ended.\n",
		"kick me\n//said\n":                              "1 line was not sent: The gate has ended.\n",
		"kick me\n" + strings.Repeat("x", 1<<20) + "\n":  "1 line was not sent: The gate has ended.\n",
		"kick me\n" + strings.Repeat("x\n", 2*maxUnsent): "10000 lines or more were not sent: The gate has ended.\n",
	} {
		p := newLinePlay()
		if err := p.play(t.Context(), strings.NewReader(in), nil); err != nil || p.err.String() != want {
			t.Errorf("%.40q: %q, %v, want %q", in, p.err.String(), err, want)
		}
	}
}

// TestOpenPipeHoldsNothingUp: after an ending the play ends even if the input stays open.
func TestOpenPipeHoldsNothingUp(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	go func() { _, _ = io.WriteString(out, "kick me\n") }()
	began := time.Now()
	p := newLinePlay()
	if err := p.play(t.Context(), in, nil); err != nil || p.err.String() != "" || time.Since(began) > 20*time.Second {
		t.Errorf("%q, %v, after %s", p.err.String(), err, time.Since(began))
	}
}
