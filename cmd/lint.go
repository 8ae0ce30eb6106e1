package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

type lintOptions struct {
	*app
	files  []string
	format string
}

func newLintCmd(a *app, run func(context.Context, *lintOptions) error) *cobra.Command {
	o := &lintOptions{app: a}
	c := &cobra.Command{
		Use:     "lint FILE...",
		Short:   "Check persona files, without a server",
		Long:    "Check persona files (YAML or JSON, - is stdin). Exit code 1 says that a file has\nerrors, which a server would refuse; warnings and infos do not change it.",
		Example: "  parley persona lint my-cat.yaml\n  parley persona lint --format json personas/*.yaml",
		Args:    atLeast("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return run(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.format, "format", "text", "`text` or json")
	return c
}

func runLint(_ context.Context, o *lintOptions) error {
	if o.format != "text" && o.format != "json" {
		return usage("--format %q: it takes text or json", o.format)
	}
	files := make([]*personaFile, 0, len(o.files))
	for _, path := range o.files {
		f, err := o.readPersona(path)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	if err := o.print(files); err != nil {
		return err
	}
	unsound := slices.DeleteFunc(files, (*personaFile).sound)
	if len(unsound) > 0 {
		return &failure{code: exitNo, err: fmt.Errorf("%s with errors", count(len(unsound), "file"))}
	}
	return nil
}

func (o *lintOptions) print(files []*personaFile) error {
	if o.format == "text" {
		for _, f := range files {
			if err := o.report(o.out, f); err != nil {
				return err
			}
		}
		return nil
	}
	all := struct {
		Findings []finding `json:"findings"`
	}{[]finding{}}
	for _, f := range files {
		all.Findings = append(all.Findings, f.findings...)
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.out, string(text))
	return err
}

// dropInfos leaves what somebody who only wants to save should read.
func (f *personaFile) dropInfos() {
	f.findings = slices.DeleteFunc(f.findings, func(found finding) bool { return found.Severity == string(lint.Info) })
}

func newSchemaCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of persona files",
		Example: "  parley persona schema > persona.schema.json",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.out.Write(personas.Schema())
			return err
		},
	}
}
