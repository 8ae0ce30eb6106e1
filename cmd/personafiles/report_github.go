package personafiles

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

const shownAnnotations = 10 // GitHub shows no more per level and step

// WriteAnnotations writes GitHub annotations, errors first. GitHub shows ten annotations per level.
// Further findings become log lines, and the tenth annotation counts them.
func WriteAnnotations(w io.Writer, paths ProjectPaths, findings []personas.Diagnostic) error {
	var text strings.Builder
	var rest []personas.Diagnostic
	for _, level := range []lint.Severity{lint.Error, lint.Warning, lint.Info} {
		hidden := slices.DeleteFunc(slices.Clone(findings), func(f personas.Diagnostic) bool { return f.Severity != level })
		shown := hidden[:min(len(hidden), shownAnnotations)]
		hidden = hidden[len(shown):]
		for i, f := range shown {
			if i == len(shown)-1 && len(hidden) > 0 {
				f.Message += fmt.Sprintf(" (and %s, in the log of this step)", cli.Pluralize(len(hidden), "more "+string(level)))
			}
			text.WriteString(formatAnnotation(paths, f))
		}
		rest = append(rest, hidden...)
	}
	if len(rest) > 0 {
		writeGroup(&text, cli.Pluralize(len(rest), "more finding"), rest)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// WriteNotice writes findings as log lines, and one GitHub notice with the message.
func WriteNotice(w io.Writer, check, message string, findings []personas.Diagnostic) error {
	if len(findings) == 0 {
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "::notice title=%s::%s\n", escapeProperty(check), escapeText(terminal.Clean(message)))
	writeGroup(&text, message, findings)
	_, err := io.WriteString(w, text.String())
	return err
}

func writeGroup(text *strings.Builder, title string, findings []personas.Diagnostic) {
	fmt.Fprintf(text, "::group::%s\n", escapeText(terminal.Clean(title)))
	for _, f := range findings {
		fmt.Fprintf(text, "- %s\n", strings.ReplaceAll(FormatOneLine(f), "##[", "# #["))
	}
	text.WriteString("::endgroup::\n")
}

func formatAnnotation(paths ProjectPaths, f personas.Diagnostic) string {
	kind := f.Severity
	if kind == lint.Info {
		kind = "notice"
	}
	file := escapeProperty(terminal.Clean(paths.MakeRelative(f.File)))
	place := fmt.Sprintf("file=%s,line=%d,col=%d", file, f.Line, f.Column)
	if f.EndLine == f.Line && f.EndColumn > f.Column {
		place += fmt.Sprintf(",endColumn=%d", f.EndColumn)
	}
	message := escapeText(terminal.Clean(f.Message))
	return fmt.Sprintf("::%s %s,title=%s::%s\n", kind, place, escapeProperty(f.Check), message)
}

func escapeText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

func appendSummary(path string, write func(io.Writer) error) (err error) {
	if path == "" {
		return nil
	}
	const flags = os.O_APPEND | os.O_CREATE | os.O_WRONLY | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, flags, 0o644) //nolint:gosec // the runner's own file, for its other steps to read
	if err == nil {
		err = write(f)
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		return cli.WrapTrouble(fmt.Errorf("write the summary of this step, %s: %w", path, cli.PathReason(err)), "")
	}
	return nil
}
