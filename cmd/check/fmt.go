package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/tui/terminal"
)

type fmtOptions struct {
	*cli.Streams
	files []string
	check bool
	diff  bool
}

// NewFmtCmd is `parley persona fmt`. Its exit code is 1 when --check finds a file that is not
// formatted, or a file cannot be changed safely.
func NewFmtCmd(streams *cli.Streams) *cobra.Command {
	o := &fmtOptions{Streams: streams}
	c := &cobra.Command{
		Use:   "fmt PATH...",
		Short: "Bring persona files in their canonical form",
		Long: `Bring persona files (YAML or JSON) in their canonical form and write them in place:
members in the order of docs/persona-file.md, indentation by two, at most one blank
line in a row. Comments move with what they stand above or behind; values stay as
they are written. Files that are changed are named on stderr; one that cannot be
changed safely is left alone and named. PATH is a file, a glob, or a folder, of which
the persona files are taken.

For - the result of stdin goes to stdout. With --check nothing is written: the files
that are not in this form are listed, with exit code 1. --diff shows what changes.`,
		Example: "  parley persona fmt ferryman.yaml\n  parley persona fmt --check personas/\n  parley persona fmt --diff ferryman.yaml",
		Args:    cli.MinArgs("PATH"),
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return runFmt(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; list files that are not formatted")
	c.Flags().BoolVar(&o.diff, "diff", false, "write nothing; show the changes")
	return c
}

func runFmt(ctx context.Context, o *fmtOptions) error {
	changed, code := 0, cli.ExitDone
	files, err := findPersonas(o.Streams, o.files)
	if err != nil {
		return err
	}
	for _, path := range files {
		differs, err := o.formatFile(path)
		if err != nil {
			f := service.Explain(ctx, err)
			if len(files) == 1 {
				return f
			}
			o.ReportFailure(nil, f)
			code = max(code, f.Code)
		}
		if differs {
			changed++
		}
	}
	if o.check && changed > 0 {
		return &cli.Failure{Code: max(code, cli.ExitNo), Err: fmt.Errorf("%s would change", cli.Pluralize(changed, "file")), Hint: "format with `parley persona fmt`"}
	}
	if code != cli.ExitDone {
		return &cli.Failure{Code: code, Err: errors.New("some files were not formatted (above)")}
	}
	return nil
}

// formatFile writes, shows or only compares the canonical form of one file, as the flags
// say. It tells whether the file differs from that form.
func (o *fmtOptions) formatFile(path string) (differs bool, err error) {
	name, source, err := personafiles.ReadSource(o.Streams, path)
	if err != nil {
		return false, err
	}
	formatted, err := personas.Format(name, source)
	if err != nil {
		return false, cli.AnswerNo("%s: %w; the file is as it was", name, err)
	}
	differs = !bytes.Equal(source, formatted)
	switch {
	case o.diff:
		_, err = fmt.Fprint(o.Out, terminal.CleanLines(cli.UnifiedDiff(name, "formatted", string(source), string(formatted))))
	case o.check && differs:
		_, err = fmt.Fprintln(o.Out, personafiles.PlainPath(terminal.Clean(name)))
	case o.check:
	case path == "-":
		_, err = o.Out.Write(formatted)
	case differs:
		if err = atomicfile.Rewrite(path, formatted); err == nil {
			o.Say("formatted %s", personafiles.PlainPath(terminal.Clean(name)))
		}
	}
	return differs, err
}
