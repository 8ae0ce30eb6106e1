package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// maxTemplateOutput is how much a template may write, in bytes
// (docs/decisions/cmd.md, template-bounds).
const maxTemplateOutput = 64 << 20

var errTooLong = errors.New("it writes more than 64 MiB")

// setTemplate reads --template.
func (f *JSONFlag) setTemplate(text string) error {
	if f.JQ != nil {
		return UsageError("--jq and --template are two ways to print: choose one")
	}
	// The functions are given again, with what they need, when it is carried out.
	t, err := template.New("--template").Option("missingkey=error").Funcs((&templateRun{}).functions()).Parse(text)
	if err != nil {
		return UsageError("%w", explainTemplate(err))
	}
	f.Template, f.On = t, true
	return nil
}

// explainTemplate is what is wrong with a template, at its line: whoever says it names the flag.
func explainTemplate(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), "template: --template:"); ok {
		return errors.New("line " + text)
	}
	return err
}

// templateRun is the output of one template (docs/decisions/cmd.md, own-templates).
type templateRun struct {
	streams *Streams
	out     bytes.Buffer
	ctx     context.Context
	rows    [][]string
}

// functions are what templates can call beside what every Go template can. They
// are called as gh calls them.
func (p *templateRun) functions() template.FuncMap {
	return template.FuncMap{
		"join":     join,
		"pluck":    pluck,
		"truncate": func(width int, text any) string { return cutToWidth(shown(text), width) },
		"timeago":  func(text string) (string, error) { return p.timeAgo(text) },
		"timefmt":  formatTime,
		"color":    p.colour,
		"json":     func(v any) (string, error) { text, err := json.Marshal(v); return string(text), err },
		"tablerow": func(cells ...any) string {
			row := make([]string, len(cells))
			for i, cell := range cells {
				row[i] = shown(cell)
			}
			p.rows = append(p.rows, row)
			return ""
		},
		"tablerender": p.table,
	}
}

// printTemplate writes what a template makes of JSON, whole or not at all.
func (a *Streams) printTemplate(t *template.Template, text []byte) error {
	value, err := decodeNumbers(text)
	if err != nil {
		return err
	}
	value = a.forTemplate(value)
	ctx, done := a.boundTime(expressionPatience)
	defer done()
	p := &templateRun{streams: a, ctx: ctx}
	_, err = AwaitResult(ctx.Done(), func() (struct{}, error) {
		return struct{}{}, t.Funcs(p.functions()).Execute(p, value)
	})
	if err != nil {
		return expressionFault(ctx, "--template", explainTemplate(err))
	}
	p.out.WriteString(p.table())
	_, err = a.Out.Write(p.out.Bytes())
	return err
}

// Write takes what the template writes, as long as somebody waits for it.
func (p *templateRun) Write(text []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	if p.out.Len()+len(text) > maxTemplateOutput {
		return 0, errTooLong
	}
	return p.out.Write(text)
}

// table writes the rows that are waiting.
func (p *templateRun) table() string {
	rows := p.rows
	p.rows = nil
	if p.streams.TTY.Out {
		return alignColumns(rows, p.streams.Width())
	}
	return formatTSV(rows)
}

// forTemplate makes whole numbers integers, which templates can compare, and on
// a terminal texts harmless.
func (a *Streams) forTemplate(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64() // JSON has no number that is none
		return f
	case string:
		if a.TTY.Out {
			return terminal.CleanLines(v)
		}
	case []any:
		for i := range v {
			v[i] = a.forTemplate(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = a.forTemplate(v[name])
		}
	}
	return value
}

// shown is a value in a text; null is nothing.
func shown(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func join(between string, list []any) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = shown(v)
	}
	return strings.Join(texts, between)
}

// pluck gives one member of each object of a list.
func pluck(name string, list []any) ([]any, error) {
	values := make([]any, 0, len(list))
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("pluck %q: the list holds something else than objects", name)
		}
		values = append(values, object[name])
	}
	return values, nil
}

func formatTime(layout, text string) (string, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", err
	}
	return t.Format(layout), nil
}

// timeAgo says how long ago a time was, in words.
func (p *templateRun) timeAgo(text string) (string, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", err
	}
	ago := p.streams.Now().Sub(t)
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{365 * 24 * time.Hour, "year"}, {30 * 24 * time.Hour, "month"}, {24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(ago / unit.length); n > 0 {
			return Pluralize(n, unit.name) + " ago", nil
		}
	}
	return "just now", nil
}

// colour is one of the terminal's eight colours, or bold; none where stdout has
// no colour.
func (p *templateRun) colour(name string, text any) (string, error) {
	codes := map[string]string{"black": "30", "red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35", "cyan": "36", "white": "37", "bold": "1"}
	code, ok := codes[name]
	switch {
	case !ok:
		return "", fmt.Errorf("there is no colour %q: there are %s", name, strings.Join(SortKeys(codes), ", "))
	case !p.streams.UsesColorOn(p.streams.TTY.Out):
		return shown(text), nil
	}
	return "\x1b[" + code + "m" + shown(text) + ansi.ResetStyle, nil
}
