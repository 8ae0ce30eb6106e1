package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

type fmtOptions struct {
	*app
	files []string
	check bool
	diff  bool
}

func newFmtCmd(a *app, run func(context.Context, *fmtOptions) error) *cobra.Command {
	o := &fmtOptions{app: a}
	c := &cobra.Command{
		Use:   "fmt PATH...",
		Short: "Bring persona files in their canonical form",
		Long: `Bring persona files (YAML or JSON) in their canonical form and write them in place:
members in the order of docs/persona-file.md, indentation by two, at most one blank
line in a row. Comments move with what they stand above or behind; values stay as
they are written. A file that cannot be changed safely is left alone and named. PATH
is a file, a glob, or a folder, of which the persona files are taken.

For - the result of stdin goes to stdout. With --check nothing is written: the files
that are not in this form are listed, with exit code 1. --diff shows what changes.`,
		Example: "  parley persona fmt ferryman.yaml\n  parley persona fmt --check personas/\n  parley persona fmt --diff ferryman.yaml",
		Args:    atLeast("PATH"),
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return run(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; list files that are not formatted")
	c.Flags().BoolVar(&o.diff, "diff", false, "write nothing; show the changes")
	return c
}

func runFmt(ctx context.Context, o *fmtOptions) error {
	changed, code := 0, exitDone
	files, err := o.personasIn(o.files)
	if err != nil {
		return err
	}
	for _, path := range files {
		differs, err := o.format(path)
		if err != nil {
			f := explain(ctx, err)
			if len(files) == 1 {
				return f
			}
			o.complain(nil, f)
			code = max(code, f.code)
		}
		if differs {
			changed++
		}
	}
	if o.check && changed > 0 {
		return &failure{code: max(code, exitNo), err: fmt.Errorf("%s not formatted", count(changed, "file")), hint: "format with `parley persona fmt`"}
	}
	if code != exitDone {
		return &failure{code: code, err: errors.New("some files were not formatted (above)")}
	}
	return nil
}

// format formats one file, as far as the flags say, and tells whether it was
// not in its form.
func (o *fmtOptions) format(path string) (differs bool, err error) {
	name, source, err := o.readSource(path)
	if err != nil {
		return false, err
	}
	formatted, err := personas.Format(name, source)
	if err != nil {
		return false, no("%s: %w; the file is as it was", name, err)
	}
	differs = !bytes.Equal(source, formatted)
	switch {
	case o.diff:
		_, err = fmt.Fprint(o.out, terminal.CleanLines(unifiedDiff(name, "formatted", string(source), string(formatted))))
	case o.check && differs:
		_, err = fmt.Fprintln(o.out, terminal.Clean(name))
	case o.check:
	case path == "-":
		_, err = o.out.Write(formatted)
	case differs:
		err = replaceFile(path, formatted)
	}
	return differs, err
}

// replaceFile writes a file anew with the rights that it has; a link stays one.
func replaceFile(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return trouble(fmt.Errorf("write %s: %w", path, reason(err)), "")
	}
	info, err := os.Stat(target)
	if err != nil {
		return trouble(fmt.Errorf("write %s: %w", path, reason(err)), "")
	}
	if err := config.WriteFile(target, content, info.Mode().Perm()); err != nil {
		return trouble(err, "")
	}
	return nil
}
