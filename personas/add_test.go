package personas

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestAddItemAddMember(t *testing.T) {
	for _, test := range []struct{ name, src, path, value, want string }{
		{"block list", "a:\n  - x # c\n  - 'y'\nb: 1\n", "a", `"z: 1"`, "a:\n  - x # c\n  - 'y'\n  - \"z: 1\"\nb: 1\n"},
		{"block list at the end", "a:\n- x", "a", `"z"`, "a:\n- x\n- \"z\""},
		{"CRLF", "a:\r\n  - x\r\nb: 1\r\n", "a", `"z"`, "a:\r\n  - x\r\n  - \"z\"\r\nb: 1\r\n"},
		{"list of objects", "a:\n  - {say: x}\n  - say: y\n    answer: |\n      long\n      text\nb: 1\n", "a", `{"say":"z","answer":"w"}`, "a:\n  - {say: x}\n  - say: y\n    answer: |\n      long\n      text\n  - {say: \"z\", answer: \"w\"}\nb: 1\n"},
		{"flow list", "a: [x, \"y\"] # c\n", "a", `"z"`, "a: [x, \"y\", \"z\"] # c\n"},
		{"flow list of flows", "a: [{b: [1]}, {b: [2]}]\n", "a[0].b", `3`, "a: [{b: [1, 3]}, {b: [2]}]\n"},
		{"several lines", "a: [x,\n    y]\nb: 1\n", "a", `"z"`, "a: [x,\n    y, \"z\"]\nb: 1\n"},
		{"JSON", "{\n  \"a\": [\n    \"x\"\n  ]\n}\n", "a", `"z"`, "{\n  \"a\": [\n    \"x\",\n    \"z\"\n  ]\n}\n"},
		{"JSON, missing", "{\"a\": {\"c\": 1}}", "a.b.d", `"z"`, "{\"a\": {\"c\": 1, \"b\": {\"d\":[\"z\"]}}}"},
		{"empty list", "a: []\n", "a", `"z"`, "a: [\"z\"]\n"},
		{"nothing", "a:\nb: 1\n", "a", `"z"`, "a: [\"z\"]\nb: 1\n"},
		{"missing list", "s:\n  - k: x\n    l: 1\n  - k: y\n", "s[0].pass", `"z"`, "s:\n  - k: x\n    l: 1\n    pass: [\"z\"]\n  - k: y\n"},
		{"missing objects", "s:\n  - k: x\n    t: |\n      text\n\n  - k: y\n", "s[0].offline.lines.pass", `"z"`, "s:\n  - k: x\n    t: |\n      text\n    offline: {lines: {pass: [\"z\"]}}\n\n  - k: y\n"},
		{"into a flow object", "s: [{k: x}, {k: y}]\n", "s[0].pass", `"z"`, "s: [{k: x, pass: [\"z\"]}, {k: y}]\n"},
		{"into an empty object", "s: {}\n", "s.pass", `"z"`, "s: {pass: [\"z\"]}\n"},
		{"not a list", "a: x\n", "a", `"z"`, ""},
		{"below a text", "a: x\n", "a.b", `"z"`, ""},
		{"a missing item", "a: [x]\n", "a[3].b", `"z"`, ""},
		{"what aliases share", "a: &x [1]\nb: *x\n", "a", `2`, ""},
		{"a byte order mark", "\ufeffa: [x]\n", "a", `"z"`, "\ufeffa: [x, \"z\"]\n"},
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
