package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/tui/terminal"
)

// reports are the flags that say in which formats a command reports, and where.
type reports struct {
	known   []string
	format  string
	outputs []string
}

func (r *reports) add(c *cobra.Command, formats ...string) {
	r.known = formats
	c.Flags().StringVar(&r.format, "format", formats[0], "`FORMAT` on stdout: "+strings.Join(formats, ", "))
	c.Flags().StringArrayVar(&r.outputs, "output", nil, "also write `FORMAT=FILE`; may be given again")
	r.completes(c)
}

func (r *reports) check() error {
	if !slices.Contains(r.known, r.format) {
		return usage("--format %q: it takes %s", r.format, strings.Join(r.known, ", "))
	}
	for _, output := range r.outputs {
		format, file, ok := strings.Cut(output, "=")
		if !ok || file == "" || !slices.Contains(r.known, format) {
			return usage("--output %q: it takes FORMAT=FILE, FORMAT being %s", output, strings.Join(r.known, ", "))
		}
	}
	return nil
}

// asks tells whether a format is written anywhere.
func (r *reports) asks(format string) bool {
	return r.format == format || slices.ContainsFunc(r.outputs, func(o string) bool { return strings.HasPrefix(o, format+"=") })
}

// writeAll writes the report on stdout and into every file, each whole or not at
// all.
func (r *reports) writeAll(out io.Writer, write func(w io.Writer, format string) error) error {
	if err := write(out, r.format); err != nil {
		return err
	}
	for _, output := range r.outputs {
		format, file, _ := strings.Cut(output, "=")
		var text bytes.Buffer
		if err := write(&text, format); err != nil {
			return err
		}
		if err := config.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return trouble(fmt.Errorf("write %s: %w", file, reason(err)), "")
		}
	}
	return nil
}

func indented(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return []byte(escapeObeyed(string(text)) + "\n"), err
}

func writeJSON(w io.Writer, value any) error {
	text, err := indented(value)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// oneline is a finding as file:line:column: message [check].
func oneline(f finding) string {
	return terminal.Clean(fmt.Sprintf("%s:%d:%d: %s [%s]", f.File, f.Line, f.Column, f.Message, f.Check))
}

// inProject is a file's path from the top of the project, with forward slashes;
// a file outside of it keeps its whole path, and what is no file its name.
func (a *app) inProject(file string) string {
	if a.top == "" {
		a.top = config.Top(a.folder())
	}
	whole := file
	if !filepath.IsAbs(file) {
		whole = filepath.Join(a.folder(), file)
	}
	inside, err := filepath.Rel(a.top, whole)
	switch {
	case file == stdinName, a.top == "":
	case err != nil, inside == "..", strings.HasPrefix(inside, ".."+string(filepath.Separator)):
		file = whole
	default:
		file = inside
	}
	return filepath.ToSlash(file)
}
