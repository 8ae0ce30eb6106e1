package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

const maxTemplateOutput = 64 << 20 // bytes

var errOutputTooLong = errors.New("the output exceeds 64 MiB")

func (f *JSONFlag) setTemplate(text string) error {
	if f.JQ != nil {
		return UsageError("--jq and --template are mutually exclusive")
	}
	// Parse needs only the names. printTemplate replaces the functions before execution.
	t, err := template.New("--template").Option("missingkey=error").Funcs((&templateRun{}).listFunctions()).Parse(text)
	if err != nil {
		return UsageError("%w", explainTemplate(err))
	}
	f.Template, f.On = t, true
	return nil
}

func explainTemplate(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), "template: --template:"); ok {
		return errors.New("line " + text)
	}
	return err
}

// A templateRun replaces cli/go-gh. That package reads numbers as floats.
type templateRun struct {
	streams *Streams
	out     bytes.Buffer
	ctx     context.Context
	rows    [][]string
}

func (p *templateRun) listFunctions() template.FuncMap {
	return template.FuncMap{
		"join":     joinTexts,
		"pluck":    pluckMembers,
		"truncate": func(width int, text any) string { return cutToWidth(formatValue(text), width) },
		"timeago":  p.formatTimeAgo,
		"timefmt":  formatTime,
		"color":    p.colorText,
		"json":     func(v any) (string, error) { text, err := json.Marshal(v); return string(text), err },
		"tablerow": func(cells ...any) string {
			row := make([]string, len(cells))
			for i, cell := range cells {
				row[i] = formatValue(cell)
			}
			p.rows = append(p.rows, row)
			return ""
		},
		"tablerender": p.renderTable,
	}
}

func (s *Streams) printTemplate(t *template.Template, text []byte) error {
	value, err := decodeNumbers(text)
	if err != nil {
		return err
	}
	value = s.prepareValue(value)
	ctx, done := s.boundWork(expressionTimeout)
	defer done()
	p := &templateRun{streams: s, ctx: ctx}
	_, err = AwaitResult(ctx.Done(), func() (struct{}, error) {
		return struct{}{}, t.Funcs(p.listFunctions()).Execute(p, value)
	})
	if err != nil {
		return explainExpression(ctx, "--template", explainTemplate(err))
	}
	p.out.WriteString(p.renderTable())
	_, err = s.Out.Write(p.out.Bytes())
	return err
}

// Write collects the output. It fails after the timeout and above maxTemplateOutput.
func (p *templateRun) Write(text []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	if p.out.Len()+len(text) > maxTemplateOutput {
		return 0, errOutputTooLong
	}
	return p.out.Write(text)
}

func (p *templateRun) renderTable() string {
	rows := p.rows
	p.rows = nil
	if p.streams.TTY.Out {
		return alignColumns(rows, p.streams.Width())
	}
	return formatTSV(rows)
}

// prepareValue converts whole numbers to int, because templates cannot compare a json.Number.
func (s *Streams) prepareValue(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64() // a JSON number always converts
		return f
	case string:
		if s.TTY.Out {
			return terminal.CleanLines(v)
		}
	case []any:
		for i := range v {
			v[i] = s.prepareValue(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = s.prepareValue(v[name])
		}
	}
	return value
}

func formatValue(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func joinTexts(between string, list []any) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = formatValue(v)
	}
	return strings.Join(texts, between)
}

func pluckMembers(name string, list []any) ([]any, error) {
	values := make([]any, 0, len(list))
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("pluck %q: the list contains an item that is not an object", name)
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

func (p *templateRun) formatTimeAgo(text string) (string, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", err
	}
	ago := p.streams.Now().Sub(t)
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{365 * 24 * time.Hour, "year"}, {30 * 24 * time.Hour, "month"}, {24 * time.Hour, "day"}, {time.Hour, "hour"},
		{time.Minute, "minute"}} {
		if n := int(ago / unit.length); n > 0 {
			return Pluralize(n, unit.name) + " ago", nil
		}
	}
	return "just now", nil
}

func (p *templateRun) colorText(name string, text any) (string, error) {
	codes := map[string]string{"black": "30", "red": "31", "green": "32", "yellow": "33", "blue": "34",
		"magenta": "35", "cyan": "36", "white": "37", "bold": "1"}
	code, ok := codes[name]
	switch {
	case !ok:
		return "", fmt.Errorf("unknown colour %q: the colours are %s", name,
			strings.Join(slices.Sorted(maps.Keys(codes)), ", "))
	case !p.streams.UsesColorOn(p.streams.TTY.Out):
		return formatValue(text), nil
	}
	return "\x1b[" + code + "m" + formatValue(text) + ansi.ResetStyle, nil
}
