package terminal

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// typist is a terminal that gives out pieces, one a Read.
type typist struct{ pieces []string }

func (t *typist) Read(p []byte) (int, error) {
	if len(t.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.pieces[0])
	if t.pieces[0] = t.pieces[0][n:]; t.pieces[0] == "" {
		t.pieces = t.pieces[1:]
	}
	return n, nil
}

func (t *typist) Write(p []byte) (int, error) { return len(p), nil }
func (t *typist) Close() error                { return nil }
func (t *typist) Fd() uintptr                 { return 0 }

// heardThrough is what comes through a background reader that has asked, and its answer.
func heardThrough(size int, pieces ...string) (typed, answer string) {
	b := NewBackgroundReader(&typist{pieces: slices.Clone(pieces)}, func() time.Time { return time.Unix(1, 0) }, nil)
	b.until = time.Unix(2, 0)
	var all bytes.Buffer
	buf := make([]byte, size)
	for {
		n, err := b.Read(buf)
		all.Write(buf[:n])
		if err != nil {
			break
		}
	}
	select {
	case light := <-b.answer:
		answer = fmt.Sprint("light ", light)
	default:
	}
	return all.String(), answer
}

func TestBackgroundReader(t *testing.T) {
	const dark, light = "\x1b]11;rgb:1e1e/1e1e/1e1e", "\x1b]11;rgb:fdfd/f6f6/e3e3"
	for _, c := range []struct {
		name          string
		pieces        []string
		typed, answer string
	}{
		{"alone", []string{dark + "\x1b\\"}, "", "light false"},
		{"ended by a bell", []string{light + "\a"}, "", "light true"},
		{"among keys", []string{"ab" + light + "\x1b\\cd"}, "abcd", "light true"},
		{"short", []string{"\x1b]11;rgb:f/f/f\a"}, "", "light true"},
		{"with transparency", []string{"\x1b]11;rgba:0000/0000/0000/ffff\a"}, "", "light false"},
		{"in pieces", []string{"a\x1b]", "11;rgb:ffff/ff", "ff/ffff\x1b", "\\b"}, "ab", "light true"},
		{"behind an escape that was a key", []string{"\x1b", "]11;rgb:ffff/ffff/ffff\a"}, "\x1b", "light true"},
		{"unreadable", []string{"\x1b]11;red\ax"}, "x", ""},
		{"keys only", []string{"\x1b", "[A", "\x1b[5~x", "]"}, "\x1b[A\x1b[5~x]", ""},
		{"once only", []string{dark + "\a", dark + "\a"}, dark + "\a", "light false"},
		{"no end", []string{"\x1b]11;" + strings.Repeat("y", 80)}, "\x1b]11;" + strings.Repeat("y", 80), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{256, 70} {
				if typed, answer := heardThrough(size, c.pieces...); typed != c.typed || answer != c.answer {
					t.Errorf("%s, %d bytes at once: typed %q, answer %q; want %q, %q", c.name, size, typed, answer, c.typed, c.answer)
				}
			}
		})
	}
}

// The answer at every cut comes through the same, and keys around it too.
func TestBackgroundReaderCutAnywhere(t *testing.T) {
	const stream = "ab\x1b]11;rgb:ffff/ffff/ffff\x1b\\c"
	for i := range stream {
		if typed, answer := heardThrough(256, stream[:i], stream[i:]); strings.ReplaceAll(typed, "\x1b", "") != "abc" || answer != "light true" {
			t.Errorf("cut at %d: typed %q, answer %q", i, typed, answer)
		}
	}
}

// What is no terminal is not asked.
func TestBackgroundReaderAsksTerminals(t *testing.T) {
	if NewBackgroundReader(strings.NewReader(""), time.Now, nil) != nil {
		t.Error("a text is asked")
	}
	if NewBackgroundReader(&typist{}, time.Now, nil) == nil {
		t.Error("a terminal is not asked")
	}
}

// FuzzBackgroundReader: whatever is typed, in whatever pieces, comes through once nothing
// is looked for any more; a reader never gets more than it has room for.
func FuzzBackgroundReader(f *testing.F) {
	f.Add("ab\x1b]11;rgb:ffff/ffff/ffff\x1b\\c", 5, 70)
	f.Add("\x1b]11;\x1b]11;\x1b]1", 3, 1)
	f.Fuzz(func(t *testing.T, stream string, cut, size int) {
		cut, size = max(cut, -cut)%(len(stream)+1), 1+max(size, -size)%300
		typed, answer := heardThrough(size, stream[:cut], stream[cut:])
		if answer == "" && !strings.Contains(stream, "\x1b]11;") && !strings.HasPrefix(stream, typed) {
			t.Errorf("%q came through as %q", stream, typed)
		}
	})
}
