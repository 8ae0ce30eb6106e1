package terminal

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// cutInput is a terminal that gives its bytes in the pieces that somebody wants.
type cutInput struct {
	*os.File
	pieces []string
}

func (c *cutInput) Read(p []byte) (int, error) {
	if len(c.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.pieces[0])
	if c.pieces[0] = c.pieces[0][n:]; c.pieces[0] == "" {
		c.pieces = c.pieces[1:]
	}
	return n, nil
}

// readPieces gives what a reader gives at once, until the end.
func readPieces(t *testing.T, size int, pieces ...string) []string {
	t.Helper()
	m := NewMouseReader(&cutInput{File: os.Stdin, pieces: pieces}, nil)
	if m == nil {
		t.Skip("nothing stands before this system's console")
	}
	var got []string
	for p := make([]byte, size); ; {
		n, err := m.Read(p)
		if n > 0 {
			got = append(got, string(p[:n]))
		}
		if err != nil {
			return got
		}
	}
}

// TestReportsComeWhole: a report of the mouse that is cut anywhere behind its beginning
// comes in one piece, and what stands around it is as it was.
func TestReportsComeWhole(t *testing.T) {
	const report, around = "\x1b[<64;120;40M", "ab"
	for cut := 1; cut < len(report); cut++ {
		got := readPieces(t, 256, report+report[:cut], report[cut:]+around)
		if want := []string{report, report + around}; !slices.Equal(got, want) {
			t.Errorf("behind another, cut behind %d, it comes as %q", cut, got)
		}
	}
	for cut := len("\x1b["); cut < len(report); cut++ {
		got := readPieces(t, 256, around+report[:cut], report[cut:]+around)
		if want := []string{around, report + around}; !slices.Equal(got, want) {
			t.Errorf("cut behind %d it comes as %q", cut, got)
		}
	}
	all := strings.Repeat(report, 60)
	for _, size := range []int{64, 255, 256} { // Bubbletea's buffer has 256.
		got := readPieces(t, size, all)
		for _, piece := range got {
			if !strings.HasPrefix(piece, "\x1b[<") || !strings.HasSuffix(piece, "M") {
				t.Errorf("with %d bytes at once it comes as %q", size, piece)
			}
		}
		if strings.Join(got, "") != all {
			t.Errorf("with %d bytes at once something is missing", size)
		}
	}
}

// TestOtherInputIsNotHeld: keys are given out at once, and what begins like a report and is
// none is not kept for ever.
func TestOtherInputIsNotHeld(t *testing.T) {
	for _, text := range []string{"\x1b", "\x1b[A", "M\x1b", "\x1b[<x1M\x1b", "a\x1b[<1;2;3M", "\x1b[<12x", "\x1b[<" + strings.Repeat("1", longestReport)} {
		if got := readPieces(t, 256, text, "z"); !slices.Equal(got, []string{text, "z"}) {
			t.Errorf("%q comes as %q", text, got)
		}
	}
}

// FuzzMouseReader: nothing is lost, added or put elsewhere, however it comes.
func FuzzMouseReader(f *testing.F) {
	f.Add("a\x1b[<64;1;1Mb", uint8(3), uint8(7))
	f.Fuzz(func(t *testing.T, text string, size, cut uint8) {
		at := min(int(cut), len(text))
		pieces := slices.DeleteFunc([]string{text[:at], text[at:]}, func(s string) bool { return s == "" })
		m := NewMouseReader(&cutInput{File: os.Stdin, pieces: pieces}, nil)
		if m == nil {
			t.Skip("nothing stands before this system's console")
		}
		got := strings.Join(readPieces(t, 1+int(size), pieces...), "")
		if got != text && got+unfinished(text) != text {
			t.Errorf("%q comes as %q", text, got)
		}
	})
}

// unfinished is the beginning of a report at the end of a text.
func unfinished(text string) string {
	if at := strings.LastIndexByte(text, '\x1b'); at >= 0 {
		return text[at:]
	}
	return ""
}
