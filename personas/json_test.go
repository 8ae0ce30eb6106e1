package personas

import (
	"encoding/json"
	"strings"
	"testing"
)

// brokenJSON are texts that are nearly JSON, and some that are.
var brokenJSON = []string{
	"", " ", "{", "}", "[", "]", "{}", "[]", "[1,]", "[,1]", "[1 2]", "{,}", `{"a"}`, `{"a":}`, `{"a" 1}`, `{"a":1,}`, `{"a":1 "b":2}`, `{a:1}`, `{"a"::1}`, `{1:2}`, `[1:2]`, "{]", "[}", `{"a":1]`,
	"[[]", "{}{}", "{} x", "null", "nul", "nulll", "True", "true", "false", "fals", "0", "-0", "00", "-", "+1", "1.", ".5", "1.5", "1e", "1e5", "1E+", "1E+5", "-1.25e-3", "0x1", "NaN", "1_000", "--1",
	`"`, `"a`, `"a"`, `"\`, `"\"`, `"\n"`, `"\x"`, `"\u12"`, `"\u12zz"`, `"\u00e9"`, `"\ud800"`, `"\/"`, "\"\t\"", "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "[\"a\"\"b\"]", "\ufeff{}", "//x\n{}", "{}//x", "'a'",
	"\v1", "1\f", "[1\u00a0]", `{"a":{"b":[1,{"c":null}]}} `, "[true,false , null]", `{"":""}`, `["a",]`, "1 ", " 1", "\n[\r\n]\t", "[1,2", `{"a":1,"a":2}`, "tru e", "1 2", "[]]", "{}}", "\x00", "[nulL]",
}

// agreesWithLibrary: the scanner refuses what the standard library refuses, within the bounds of documents.
func agreesWithLibrary(t *testing.T, text string) {
	t.Helper()
	s := &jsonScanner{t: newText(text)}
	s.readDocument()
	if s.fault == nil && s.broken == json.Valid([]byte(text)) {
		t.Errorf("%q: broken %v, valid %v", text, s.broken, !s.broken)
	}
}

func TestScannerAgreesWithLibrary(t *testing.T) {
	for _, text := range brokenJSON {
		agreesWithLibrary(t, text)
		agreesWithLibrary(t, `{"name": `+text+`}`)
		agreesWithLibrary(t, "["+text+", "+text+"]")
	}
}

func FuzzScannerAgreesWithLibrary(f *testing.F) {
	for _, text := range brokenJSON {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { agreesWithLibrary(t, strings.Clone(text)) })
}
