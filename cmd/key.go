package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

func newKeyCmd(a *app) *cobra.Command {
	return newGroupCmd("key", "Make, list and revoke API keys for the Game SDK",
		newKeyCreateCmd(a, runKeyCreate), newKeyListCmd(a, runKeyList), newKeyRevokeCmd(a, runKeyRevoke))
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
	o.json.add(c, wire.CreatedKey{})
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
	_, err = fmt.Fprintln(o.out, terminal.Clean(created.Key))
	return err
}

type keyListOptions struct {
	*app
	json jsonFlag
}

func newKeyListCmd(a *app, run func(context.Context, *keyListOptions) error) *cobra.Command {
	o := &keyListOptions{app: a}
	c := &cobra.Command{
		Use:     "list",
		Short:   "List your API keys, without the keys themselves",
		Example: "  parley key list\n  parley key list --json=name,last_used_at",
		Args:    exactly(),
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), o) },
	}
	o.json.add(c, wire.Key{})
	return c
}

func runKeyList(ctx context.Context, o *keyListOptions) error {
	s, err := o.connect()
	if err != nil {
		return err
	}
	keys, err := s.Keys(ctx)
	if err != nil {
		return fmt.Errorf("list keys: %w", err)
	}
	if o.json.on {
		return o.printJSON(o.json, keys)
	}
	rows := make([][]string, len(keys))
	for i, k := range keys {
		rows[i] = []string{k.ID, k.Name, k.KeyPrefix + "…", day(k.CreatedAt), lastUse(k)}
	}
	return o.printTable([]string{"ID", "NAME", "KEY", "CREATED", "LAST USED"}, rows)
}

func day(t wire.Time) string { return t.UTC().Format("2006-01-02") }

func lastUse(k wire.Key) string {
	if k.LastUsedAt == nil {
		return "never"
	}
	return k.LastUsedAt.UTC().Format("2006-01-02 15:04")
}

type keyRevokeOptions struct {
	*app
	key string
	yes bool
}

func newKeyRevokeCmd(a *app, run func(context.Context, *keyRevokeOptions) error) *cobra.Command {
	o := &keyRevokeOptions{app: a}
	c := &cobra.Command{
		Use:   "revoke KEY",
		Short: "Revoke an API key, named by its id or its name",
		Long: `Revoke an API key for good: the service refuses it from then on. KEY is its id, or
where only one has it its name, the beginning of its id, or of the key as the list
shows it. On a terminal the name is asked for; without one, --yes is needed.`,
		Example: "  parley key revoke \"My game\"\n  parley key revoke pk_live_1a2b --yes",
		Args:    exactly("KEY"),
		RunE: func(c *cobra.Command, args []string) error {
			o.key = args[0]
			return run(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	return c
}

func runKeyRevoke(ctx context.Context, o *keyRevokeOptions) error {
	if err := o.mayAsk("revoking asks for the key's name", o.yes); err != nil {
		return err
	}
	s, err := o.connect()
	if err != nil {
		return err
	}
	keys, err := s.Keys(ctx)
	if err != nil {
		return fmt.Errorf("look for the key: %w", err)
	}
	key, err := chooseKey(keys, o.key)
	if err != nil {
		return err
	}
	if !o.yes {
		question := fmt.Sprintf("Games that use the key %q (%s…) are refused from then on. Type its name to go on: ", terminal.Clean(key.Name), terminal.Clean(key.KeyPrefix))
		if err := o.confirm(ctx, question, key.Name); err != nil {
			return err
		}
	}
	if err := s.RevokeKey(ctx, key.ID); err != nil {
		return fmt.Errorf("revoke key %q: %w", key.Name, err)
	}
	o.say("revoked: %s (%s…)", terminal.Clean(key.Name), terminal.Clean(key.KeyPrefix))
	return nil
}

// leastID is the fewest characters that stand for an id.
const leastID = 4

// chooseKey finds the one key with that id, or else with that name, or else the
// one whose id or whose visible beginning begins so. A key itself is no name, and
// is not repeated.
func chooseKey(keys []wire.Key, named string) (wire.Key, error) {
	named = strings.TrimSuffix(named, "…")
	for _, fits := range []func(k wire.Key) bool{
		func(k wire.Key) bool { return k.ID == named },
		func(k wire.Key) bool { return k.Name == named },
		func(k wire.Key) bool { return len(named) >= leastID && strings.HasPrefix(k.ID, strings.ToLower(named)) },
		func(k wire.Key) bool { return len(named) > len("pk_live_") && strings.HasPrefix(k.KeyPrefix, named) },
	} {
		found := slices.DeleteFunc(slices.Clone(keys), func(k wire.Key) bool { return !fits(k) })
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return wire.Key{}, &failure{code: exitNo, err: fmt.Errorf("%d keys are called %q or begin so", len(found), named), hint: keysText(found)}
		}
	}
	if strings.HasPrefix(named, "pk_") {
		return wire.Key{}, usage("name the key by its id or its name, not by itself (see `parley key list`)")
	}
	return wire.Key{}, &failure{code: exitNo, err: fmt.Errorf("you have no key with the id or name %q", named), hint: "see `parley key list`"}
}

// keysText lists what could be meant.
func keysText(keys []wire.Key) string {
	text := "name one by its id:"
	for _, k := range keys[:min(len(keys), maxCandidates)] {
		text += fmt.Sprintf("\n    %s  %s  %s…", terminal.Clean(k.ID), terminal.Clean(k.Name), terminal.Clean(k.KeyPrefix))
	}
	return text
}
