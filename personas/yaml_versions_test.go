package personas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	yaml11 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

// Programs that follow YAML 1.1 also read the files that we write. They must read the same as we
// do.

// versionScalars are scalars that YAML 1.1 and 1.2 read differently, or that one of them does not
// read as a text.
var versionScalars = []string{
	"yes", "No", "ON", "off", "y", "N", "true", "False", "null", "~", "NULL", "=", "<<", "",
	"012", "0o7", "0b11", "0x1F", "1_000", "12:30", "12:30:45", "-1:30", "190:20:30.15", "1e3", "1e5", "1.5e300", "6.02E23",
	".5", "5.", "+1", "-0", ".inf", "-.INF", ".NaN", "1_0.5", "685.230_15e+03", "089", "1.", "+", "-", ".", "...", "---",
	"2001-01-01", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5", "2002-1-1",
	" leading", "trailing ", "a: b", "a #b", "a:", "#a", "- a", "? a", ": a", "a, b", "[a]", "{a}", "a]", "Who are you?", "What? Me?",
	"http://x", "a:b", "&a", "*a", "!a", "!!int 3", "%a", "@a", "`a", "|", ">", "'a", "\"a", "a'b", "a\"b", "\\", "a\\/b",
	"a\tb", "\t", "a\nb", "a\n", "\na", "a\n\n", " a\nb", "a \n b ", "a\r\nb", "\u0085", "a\u0085b", "a\u2028b", "a\u2029\nb", "\ufeff", "\u00a0",
	"ja", "é", "日本", "🙂", "n/a", "None", "nan", "inf", "Infinity", "3 apples", "0 beds", "1st", "e1", "_1", "x12",
}

// readVersion11 parses a text as YAML 1.1 and marks the types that the library treats as texts.
func readVersion11(src []byte) (any, error) {
	var value any
	if err := yaml11.Unmarshal(src, &value); err != nil {
		return nil, err
	}
	return shapeOf(value), nil
}

// shapeOf returns a value with all numbers as float64 and all names as texts.
func shapeOf(value any) any {
	switch v := value.(type) {
	case map[any]any:
		m := map[string]any{}
		for k, item := range v {
			m[fmt.Sprintf("%T %v", k, k)] = shapeOf(item)
		}
		return m
	case map[string]any:
		m := map[string]any{}
		for k, item := range v {
			m["string "+k] = shapeOf(item)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i := range v {
			l[i] = shapeOf(v[i])
		}
		return l
	case int, int64, uint64, json.Number:
		f, _ := strconv.ParseFloat(fmt.Sprint(v), 64)
		return f
	}
	return value
}

// registry matches the texts that YAML 1.1 reads as other types (yaml.org/type); a plain text must
// not match. The library does not know them all.
var registry = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF`,
	`~|null|Null|NULL|`, `=`, `<<`,
	`[-+]?0b[0-1_]+`, `[-+]?0[0-7_]+`, `[-+]?(?:0|[1-9][0-9_]*)`, `[-+]?0x[0-9a-fA-F_]+`, `[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+`,
	`[-+]?(?:[0-9][0-9_]*)?\.[0-9._]*(?:[eE][-+][0-9]+)?`, `[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*`, `[-+]?\.(?:inf|Inf|INF)`, `\.(?:nan|NaN|NAN)`,
	`[0-9]{4}-[0-9]{2}-[0-9]{2}`, `[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*Z|[-+][0-9]{1,2}(?::[0-9]{2})?)?`,
	`0o[0-7]+`, `[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?`, // those of YAML 1.2
}, "|") + `)$`)

// sharedNumbers matches the numbers that all parsers recognize.
var sharedNumbers = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+][0-9]+)?)?$`)

// checkVersions checks that parsers of YAML 1.1 and of YAML 1.2 read a text alike, with the wanted meaning.
func checkVersions(t assert.TB, src []byte, want any) {
	t.Helper()
	older, err := readVersion11(src)
	if err != nil {
		t.Errorf("a reader of YAML 1.1: %v\n%s", err, src)
		return
	}
	var newer any
	if err := yaml.Unmarshal(src, &newer); err != nil {
		t.Errorf("a reader of YAML 1.2: %v\n%s", err, src)
		return
	}
	newer = shapeOf(newer)
	assert.True(t, reflect.DeepEqual(older, want) && reflect.DeepEqual(newer, want), "read as\n%#v\nand\n%#v\nwant\n%#v\n%s", older, newer, want, src)
	var root yaml.Node
	if err := yaml.Unmarshal(src, &root); err != nil {
		t.Errorf("%v", err)
	}
	checkPlainScalars(t, &root, false)
}

func checkPlainScalars(t assert.TB, n *yaml.Node, inFlow bool) {
	t.Helper()
	inFlow = inFlow || n.Style&yaml.FlowStyle != 0
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.TaggedStyle|yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		switch tag := n.ShortTag(); {
		case tag == "!!str" && (registry.MatchString(n.Value) || strings.Contains(n.Value, "\t") || inFlow && strings.ContainsAny(n.Value, "?:,[]{}")):
			t.Errorf("%q is not quoted", n.Value)
		case (tag == "!!int" || tag == "!!float") && !sharedNumbers.MatchString(n.Value):
			t.Errorf("some parsers do not read %s as a number", n.Value)
		case tag == "!!timestamp", tag == "!!merge":
			t.Errorf("%q is %s", n.Value, tag)
		}
	}
	for _, item := range n.Content {
		checkPlainScalars(t, item, inFlow)
	}
}

func personaSaying(text string) Persona {
	value, _ := json.Marshal(map[string]any{text: []any{text, map[string]any{"a": text}}})
	return Persona{
		Name: text, Description: text, IdentityPrompt: text,
		Machines: []Machine{{Key: "m", States: []State{{Key: "s", Label: text, Offline: &Offline{Opening: []string{text}, Examples: Examples{Pass: []Example{{Say: text, Answer: text}}}}}}}},
		Extra:    Members{{Name: "x-" + text, Value: value}, {Name: text + "x", Value: json.RawMessage("1e5")}, {Name: text + "z", Value: json.RawMessage(`[1.5e300,-2,0.25]`)}},
	}
}

func TestWrittenYAMLReadsTheSameInBothVersions(t *testing.T) {
	for _, text := range versionScalars {
		t.Run(strconv.Quote(text), func(t *testing.T) { checkWritten(t, personaSaying(text)) })
	}
	rapid.Check(t, func(t *rapid.T) { checkWritten(t, personaSaying(drawVersionScalar(t))) })
}

func drawVersionScalar(t *rapid.T) string {
	if rapid.Bool().Draw(t, "pattern") {
		return rapid.StringMatching(`[-+.0-9:_eExXoObTZ ~=<yYnN#?,]{1,12}`).Draw(t, "text")
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(versionScalars), 1, 3).Draw(t, "texts"), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
}

func checkWritten(t assert.TB, p Persona) {
	t.Helper()
	src := assert.Value(EncodeYAML(p))(t)
	want, _ := EncodeJSON(p)
	checkVersions(t, src, shapeOfTree(t, want))
}

// Format quotes texts that some readers do not read as text. It leaves numbers and block scalars unchanged.
func TestFormattedYAMLReadsTheSameInBothVersions(t *testing.T) {
	layouts := []string{
		"description: %s\nname: a\n", "name: a\nx-a: [%s, b]\n", "name: a\nx-a: {b: %s}\n", "name: a\nx-a:\n- %s\n- {c: [%[1]s]}\n",
		"name: a\n%s: b\n", "name: a\nx-a: {%s: b}\n", "name: a\nx-a: &n %s\nx-b: *n\n", "name: a\nx-a: '%s'\n", "name: a\nx-a: \"%s\"\n", "name: a\nx-a: # why\n  %s # because\n",
		"name: a\nx-a: |\n  %s\n", "name: a # %s\nx-a: b\n", "name: a\nx-a: !!str %s\n",
	}
	check := func(t assert.TB, layout, text string) {
		t.Helper()
		src := []byte(fmt.Sprintf(layout, text))
		formatted, err := Format("p.yaml", src)
		var value any
		if err != nil || yaml.Unmarshal(src, &value) != nil || text != "" && strings.Contains("&*!%", text[:1]) {
			return // It is not a document that can be formatted; or it is an anchor, an alias or a tag, and not a text.
		}
		before, after := numbersIn(src), numbersIn(formatted)
		assert.True(t, slices.Equal(before, after), "the numbers %q became %q\n%s", before, after, formatted)
		keepsBreaks := strings.Contains(layout, "|") && strings.ContainsAny(text, yamlBreaks+"\t") // The reader of YAML 1.1 rejects a tab after the indentation.
		if len(before) == 0 && !keepsBreaks {
			checkVersions(t, formatted, shapeOfTree(t, formatted))
		}
		if was, is := shapeOfTree(t, src), shapeOfTree(t, formatted); !reflect.DeepEqual(was, is) {
			t.Errorf("%#v became %#v\n%s\n%s", was, is, src, formatted)
		}
		again, err := Format("p.yaml", formatted)
		assert.True(t, err == nil && bytes.Equal(again, formatted), "not a fixed point: %v\n%s\n%s", err, formatted, again)
	}
	for _, layout := range layouts {
		for _, text := range versionScalars {
			t.Run(fmt.Sprintf("%q in %q", text, layout), func(t *testing.T) { check(t, layout, text) })
		}
	}
	if t.Failed() {
		return
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.SampledFrom(layouts).Draw(t, "layout"), drawVersionScalar(t)) })
}

func numbersIn(src []byte) []string {
	_, root, _ := readTree("p.yaml", src)
	var found []string
	var visit func(n *node)
	visit = func(n *node) {
		if n.kind == number {
			found = append(found, n.source())
		}
		for _, item := range n.items {
			visit(item)
		}
	}
	visit(root)
	return found
}

// shapeOfTree returns the tree of our own reader, without interpreting the members.
func shapeOfTree(t assert.TB, src []byte) any {
	t.Helper()
	_, root, fault := readTree("p.yaml", src)
	if fault != nil {
		t.Errorf("%v\n%s", fault, src)
		return nil
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(root.appendJSON(nil)))
	d.UseNumber()
	assert.NoError(t, d.Decode(&value))
	return shapeOf(value)
}

// TestReplacedScalarsReadTheSameInBothVersions: SetScalar and WrapInList quote for both versions.
func TestReplacedScalarsReadTheSameInBothVersions(t *testing.T) {
	layouts := map[string]string{"name: a\nx-a: b\n": "x-a", "name: a\nx-a: [b, c]\n": "x-a[0]", "name: a\nx-a: {c: [d, 'b']}\n": "x-a.c[1]", "name: a\nx-a:\n  - \"b\"\n": "x-a[0]", "name: a\nx-a: |\n  b\n": "x-a"}
	check := func(t assert.TB, layout, path, text string) {
		t.Helper()
		changed, err := SetScalar([]byte(layout), path, text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		checkVersions(t, changed, shapeOfTree(t, changed))
	}
	for layout, path := range layouts {
		for _, text := range versionScalars {
			t.Run(fmt.Sprintf("%q in %q", text, layout), func(t *testing.T) { check(t, layout, path, text) })
		}
		if !t.Failed() {
			rapid.Check(t, func(t *rapid.T) { check(t, layout, path, drawVersionScalar(t)) })
		}
	}
	wrapped := assert.Value(WrapInList([]byte("name: a\nx-a: Who are you?\n"), "x-a"))(t)
	checkVersions(t, wrapped, shapeOfTree(t, wrapped))
}

// The samples and the file that `parley persona new` writes read the same in all YAML readers.
func TestSamplesReadTheSameInBothVersions(t *testing.T) {
	files, err := filepath.Glob("examples/*.yaml")
	assert.Must(t, err == nil && len(files) >= 6, "%v, %v", files, err)
	for _, file := range append(files, "../cmd/persona/new.yaml") {
		src := assert.Value(os.ReadFile(file))(t)
		checkVersions(t, src, shapeOfTree(t, src))
	}
}
