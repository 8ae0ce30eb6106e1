package personas

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func TestRenameRemoveWrapReplace(t *testing.T) {
	rename := func(name string) func([]byte, string) ([]byte, error) {
		return func(src []byte, path string) ([]byte, error) { return RenameMember(src, path, name) }
	}
	tests := []struct {
		name, src, path string
		edit            func([]byte, string) ([]byte, error)
		want            string // "" is a refusal
	}{
		{"rename", "nam: A # x\r\nb: 1\r\n", "nam", rename("name"), "name: A # x\r\nb: 1\r\n"},
		{"rename with a mark", "\ufeffnam: A\n", "nam", rename("name"), "\ufeffname: A\n"},
		{"rename quoted", "'nam': A\n\"b\": 1\n", "nam", rename("name"), "'name': A\n\"b\": 1\n"},
		{"rename in JSON", "{\"a\": [{\"nam\" : 1}]}", "a[0].nam", rename("name"), "{\"a\": [{\"name\" : 1}]}"},
		{"rename to one that is there", "nam: A\nname: B\n", "nam", rename("name"), ""},
		{"rename what aliases share", "a: &x {nam: 1}\nb: *x\n", "a.nam", rename("name"), ""},
		{"rename an item", "a: [1]\n", "a[0]", rename("name"), ""},
		{"remove a line", "a: 1\nb: 2 # gone too\n# stays\nc: 3\n", "b", RemoveMember, "a: 1\n# stays\nc: 3\n"},
		{"remove several lines", "a: 1\nb:\n  - 1\n  # its own\n  - 2\nc: 3\n", "b", RemoveMember, "a: 1\nc: 3\n"},
		{"remove a block", "a: 1\nb: |\n  x\n  y\n\nc: 3\n", "b", RemoveMember, "a: 1\n\nc: 3\n"},
		{"remove the last", "a: 1\r\nb: 2", "b", RemoveMember, "a: 1\r\n"},
		{"remove the first of an item", "l:\n  - a: 1\n    b: 2\n", "l[0].a", RemoveMember, "l:\n  - b: 2\n"},
		{"remove in flow style", "a: {b: 1, c: 2, d: 3}\n", "a.c", RemoveMember, "a: {b: 1, d: 3}\n"},
		{"remove in JSON", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "b", RemoveMember, "{\n  \"a\": 1\n}\n"},
		{"remove the only one", "a:\n  b: 1\n", "a.b", RemoveMember, ""},
		{"remove what has an anchor", "a: &x 1\nb: *x\n", "a", RemoveMember, ""},
		{"remove over a comment of another", "l:\n  - a: 1\n    # of b\n    b: 2\n", "l[0].a", RemoveMember, ""},
		{"wrap", "a: Hello # x\nb: 1\n", "a", WrapInList, "a: [Hello] # x\nb: 1\n"},
		{"wrap with a comma", "a: Hello, you\n", "a", WrapInList, "a: [\"Hello, you\"]\n"},
		{"wrap in JSON", `{"a": "x"}`, "a", WrapInList, `{"a": ["x"]}`},
		{"wrap a block", "a: |\n  x\n  y\nb: 1\n", "a", WrapInList, "a: [\"x\\ny\\n\"]\nb: 1\n"},
		{"wrap a list", "a: [1]\n", "a", WrapInList, ""},
		{"wrap nothing", "a:\n", "a", WrapInList, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.edit([]byte(test.src), test.path)
			assert.Equal(t, string(got), test.want, "%s %v", test.name, err)
			assert.Equal(t, err == nil, test.want != "", "%s %v", test.name, err)
		})
	}
}

// FuzzFix: a change is rejected or leaves a valid document, and loses at most the comment of a removed member.
func FuzzFix(f *testing.F) {
	f.Add("nam: A # x\r\nb: [{c: 1, d: |\n}]\r\n", "nam", "name")
	f.Add("a:\n  - x: &a 1\n    y: *a\n  # c\n  - |\n   b\n", "a[0].x", "z z")
	f.Add(`{"a": {"b": "c", "d": [1, 2]}}`, "a.b", "a#\n")
	f.Add("<<: {a: 1}\n? b\n: c # d\n", "b", "- x: y")
	f.Fuzz(func(t *testing.T, src, path, word string) {
		edits := map[string]func() ([]byte, error){
			"rename": func() ([]byte, error) { return RenameMember([]byte(src), path, word) },
			"remove": func() ([]byte, error) { return RemoveMember([]byte(src), path) },
			"wrap":   func() ([]byte, error) { return WrapInList([]byte(src), path) },
			"set":    func() ([]byte, error) { return SetScalar([]byte(src), path, word) },
			"retype": func() ([]byte, error) { return Replace([]byte(src), path, quote(word)) },
		}
		_, before, _ := Parse("", []byte(src))
		for name, edit := range edits {
			changed, err := edit()
			if err != nil {
				continue
			}
			_, after, faults := Parse("", changed)
			for _, fault := range faults {
				assert.Must(t, !strings.HasPrefix(fault.Message, "not valid"), "%s %q at %q: %q does not read: %v", name, src, path, changed, fault)
			}
			lost := len(before.Comments()) - len(after.Comments())
			assert.Must(t, lost == 0 || name == "remove" && lost >= 0, "%s %q at %q: %d comments are lost in %q", name, src, path, lost, changed)
			hadMark, hasMark := strings.HasPrefix(src, "\ufeff"), bytes.HasPrefix(changed, []byte("\ufeff"))
			assert.Must(t, hasMark == hadMark, "%s %q: the byte order mark was changed: %q", name, src, changed)
		}
	})
}

// TestFixOnlyIfUnambiguous: a problem has a fix only if there is just one way to correct it.
func TestFixOnlyIfUnambiguous(t *testing.T) {
	const head = "name: A\ndescription: d\npersona_identity_prompt: p\nmachines:\n  - machine_key: m\n    "
	tests := []struct{ src, want string }{
		{head + "pass_threshold: '3'\n", "retype machines[0].pass_threshold 3"},
		{head + "pass_threshold: three\n", ""},
		{head + "pass_threshold: '0x3'\n", ""},
		{head + "is_entry_machine: \"True\"\n", "retype machines[0].is_entry_machine true"},
		{head + "is_entry_machine: off\n", "retype machines[0].is_entry_machine false"},
		{head + "is_entry_machine: maybe\n", ""},
		{head + "name: 12\n", `retype machines[0].name "12"`},
		{head + "name: 0x12\n", `retype machines[0].name "0x12"`},
		{head + "name: 007\n", `retype machines[0].name "007"`},
		{head + "name: True\n", `retype machines[0].name "True"`},
		{head + "scoring_mode: pas_fail\n", "set machines[0].scoring_mode pass_fail"},
		{head + "scoring_mode: pass\n", ""},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%q", test.src[len(head):]), func(t *testing.T) {
			got := ""
			_, _, faults := Parse("a.yaml", []byte(test.src))
			for _, f := range faults {
				if f.Fix != nil {
					got = strings.TrimSpace(string(f.Fix.Kind) + " " + f.Fix.Path + " " + f.Fix.Value)
				}
			}
			assert.Equal(t, got, test.want, "%q: %q, wanted %q", test.src[len(head):], got, test.want)
		})
	}
	words := []string{"is_initial_state", "is_terminal_state", "sofa", "soda"}
	for word, want := range map[string]string{"is_initial_stat": "is_initial_state", "Sofa": "sofa", "soba": "", "sof": "sofa", "sota": "", "xyz": ""} {
		t.Run(word, func(t *testing.T) { assert.Equal(t, OnlyNear(word, words), want, word) })
	}
}

func TestAddItemAddMember(t *testing.T) {
	for _, test := range []struct{ name, src, path, value, want string }{
		{"block list", "a:\n  - x # c\n  - 'y'\nb: 1\n", "a", `"z: 1"`, "a:\n  - x # c\n  - 'y'\n  - \"z: 1\"\nb: 1\n"},
		{"CRLF", "a:\r\n  - x\r\nb: 1\r\n", "a", `"z"`, "a:\r\n  - x\r\n  - \"z\"\r\nb: 1\r\n"},
		{"list of objects", "a:\n  - {say: x}\n  - say: y\n    answer: |\n      long\n      text\nb: 1\n", "a", `{"say":"z","answer":"w"}`, "a:\n  - {say: x}\n  - say: y\n    answer: |\n      long\n      text\n  - {say: \"z\", answer: \"w\"}\nb: 1\n"},
		{"flow list", "a: [x, \"y\"] # c\n", "a", `"z"`, "a: [x, \"y\", \"z\"] # c\n"},
		{"several lines", "a: [x,\n    y]\nb: 1\n", "a", `"z"`, "a: [x,\n    y, \"z\"]\nb: 1\n"},
		{"JSON", "{\n  \"a\": [\n    \"x\"\n  ]\n}\n", "a", `"z"`, "{\n  \"a\": [\n    \"x\",\n    \"z\"\n  ]\n}\n"},
		{"JSON, missing", "{\"a\": {\"c\": 1}}", "a.b.d", `"z"`, "{\"a\": {\"c\": 1, \"b\": {\"d\":[\"z\"]}}}"},
		{"empty list", "a: []\n", "a", `"z"`, "a: [\"z\"]\n"},
		{"nothing", "a:\nb: 1\n", "a", `"z"`, "a: [\"z\"]\nb: 1\n"},
		{"missing list", "s:\n  - k: x\n    l: 1\n  - k: y\n", "s[0].pass", `"z"`, "s:\n  - k: x\n    l: 1\n    pass: [\"z\"]\n  - k: y\n"},
		{"missing objects", "s:\n  - k: x\n    t: |\n      text\n\n  - k: y\n", "s[0].offline.lines.pass", `"z"`, "s:\n  - k: x\n    t: |\n      text\n    offline: {lines: {pass: [\"z\"]}}\n\n  - k: y\n"},
		{"into a flow object", "s: [{k: x}, {k: y}]\n", "s[0].pass", `"z"`, "s: [{k: x, pass: [\"z\"]}, {k: y}]\n"},
		{"not a list", "a: x\n", "a", `"z"`, ""},
		{"below a text", "a: x\n", "a.b", `"z"`, ""},
		{"a missing item", "a: [x]\n", "a[3].b", `"z"`, ""},
		{"what aliases share", "a: &x [1]\nb: *x\n", "a", `2`, ""},
	} {
		got, err := AddItem([]byte(test.src), test.path, test.value)
		assert.Equal(t, string(got), test.want, "%s %v", test.name, err)
		assert.Equal(t, err == nil, test.want != "", "%s %v", test.name, err)
	}
	for _, test := range []struct{ src, path, value, want string }{
		{"a:\n  b: 1\nc: 2\n", "a.patience", "6", "a:\n  b: 1\n  patience: 6\nc: 2\n"},
		{"a: {b: 1}\n", "a.x.y", "6", "a: {b: 1, x: {y: 6}}\n"},
		{"a: 1\n", "a", "6", ""},
	} {
		got, err := AddMember([]byte(test.src), test.path, test.value)
		assert.Equal(t, string(got), test.want, "%s %v", test.src, err)
		assert.Equal(t, err == nil, test.want != "", "%s %v", test.src, err)
	}
}

func FuzzAddItem(f *testing.F) {
	f.Add("a:\n  - x\n", "a", "z")
	f.Add("s: [{k: x}, {k: y}]\n", "s[0].pass", "\u2028: #")
	f.Fuzz(func(t *testing.T, src, path, text string) { _, _ = AddItem([]byte(src), path, quote(text)) })
}

// TestRepairCosts: for any text of a megabyte, the search for mistakes costs a few passes over it.
func TestRepairCosts(t *testing.T) {
	const size = 1 << 20
	for _, piece := range []string{"[", "\"", "'", "{a: ", "- ", "a: ", "\n", "\t", "\ta: b\n", " ", "\n \"", "“", "\\", "x: \"a\n", "-a\n", "\u00a0"} {
		text := newText(strings.Repeat(piece, size/len(piece)))
		for _, at := range []int{0, size / 2, len(text.src)} {
			begun := time.Now()
			text.findYAMLMistakes(at, at/2)
			took := time.Since(begun)
			assert.True(t, took <= 4*time.Second, "%q at %d takes %v", piece, at, took)
		}
	}
}

// TestNoRepairPanics tries every short text of special characters, at every offset.
func TestNoRepairPanics(t *testing.T) {
	signs := []string{"\"", "'", "[", "{", "]", ":", ",", "-", " ", "\n", "a", "“", "\t", "\\", "#", "/", "*"}
	for i := range len(signs) * len(signs) * len(signs) {
		src := signs[i%17] + signs[i/17%17] + signs[i/17/17]
		text := newText(src)
		for at := range len(src) + 1 {
			for _, m := range text.findYAMLMistakes(at, at-1) {
				assert.Must(t, m.change.line(src) != "\x00", "%q at %d: %+v", src, at, m)
			}
			text.explainJSON(&Diagnostic{}, at)
		}
	}
}
