package personafiles

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

// ReportFlags holds the flags for the formats and destinations of a report.
type ReportFlags struct {
	known   []string
	Format  string
	outputs []string
	json    cli.JSONFlag
	streams *cli.Streams
	command *cobra.Command
}

// AddFlags adds --format, --output and --json. The first format is the default. sample has the type
// of the JSON output.
func (r *ReportFlags) AddFlags(c *cobra.Command, streams *cli.Streams, sample any, formats ...string) {
	r.known, r.streams, r.command = formats, streams, c
	r.json.AddFlags(c, sample)
	c.Flags().StringVar(&r.Format, "format", formats[0], "`FORMAT` on stdout: "+strings.Join(formats, ", "))
	c.Flags().StringArrayVar(&r.outputs, "output", nil, "also write a report, `FORMAT=FILE`; may be repeated")
	r.addCompletions(c)
}

// Check returns a usage error for an unknown format, or a format that contradicts --json.
func (r *ReportFlags) Check() error {
	if r.json.On {
		if r.command.Flags().Changed("format") && r.Format != "json" {
			return cli.UsageError("--json, --jq and --template print JSON and cannot be combined with --format %s; "+
				"write that report into a file with --output", r.Format)
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
		file = filepath.Clean(file)
		if files[file] {
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
	return r.Format == format || slices.ContainsFunc(r.outputs, func(output string) bool {
		return strings.HasPrefix(output, format+"=")
	})
}

// WantsField reports whether --json lists the field.
func (r *ReportFlags) WantsField(name string) bool { return slices.Contains(r.json.Fields, name) }

// HasOutputs reports whether a report is written to a file.
func (r *ReportFlags) HasOutputs() bool { return len(r.outputs) > 0 }

// A Report holds the results of a command. Formats maps the names of formats to writers. Missing
// writers for sarif, github, gitlab and oneline are derived from Findings.
type Report struct {
	Findings []personas.Diagnostic
	Rules    []SARIFRule // all checks, for sarif
	Formats  map[string]func(io.Writer) error
}

// Paths returns the ProjectPaths of the working directory.
func (r *ReportFlags) Paths() ProjectPaths { return newProjectPaths(r.streams.WorkingFolder()) }

// Write writes a report to out and to each file of --output. Each file is replaced atomically. A
// report for GitHub also appends Markdown to the step summary.
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
	if r.Format == "github" {
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

// IndentJSON returns indented JSON with a final newline. Control characters are escaped.
func IndentJSON(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return []byte(cli.EscapeControls(string(text)) + "\n"), err
}

// WriteJSON writes a value in the format of IndentJSON.
func WriteJSON(w io.Writer, value any) error {
	text, err := IndentJSON(value)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// ProjectPaths makes file names relative to the top of a project.
type ProjectPaths struct {
	folder, top string
}

func newProjectPaths(folder string) ProjectPaths {
	return ProjectPaths{folder: folder, top: settings.FindProjectTop(folder)}
}

// MakeRelative returns a path from the top of the project, with forward slashes.
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
	_ = c.RegisterFlagCompletionFunc("format", r.completeFormat)
	_ = c.RegisterFlagCompletionFunc("output", r.completeOutput)
}

func (r *ReportFlags) completeFormat(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return cli.CompleteWords(r.known, typed)
}

func (r *ReportFlags) completeOutput(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	words := make([]string, len(r.known))
	for i, format := range r.known {
		words[i] = format + "="
	}
	found, _ := cli.CompleteWords(words, typed)
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// NewFileFinding returns an error finding at the start of a file.
func NewFileFinding(file, check, message string) personas.Diagnostic {
	start := personas.Position{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
	return personas.Diagnostic{File: file, Position: start, Check: check, Severity: lint.Error, Message: message}
}

// FormatOneLine returns a finding as file:line:column: message [check].
func FormatOneLine(f personas.Diagnostic) string {
	return terminal.Clean(fmt.Sprintf("%s:%d:%d: %s [%s]", f.File, f.Line, f.Column, f.Message, f.Check))
}

// ComparePlaces orders findings of one file by line and column, for slices.SortFunc.
func ComparePlaces(a, b personas.Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// StdinName is the file name of stdin in reports.
const StdinName = "<stdin>"

// WriteMarkdownList appends findings as a Markdown list.
func WriteMarkdownList(text *strings.Builder, findings []personas.Diagnostic) {
	for _, f := range findings {
		fmt.Fprintf(text, "- %s %s\n", FormatMarkdownPlace(f), EscapeMarkdown(f.Message))
	}
}

// FormatMarkdownPlace returns a finding's file and line as Markdown code.
func FormatMarkdownPlace(f personas.Diagnostic) string {
	file := strings.NewReplacer("`", "'", "|", "\\|").Replace(f.File)
	file = terminal.Clean(strings.Join(strings.Fields(file), " "))
	return fmt.Sprintf("`%s:%d`", file, f.Line)
}

// EscapeMarkdown returns text as one line with escaped Markdown, HTML and control characters.
func EscapeMarkdown(s string) string {
	s = terminal.Clean(strings.Join(strings.Fields(s), " "))
	return strings.NewReplacer(
		"\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", "&", "&amp;", "|", "\\|", "[", "\\[", "]", "\\]",
	).Replace(s)
}

// ReportFindings writes findings without colours, as file:line:column: message [check]. The source
// line with a marker follows each finding.
func ReportFindings(streams *cli.Streams, w io.Writer, f *File) error {
	return WriteFindings(streams, w, streams.StyleFor(false), f)
}

// WriteFindings is like ReportFindings, but with a style.
func WriteFindings(streams *cli.Streams, w io.Writer, s cli.Style, f *File) error {
	var text strings.Builder
	lines := &shownLines{f.splitShownLines(), map[int][]rune{}}
	for _, found := range f.Findings {
		place := terminal.Clean(fmt.Sprintf("%s:%d:%d:", found.File, found.Line, found.Column))
		fmt.Fprintf(&text, "%s %s: %s %s\n",
			place, colorSeverity(s, found.Severity), terminal.Clean(found.Message), s.Faint("["+found.Check+"]"))
		text.WriteString(formatMarker(s, lines, found))
	}
	_, err := io.WriteString(w, cli.BreakCommands(text.String()))
	return err
}

// splitShownLines empties lines that may contain a secret or are invalid UTF-8.
func (f *File) splitShownLines() []string {
	text := strings.TrimPrefix(string(f.Source), "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	lines := strings.Split(text, "\n")
	checked := make([]bool, len(lines))
	for _, found := range f.Findings {
		check, _ := lint.Find(found.Check)
		for i := max(found.Line-1, 0); i < min(found.EndLine, len(lines)); i++ {
			if check.Secret || !checked[i] && (lint.HoldsSecret(lines[i]) || !utf8.ValidString(lines[i])) {
				lines[i] = ""
			}
			checked[i] = true
		}
	}
	return lines
}

const (
	maxShownRunes  = 160
	maxRunesBefore = 60
)

func formatMarker(s cli.Style, l *shownLines, found personas.Diagnostic) string {
	if found.Line < 1 || found.Line > len(l.lines) || l.lines[found.Line-1] == "" {
		return ""
	}
	column := max(found.Column-1, 0)
	runes, from, right := l.cutLine(found.Line-1, column)
	start, end, left := min(column-from, len(runes)), len(runes), ""
	if found.EndLine == found.Line {
		end = min(max(found.EndColumn-1-from, start), len(runes))
	}
	if from > 0 {
		left = "…"
	}
	before, at := left+terminal.Clean(string(runes[:start])), terminal.Clean(string(runes[start:end]))
	marker := "^" + strings.Repeat("~", max(ansi.StringWidth(at)-1, 0))
	return fmt.Sprintf("  %s %s%s%s%s\n  %s %s%s\n", s.Faint("|"), before, at, terminal.Clean(string(runes[end:])), right,
		s.Faint("|"), strings.Repeat(" ", ansi.StringWidth(before)), s.Color("2", marker))
}

type shownLines struct {
	lines       []string
	runesByLine map[int][]rune
}

func (l *shownLines) cutLine(i, column int) (shown []rune, start int, right string) {
	runes, known := l.runesByLine[i]
	if !known {
		runes = []rune(l.lines[i])
		l.runesByLine[i] = runes
	}
	if len(runes) > maxShownRunes {
		start = min(max(0, column-maxRunesBefore), len(runes))
	}
	if len(runes) > start+maxShownRunes {
		return runes[start : start+maxShownRunes], start, "…"
	}
	return runes[start:], start, ""
}

func colorSeverity(s cli.Style, severity lint.Severity) string {
	switch severity {
	case "error":
		return s.Error(string(severity))
	case "warning":
		return s.Color("3", string(severity))
	}
	return s.Color("6", string(severity))
}
