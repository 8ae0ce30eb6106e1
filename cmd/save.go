package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
)

type saveOptions struct {
	*app
	files   []string
	id      string
	ifMatch string
	publish bool
	json    jsonFlag
}

func newSaveCmd(a *app, run func(context.Context, *saveOptions) error) *cobra.Command {
	o := &saveOptions{app: a}
	c := &cobra.Command{
		Use:   "save FILE...",
		Short: "Save persona files and print their ids",
		Long: `Save persona files (YAML or JSON, - is stdin). Each is checked first; one that has
errors is not sent, and the others still are. Without --id a new persona is made.`,
		Example: "  parley persona save my-cat.yaml\n  parley persona save --id 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11 my-cat.yaml\n  parley persona save --publish personas/*.yaml",
		Args:    atLeast("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return run(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.id, "id", "", "update the persona with this `ID` (one file only)")
	c.Flags().StringVar(&o.ifMatch, "if-match", "", "refuse if it was updated since `TIMESTAMP` (its updated_at; needs --id)")
	c.Flags().BoolVar(&o.publish, "publish", false, "publish too")
	o.json.add(c, wire.Saved{})
	return c
}

func runSave(ctx context.Context, o *saveOptions) error {
	if o.id != "" && len(o.files) > 1 {
		return usage("--id names one persona, but there are %d files", len(o.files))
	}
	if o.ifMatch != "" && o.id == "" {
		return usage("--if-match needs --id")
	}
	s, err := o.connect()
	if err != nil {
		return err
	}
	var saved []wire.Saved
	var faults []error
	for _, file := range o.files {
		one, err := o.saveFile(ctx, s, file)
		if err != nil {
			faults = append(faults, err)
			if stops(ctx, err) {
				break
			}
			continue
		}
		saved = append(saved, one)
	}
	if err := o.printSaved(saved); err != nil {
		return err
	}
	return o.summed(ctx, faults)
}

// stops tells whether the files after a failed one would fail the same way.
func stops(ctx context.Context, err error) bool {
	f := explain(ctx, err)
	return ctx.Err() != nil || f.code != exitNo && f.hint != "" || isUnreachable(err)
}

func (o *saveOptions) saveFile(ctx context.Context, s *service, file string) (wire.Saved, error) {
	doc, err := o.soundPersona(file)
	if err != nil {
		return wire.Saved{}, err
	}
	saved, _, err := s.SavePersona(ctx, o.id, doc, o.ifMatch)
	if err != nil {
		return wire.Saved{}, fmt.Errorf("save %s: %w", file, err)
	}
	if !o.publish {
		return saved, nil
	}
	if _, err := s.PublishPersona(ctx, saved.ID); err != nil {
		return wire.Saved{}, fmt.Errorf("%s was saved as %s, but publish: %w", file, saved.ID, err)
	}
	saved.IsPublic = true
	return saved, nil
}

// soundPersona reads a file that a server would take; what is wrong with
// another one is reported on stderr.
func (a *app) soundPersona(file string) (personas.Persona, error) {
	f, err := a.readPersona(file)
	if err != nil {
		return personas.Persona{}, err
	}
	f.dropInfos()
	if err := a.report(a.err, f); err != nil {
		return personas.Persona{}, err
	}
	if !f.sound() {
		return personas.Persona{}, no("%s has errors (above): nothing of it was sent", f.name)
	}
	return f.doc, nil
}

func (o *saveOptions) printSaved(saved []wire.Saved) error {
	if o.json.on && len(o.files) == 1 {
		if len(saved) == 0 {
			return nil
		}
		return o.printJSON(o.json, saved[0])
	}
	if o.json.on {
		return o.printJSON(o.json, append([]wire.Saved{}, saved...))
	}
	for _, s := range saved {
		if _, err := fmt.Fprintln(o.out, tui.Clean(s.ID)); err != nil {
			return err
		}
	}
	return nil
}

// summed is one failure for all the failed files: each is said as it is, the
// exit code is that of the gravest.
func (o *saveOptions) summed(ctx context.Context, faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	if len(o.files) == 1 {
		return faults[0]
	}
	code := exitNo
	for _, err := range faults {
		f := explain(ctx, err)
		o.complain(nil, f)
		code = max(code, f.code)
	}
	return &failure{code: code, err: fmt.Errorf("%s of %d not saved", count(len(faults), "file"), len(o.files))}
}
