package personas

import (
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestValues(t *testing.T) {
	raw, places, faults := Values("a.yaml", []byte("# first\nsteps:\n  - say: hi # there\n    expect: {score: 3.0, state: ~}\n"))
	assert.Must(t, len(faults) == 0 && string(raw) == `{"steps":[{"say":"hi","expect":{"score":3.0,"state":null}}]}`,
		"%s, %v", raw, faults)
	assert.Equal(t, places.Lookup("steps[0].expect.score"), Position{4, 21, 4, 24}, "the score is at")
	for src, want := range map[string]string{
		"":                      "1:1: the document is empty",
		"a: 1\nb: {c: 1, c: 2}": "2:11: c occurs twice, first on line 2; remove one",
		"a: [":                  "",
	} {
		t.Run(fmt.Sprintf("%q", src), func(t *testing.T) {
			_, _, faults := Values("a.yaml", []byte(src))
			if len(faults) != 1 || want != "" && faults[0].Error() != want {
				t.Errorf("%q: %v, want %q", src, faults, want)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	const src = "a: # one\n  - x # two\n  - y\nb: {c: 3, d: [z]} # three\ne: &q 1\nf: *q\n"
	for _, c := range []struct{ path, written, want string }{
		{"b.c", "none", "a: # one\n  - x # two\n  - y\nb: {c: none, d: [z]} # three\ne: &q 1\nf: *q\n"},
		{"b.d", "[]", "a: # one\n  - x # two\n  - y\nb: {c: 3, d: []} # three\ne: &q 1\nf: *q\n"},
		{"a", "[x, w]", "a: # one\n  [x, w]\nb: {c: 3, d: [z]} # three\ne: &q 1\nf: *q\n"},
		{"e", "2", ""},
		{"g", "2", ""},
		{"b.c", "[", ""},
		{"", "2", ""},
	} {
		t.Run(fmt.Sprintf("%q with %s", c.path, c.written), func(t *testing.T) {
			got, err := Replace([]byte(src), c.path, c.written)
			assert.Equal(t, string(got), c.want, "%s = %s %v", c.path, c.written, err)
			assert.Equal(t, err == nil, c.want != "", "%s = %s %v", c.path, c.written, err)
		})
	}
}
