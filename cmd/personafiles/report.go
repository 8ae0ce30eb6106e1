package personafiles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// ReportFlags holds the flags for the formats of a command's reports and their destinations.
type ReportFlags struct {
	known   []string
	Format  string
	outputs []string
	json    cli.JSONFlag
	streams *cli.Streams
	command *cobra.Command
}

// AddFlags adds --format, --output and --json to a command. The first format is the default. sample
// is a value of the type that the format json prints.
func (r *ReportFlags) AddFlags(c *cobra.Command, streams *cli.Streams, sample any, formats ...string) {
	r.known, r.streams, r.command = formats, streams, c
	r.json.AddFlags(c, sample)
	c.Flags().StringVar(&r.Format, "format", formats[0], "`FORMAT` on stdout: "+strings.Join(formats, ", "))
	c.Flags().StringArrayVar(&r.outputs, "output", nil, "also write a report, `FORMAT=FILE`; may be repeated")
	r.addCompletions(c)
}

// Check returns a usage error for an unknown format, or for a format that contradicts --json.
func (r *ReportFlags) Check() error {
	if r.json.On {
		if r.command.Flags().Changed("format") && r.Format != "json" {
			return cli.UsageError("--json, --jq and --template print JSON and cannot be combined with --format %s; write that report into a file with --output", r.Format)
		}
		r.Format = "json"
	}
	if !slices.Contains(r.known, r.Format) {
		return cli.UsageError("--format %q: must be %s", r.Format, strings.Join(r.known, ", "))
	}
	files := map[string]bool{}
	for _, output := range r.outputs {
		format, file, ok := strings.Cut(output, "=")
		if !ok || file == "" || !slices.Contains(r.known, format) {
			return cli.UsageError("--output %q: must be FORMAT=FILE, where FORMAT is %s", output, strings.Join(r.known, ", "))
		}
		if file == "-" {
			return cli.UsageError("--output %q: must be a file; for stdout give --format %s", output, format)
		}
		if file = filepath.Clean(file); files[file] {
			return cli.UsageError("--output %q: another report is already written to that file", output)
		}
		if err := cli.CheckFolder("write "+file, file); err != nil {
			return err
		}
		files[file] = true
	}
	return nil
}

// Wants reports whether a report in the format is written to stdout or a file.
func (r *ReportFlags) Wants(format string) bool {
	return r.Format == format || slices.ContainsFunc(r.outputs, func(o string) bool { return strings.HasPrefix(o, format+"=") })
}

// WantsField reports whether --json lists the field.
func (r *ReportFlags) WantsField(name string) bool { return slices.Contains(r.json.Fields, name) }

// HasOutputs reports whether a report is written to a file.
func (r *ReportFlags) HasOutputs() bool { return len(r.outputs) > 0 }

// A Report is what a command found. Formats has a function for each format. The formats sarif,
// github, gitlab and oneline may lack one and are then made from the findings.
type Report struct {
	Findings []personas.Diagnostic
	Rules    []SARIFRule // all possible checks, for sarif
	Formats  map[string]func(io.Writer) error
}

// Paths returns the paths for reports that are read on another machine.
func (r *ReportFlags) Paths() ProjectPaths { return NewProjectPaths(r.streams.WorkingFolder()) }

// Write writes a report to out and atomically to each file of --output. If a report is for GitHub,
// it also appends the Markdown to the summary of the GitHub step. It stops at the first error.
func (r *ReportFlags) Write(out io.Writer, report Report) error {
	if err := r.writeFirst(out, report); err != nil {
		return err
	}
	for _, output := range r.outputs {
		format, file, _ := strings.Cut(output, "=")
		var text bytes.Buffer
		if err := r.writeFormat(&text, report, format); err != nil {
			return err
		}
		if err := atomicfile.Write(file, text.Bytes(), 0o644); err != nil {
			return cli.WrapTrouble(fmt.Errorf("write %s: %w", file, cli.PathReason(err)), "")
		}
	}
	if summary := report.Formats["markdown"]; summary != nil && r.Wants("github") {
		return appendSummary(r.streams.Env("GITHUB_STEP_SUMMARY"), summary)
	}
	return nil
}

func (r *ReportFlags) writeFirst(out io.Writer, report Report) error {
	if r.Format == "github" { // The GitHub runner interprets the output.
		out = cli.RawWriter(out)
	}
	if !r.json.On {
		return r.writeFormat(out, report, r.Format)
	}
	var text bytes.Buffer
	if err := r.writeFormat(&text, report, "json"); err != nil {
		return err
	}
	return r.streams.PrintEncoded(r.json, bytes.TrimSpace(text.Bytes()))
}

func (r *ReportFlags) writeFormat(w io.Writer, report Report, format string) error {
	if write := report.Formats[format]; write != nil {
		return write(w)
	}
	switch format {
	case "github":
		return WriteAnnotations(w, r.Paths(), report.Findings)
	case "gitlab":
		return WriteGitLab(w, r.Paths(), report.Findings)
	case "oneline":
		var text strings.Builder
		for _, f := range report.Findings {
			text.WriteString(cli.BreakCommands(FormatOneLine(f)) + "\n")
		}
		_, err := io.WriteString(w, text.String())
		return err
	}
	return WriteSARIF(w, r.Paths(), report.Rules, report.Findings)
}

// IndentJSON returns a value as indented JSON, with a final line break and escaped control
// characters.
func IndentJSON(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return []byte(cli.EscapeControls(string(text)) + "\n"), err
}

// WriteJSON writes a value as IndentJSON formats it.
func WriteJSON(w io.Writer, value any) error {
	text, err := IndentJSON(value)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// ProjectPaths makes file names relative to the project's top directory, for reports that are read
// on another machine.
type ProjectPaths struct {
	folder, top string
}

// NewProjectPaths returns ProjectPaths for the project that contains folder. Paths stay unchanged
// outside a project.
func NewProjectPaths(folder string) ProjectPaths {
	return ProjectPaths{folder: folder, top: settings.FindProjectTop(folder)}
}

// MakeRelative returns a file's path from the project's top directory, with forward slashes. A file
// outside the project has an absolute path, and StdinName is unchanged.
func (p ProjectPaths) MakeRelative(file string) string {
	whole := file
	if !filepath.IsAbs(file) {
		whole = filepath.Join(p.folder, file)
	}
	inside, err := filepath.Rel(p.top, whole)
	switch {
	case file == StdinName, p.top == "":
	case err != nil, inside == "..", strings.HasPrefix(inside, ".."+string(filepath.Separator)):
		file = whole
	default:
		file = inside
	}
	return filepath.ToSlash(file)
}

func (r *ReportFlags) addCompletions(c *cobra.Command) {
	// Ignore the errors, because the flags exist and have no completion function yet.
	_ = c.RegisterFlagCompletionFunc("format", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return cli.CompleteWords(r.known, typed)
	})
	_ = c.RegisterFlagCompletionFunc("output", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.Contains(typed, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		words := make([]string, len(r.known))
		for i, format := range r.known {
			words[i] = format + "="
		}
		found, _ := cli.CompleteWords(words, typed)
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}
