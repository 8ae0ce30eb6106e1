package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
)

func newKeyCmd(a *app) *cobra.Command {
	return newGroupCmd("key", "Make API keys for the Game SDK", newKeyCreateCmd(a, runKeyCreate))
}

type keyCreateOptions struct {
	*app
	name string
	json jsonFlag
}

func newKeyCreateCmd(a *app, run func(context.Context, *keyCreateOptions) error) *cobra.Command {
	o := &keyCreateOptions{app: a}
	c := &cobra.Command{
		Use:     "create NAME",
		Short:   "Make an API key and print it, this once",
		Example: "  parley key create \"My game\"\n  parley key create ci > key.txt",
		Args:    exactly("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			o.name = args[0]
			return run(c.Context(), o)
		},
	}
	o.json.add(c)
	return c
}

func runKeyCreate(ctx context.Context, o *keyCreateOptions) error {
	s, err := o.connect()
	if err != nil {
		return err
	}
	created, err := s.CreateKey(ctx, wire.NewKey{Name: o.name})
	if err != nil {
		return fmt.Errorf("create key %q: %w", o.name, err)
	}
	o.say("%s", o.style.faint("keep it safe: the service stores only its hash and never shows it again"))
	if o.json.on {
		return o.printJSON(o.json, created)
	}
	_, err = fmt.Fprintln(o.out, tui.Clean(created.Key))
	return err
}
