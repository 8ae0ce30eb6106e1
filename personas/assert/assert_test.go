package assert

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test that records its failures.
type recorder struct {
	*testing.T
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

// TestComparisons: each comparison passes on equal values, and fails on others with the values and the message.
func TestComparisons(t *testing.T) {
	text := filepath.Join(t.TempDir(), "golden.txt")
	r := &recorder{T: t}
	NoError(r, nil)
	Equal(r, Value(7, nil)(r), 7)
	True(r, true)
	Must(r, true)
	ErrorIs(r, fmt.Errorf("a: %w", io.EOF), io.EOF)
	Equal(r, ErrorAs[*fs.PathError](r, fmt.Errorf("a: %w", &fs.PathError{Path: "b"})).Path, "b")
	ErrorContains(r, io.EOF, "EO")
	Empty(r, "")
	Empty(r, []int(nil))
	Equal(r, 3, 3)
	EqualSlices(r, nil, []int{})
	DeepEqual(r, map[string]int{"a": 1}, map[string]int{"a": 1})
	Contains(r, "abc", "b")
	NotContains(r, "abc", "d")
	InOrder(r, "abc", "a", "c")
	if len(r.failures) > 0 {
		t.Fatalf("equal values fail: %q", r.failures)
	}
	for _, c := range []struct {
		fail func()
		want []string
	}{
		{func() { NoError(r, io.EOF, "case %d", 7) }, []string{"case 7", "EOF"}},
		{func() { Value(0, io.EOF)(r, "case %d", 7) }, []string{"case 7", "EOF"}},
		{func() { True(r, false, "case %d", 7) }, []string{"case 7"}},
		{func() { Must(r, false, "case %d", 7) }, []string{"case 7"}},
		{func() { ErrorIs(r, nil, io.EOF, "case %d", 7) }, []string{"case 7", "nil", "EOF"}},
		{func() { ErrorIs(r, errors.New("a"), io.EOF) }, []string{"a", "EOF"}},
		{func() { ErrorAs[*fs.PathError](r, nil, "case %d", 7) }, []string{"case 7", "<nil>", "*fs.PathError"}},
		{func() { ErrorAs[*fs.PathError](r, io.EOF) }, []string{"*errors.errorString EOF", "*fs.PathError"}},
		{func() { ErrorContains(r, nil, "a", "case") }, []string{"case", "nil", `"a"`}},
		{func() { ErrorContains(r, io.EOF, "a") }, []string{"EOF", `"a"`}},
		{func() { Empty(r, map[string]int{"x": 1}, "case") }, []string{"case", "x:1"}},
		{func() { Equal(r, "a", "b", "case %d", 7) }, []string{"case 7", `"a"`, `"b"`}},
		{func() { Equal[any](r, 1, int64(1)) }, []string{"1"}},
		{func() { EqualSlices(r, []string{"x"}, nil, "case") }, []string{"case", "[x]", "[]"}},
		{func() { DeepEqual(r, []int{}, []int(nil)) }, []string{"[]int{}", "[]int(nil)"}},
		{func() { Contains(r, "abc", "d", "case") }, []string{"case", "abc", `"d"`}},
		{func() { NotContains(r, "abc", "b", "case") }, []string{"case", "abc", `"b"`}},
		{func() { InOrder(r, "abc", "c", "a") }, []string{`"a"`, "abc"}},
		{func() { Golden(r, text, "new") }, []string{"golden.txt"}},
	} {
		r.failures = nil
		c.fail()
		got := strings.Join(r.failures, "\n")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("the failure %q lacks %q", got, want)
			}
		}
	}
	True(t, Allocated(func() { text = strings.Repeat(text, 1<<20) }) >= 1<<20, "a text of a megabyte")
}
