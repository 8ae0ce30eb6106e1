package cli

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
)

// onlyOut returns streams without an environment, on a terminal or not, and their output.
func onlyOut(terminal bool) (*Streams, *bytes.Buffer) {
	var out bytes.Buffer
	a := &Streams{Out: &CheckedWriter{Writer: &out}, Err: io.Discard, Lookup: func(string) (string, bool) { return "", false }}
	a.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	a.TTY.Out = terminal
	return a, &out
}

func exitCode(err error) int {
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		return ExitTrouble
	}
	return f.Code
}

type sampled struct {
	Name string         `json:"name"`
	N    int64          `json:"n"`
	At   string         `json:"at"`
	Tags []string       `json:"tags"`
	In   map[string]any `json:"in"`
}

var sampleList = []sampled{
	{Name: "Ada \u202e\x1b[31m", N: 9007199254740993, At: "2026-03-01T09:00:00Z", Tags: []string{"a", "b"}, In: map[string]any{"x": 1.5}},
	{Name: "猫のミケ", N: 2, At: "2025-01-01T00:00:00Z"},
}

func TestJQ(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args, want string
		fault      string // a part of it
	}{
		{args: ".[1].name", want: "猫のミケ\n"},
		{args: ".[0].n", want: "9007199254740993\n"},
		{args: ".[].tags", want: "[\"a\",\"b\"]\nnull\n"},
		{args: ".[0].in.x, (.[0].tags | length)", want: "1.5\n2\n"},
		{args: "empty", want: ""},
		{args: "halt", want: ""},
		{args: ".[0] | .nothing", want: "null\n"},
		{args: ".[", fault: "unexpected EOF at character 3 of \".[\""},
		{args: "ä | }", fault: "at character 1"},
		{args: ".a }", fault: "unexpected token \"}\" at character 4"},
		{args: "nosuch", fault: "function not defined: nosuch/0"},
		{args: ".name", fault: "--jq: expected an object but got: array"},
		{args: "error(\"mine\")", fault: "mine"},
		{args: "env.HOME, $ENV.HOME", want: "null\nnull\n"},
	}
	for _, test := range tests {
		a, out := onlyOut(false)
		var f JSONFlag
		err := f.setJQ(test.args)
		if err == nil {
			err = a.PrintJSON(f, sampleList)
		}
		if test.fault == "" && (err != nil || out.String() != test.want) {
			t.Errorf("%s: %v, %q", test.args, err, out)
		}
		if test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault) || exitCode(err) != ExitUsage) {
			t.Errorf("%s: %v", test.args, err)
		}
	}
}

// An expression that never ends is stopped when the command is to end.
func TestExpressionsEnd(t *testing.T) {
	t.Parallel()
	for _, set := range []func(*JSONFlag) error{
		func(f *JSONFlag) error { return f.setJQ("def f: f; f") },
		func(f *JSONFlag) error { return f.setTemplate("{{range 9000000000000000000}}x{{end}}") },
		func(f *JSONFlag) error {
			return f.setTemplate(`{{define "t"}}x{{template "t"}}{{end}}{{template "t"}}`)
		},
	} {
		a, out := onlyOut(false)
		over := make(chan struct{})
		a.Interrupted = over
		var f JSONFlag
		assert.NoError(t, set(&f))
		time.AfterFunc(50*time.Millisecond, func() { close(over) })
		err := a.PrintJSON(f, sampleList)
		assert.True(t, err != nil && !strings.Contains(err.Error(), "stopped after") && out.Len() <= 0, "%v, %q", err, out)
	}
}

// Nothing that a service says reaches a terminal as an order, whichever way it is printed.
func TestOutputIsHarmless(t *testing.T) {
	t.Parallel()
	for _, set := range []func(*JSONFlag) error{
		func(*JSONFlag) error { return nil },
		func(f *JSONFlag) error { return f.setJQ(".[0].name") },
		func(f *JSONFlag) error { return f.setJQ(".") },
		func(f *JSONFlag) error { return f.setJQ("[155,27] | implode") },
		func(f *JSONFlag) error { return f.setTemplate("{{range .}}{{.name}}{{tablerow .name}}{{end}}") },
	} {
		a, out := onlyOut(true)
		a.TTY.Stdout = nil
		var f JSONFlag
		assert.NoError(t, set(&f))
		assert.NoError(t, a.PrintJSON(f, sampleList))
		assert.True(t, !strings.ContainsAny(out.String(), "\x1b\u202e\u009b"), "%q", out)
		assert.True(t, out.Len() != 0, "%q", out)
	}
	a, out := onlyOut(false)
	if err := a.PrintJSON(JSONFlag{}, "a\u202eb\u009bc\U000e0001"); err != nil || out.String() != `"a\u202eb\u009bc\udb40\udc01"`+"\n" {
		t.Errorf("%v, %q", err, out)
	}
}

func TestEmptyList(t *testing.T) {
	t.Parallel()
	a, out := onlyOut(false)
	var none []struct{ Name string }
	if err := a.PrintJSON(JSONFlag{}, none); err != nil || out.String() != "[]\n" {
		t.Errorf("%v, %q", err, out)
	}
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want, fault string }{
		{text: "{{len .}}", want: "2"},
		{text: `{{range .}}{{if eq .n 2}}{{.name}}{{end}}{{end}}`, want: "猫のミケ"},
		{text: `{{range .}}{{timeago .at}} {{end}}`, want: "3 hours ago 1 year ago "},
		{text: `{{(index . 0).tags | join "+"}} {{pluck "n" . | join "/"}}`, want: "a+b 9007199254740993/2"},
		{text: `{{range .}}{{tablerow .n (timefmt "2006" .at)}}{{end}}`, want: "9007199254740993\t2026\n2\t2025\n"},
		{text: `{{range .}}{{tablerow .n}}{{end}}{{tablerender}}end`, want: "9007199254740993\n2\nend"},
		{text: `{{color "red" "x"}} {{truncate 3 "abcdef"}} {{json (index . 1).tags}}`, want: "x ab… null"},
		{text: "{{", fault: "line 1: unclosed action"},
		{text: "{{nosuch .}}", fault: `function "nosuch" not defined`},
		{text: "{{range .}}{{.nosuch}}{{end}}", fault: `--template: line 1:13: executing "--template" at <.nosuch>: map has no entry for key "nosuch"`},
		{text: `{{color "pink" "x"}}`, fault: "unknown colour"},
		{text: `{{timeago "yesterday"}}`, fault: "cannot parse"},
	}
	for _, test := range tests {
		a, out := onlyOut(false)
		var f JSONFlag
		err := f.setTemplate(test.text)
		if err == nil {
			err = a.PrintJSON(f, sampleList)
		}
		if test.fault == "" && (err != nil || out.String() != test.want) {
			t.Errorf("%s: %v, %q", test.text, err, out)
		}
		if test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault) || out.Len() > 0) {
			t.Errorf("%s: %v, %q", test.text, err, out)
		}
	}
	var f JSONFlag
	assert.True(t, f.setJQ(".") == nil, "--jq and --template go together")
	assert.True(t, f.setTemplate("x") != nil, "--jq and --template go together")
}

func TestTemplateLimit(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{maxTemplateOutput: true, maxTemplateOutput + 1: false} {
		p := &templateRun{ctx: t.Context()}
		_, err := p.Write(make([]byte, size))
		assert.Equal(t, err == nil, fits, "%d bytes: %v", size, err)
	}
}

// TestAlign: no line of a table is wider than the terminal; cells that fit are complete.
func TestAlign(t *testing.T) {
	t.Parallel()
	rows := [][]string{
		{"ID", "NAME", "DESCRIPTION"},
		{"01936f6e", "Ada", "the keeper of the gate, who has never been seen to sleep"},
		{"01936f6f", "猫のミケ", "日本語の説明がここにあります。とても長いです"},
		{"1", "👩‍🚀", ""},
	}
	whole := alignColumns(rows, 0)
	assert.Equal(t, alignColumns(rows, 500), whole)
	assert.Contains(t, whole, "sleep\n")
	for width := 1; width < 120; width++ {
		for line := range strings.Lines(alignColumns(rows, width)) {
			w := ansi.StringWidth(strings.TrimSuffix(line, "\n"))
			assert.Must(t, w <= width, "%d cells in a terminal of %d: %q", w, width, line)
		}
	}
	want := "ID        NAME      DESCRIPTION\n01936f6e  Ada       the keeper of t…\n01936f6f  猫のミケ  日本語の説明が…\n1         👩‍🚀\n"
	both := [][]string{{strings.Repeat("a", 20), strings.Repeat("b", 20)}}
	assert.Equal(t, alignColumns(both, 30), strings.Repeat("a", 15)+"…  "+strings.Repeat("b", 11)+"…\n", "two wide columns")
	assert.Equal(t, alignColumns(rows, 36), want)
}

// FuzzSeparated: a row for programs is one line with one tab fewer than columns, for any content.
func FuzzSeparated(f *testing.F) {
	f.Add("a", "b\tc\nd")
	f.Add("\r\n", "\x1b[31m")
	f.Fuzz(func(t *testing.T, a, b string) {
		got := formatTSV([][]string{{a, b}})
		assert.Equal(t, strings.Count(got, "\t"), 1, "%q, %q: %q", a, b, got)
		assert.Equal(t, strings.Count(got, "\n"), 1, "%q, %q: %q", a, b, got)
		assert.True(t, !strings.ContainsAny(got, "\r\x1b"), "%q, %q: %q", a, b, got)
	})
}

func FuzzJQ(f *testing.F) {
	f.Add(".[0]", `[1]`)
	f.Add("}", `{}`)
	f.Add("..", `"a"`)
	f.Fuzz(func(t *testing.T, text, value string) {
		if len(text) > 30 || strings.ContainsAny(text, "0123456789") {
			t.Skip() // no loops and no sizes that take long
		}
		a, _ := onlyOut(false)
		over := make(chan struct{})
		a.Interrupted = over
		stop := time.AfterFunc(200*time.Millisecond, func() { close(over) })
		defer stop.Stop()
		var flag JSONFlag
		if flag.setJQ(text) == nil {
			_ = a.printJQ(flag.JQ, []byte(value))
		}
	})
}

// TestPagerChoice: the pager is off without a terminal, and by certain variables.
func TestPagerChoice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		env      map[string]string
		in, out  bool
		want     string
		anywhere bool // not only where less is the default
	}{
		{in: true, out: true, want: "less"},
		{in: true},
		{out: true},
		{in: true, out: true, env: map[string]string{"PAGER": "more -s"}, want: "more -s", anywhere: true},
		{in: true, out: true, env: map[string]string{"PAGER": "more", "PARLEY_PAGER": "most"}, want: "most", anywhere: true},
		{in: true, out: true, env: map[string]string{"PAGER": "more", "PARLEY_PAGER": ""}},
		{in: true, out: true, env: map[string]string{"PAGER": "cat"}},
		{in: true, out: true, env: map[string]string{"TERM": "dumb", "PAGER": "more"}},
	}
	for _, test := range tests {
		a, _ := onlyOut(test.out)
		a.TTY.In = test.in
		a.Lookup = func(name string) (string, bool) { v, ok := test.env[name]; return v, ok }
		if got := a.choosePager(); got != test.want && (runtime.GOOS != "windows" || test.anywhere) {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// runExpression prints an expression's results, interrupted after a time unless 0, and returns how long it took.
func runExpression(t *testing.T, text, value string, interrupt time.Duration) (time.Duration, error) {
	t.Helper()
	a, _ := onlyOut(false)
	if interrupt > 0 {
		over := make(chan struct{})
		a.Interrupted = over
		stop := time.AfterFunc(interrupt, func() { close(over) })
		defer stop.Stop()
	}
	var flag JSONFlag
	assert.NoError(t, flag.setJQ(text))
	begun := time.Now()
	err := a.printJQ(flag.JQ, []byte(value))
	return time.Since(begun), err
}

// TestOneStepIsBounded: an expression ends in time even where a single step of gojq takes long.
func TestOneStepIsBounded(t *testing.T) {
	zeros := "[" + strings.TrimSuffix(strings.Repeat("0,", 120_000), ",") + "]"
	took, err := runExpression(t, ". as $a | indices($a[:60000]) | length", zeros, 400*time.Millisecond)
	assert.True(t, err != nil && took <= 5*time.Second, "%s, %v", took, err)
}

// TestExpressionMemory: an expression that doubles its value ends before the machine has no memory left.
func TestExpressionMemory(t *testing.T) {
	took, err := runExpression(t, `"a" | until(false; . + .)`, "null", 0)
	assert.True(t, err != nil && strings.Contains(err.Error(), "MiB of memory") && took < expressionTimeout,
		"%s, %v", took, err)
}
