package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

func newKeyCmd(access *service.Access) *cobra.Command {
	return cli.NewGroupCmd("key", "Create, list and revoke API keys for the Game SDK",
		newKeyCreateCmd(access), newKeyListCmd(access), newKeyRevokeCmd(access))
}

func newKeyCreateCmd(access *service.Access) *cobra.Command {
	var json cli.JSONFlag
	c := &cobra.Command{
		Use:     "create NAME",
		Short:   "Create an API key and print it once",
		Example: "  parley key create \"My game\"\n  parley key create ci > key.txt",
		Args:    cli.ExactArgs("NAME"),
		RunE:    func(c *cobra.Command, args []string) error { return createKey(c.Context(), access, args[0], json) },
	}
	json.AddFlags(c, wire.CreatedKey{})
	return c
}

func createKey(ctx context.Context, access *service.Access, name string, json cli.JSONFlag) error {
	s, err := access.Connect()
	if err != nil {
		return err
	}
	created, err := s.CreateKey(ctx, wire.NewKey{Name: name})
	if err != nil {
		return fmt.Errorf("create key %q: %w", name, err)
	}
	access.Say("%s", access.Style.Faint("keep it safe: the service stores only its hash and never shows it again"))
	if json.On {
		return access.PrintJSON(json, created)
	}
	_, err = fmt.Fprintln(access.Out, terminal.Clean(created.Key))
	return err
}

func newKeyListCmd(access *service.Access) *cobra.Command {
	var json cli.JSONFlag
	c := &cobra.Command{
		Use:     "list",
		Short:   "List your API keys, without the keys themselves",
		Example: "  parley key list\n  parley key list --json name,last_used_at",
		Args:    cli.ExactArgs(),
		RunE:    func(c *cobra.Command, _ []string) error { return listKeys(c.Context(), access, json) },
	}
	json.AddFlags(c, wire.Key{})
	return c
}

func listKeys(ctx context.Context, access *service.Access, json cli.JSONFlag) error {
	s, err := access.Connect()
	if err != nil {
		return err
	}
	keys, err := s.Keys(ctx)
	if err != nil {
		return fmt.Errorf("list keys: %w", err)
	}
	if json.On {
		return access.PrintJSON(json, keys)
	}
	rows := make([][]string, len(keys))
	for i, k := range keys {
		lastUse := "never"
		if k.LastUsedAt != nil {
			lastUse = access.ShownTime(k.LastUsedAt.Time).Format(cli.MinuteLayout)
		}
		rows[i] = []string{k.ID, k.Name, k.KeyPrefix + "…", access.ShownTime(k.CreatedAt.Time).Format(time.DateOnly), lastUse}
	}
	return access.PrintTable([]string{"ID", "NAME", "KEY", "CREATED", "LAST USED"}, rows)
}

type keyRevokeOptions struct {
	*service.Access
	key string
	yes bool
}

func newKeyRevokeCmd(access *service.Access) *cobra.Command {
	o := &keyRevokeOptions{Access: access}
	c := &cobra.Command{
		Use:   "revoke KEY",
		Short: "Revoke an API key, given by its id or its name",
		Long: `Revoke an API key permanently. KEY is its id, or its name, the beginning of its id
or of the listed key if that is unique. On a terminal you confirm with the name;
without one --yes is required.`,
		Example: "  parley key revoke \"My game\"\n  parley key revoke pk_live_1a2b --yes",
		Args:    cli.ExactArgs("KEY"),
		RunE: func(c *cobra.Command, args []string) error {
			o.key = args[0]
			return runKeyRevoke(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	return c
}

func runKeyRevoke(ctx context.Context, o *keyRevokeOptions) error {
	if err := o.CheckMayAsk("revoking a key asks you to type its name", o.yes); err != nil {
		return err
	}
	s, err := o.Connect()
	if err != nil {
		return err
	}
	keys, err := s.Keys(ctx)
	if err != nil {
		return fmt.Errorf("find the key: %w", err)
	}
	key, err := chooseKey(keys, o.key)
	if err != nil {
		return err
	}
	if !o.yes {
		question := fmt.Sprintf("The service will refuse games that use the key %q (%s…). Type its name to continue: ",
			terminal.Clean(key.Name), terminal.Clean(key.KeyPrefix))
		if err := o.ConfirmText(ctx, question, key.Name); err != nil {
			return err
		}
	}
	if err := s.RevokeKey(ctx, key.ID); err != nil {
		return fmt.Errorf("revoke key %q: %w", key.Name, err)
	}
	o.Say("revoked: %s (%s…)", terminal.Clean(key.Name), terminal.Clean(key.KeyPrefix))
	return nil
}

// chooseKey never puts a complete key into an error.
func chooseKey(keys []wire.Key, word string) (wire.Key, error) {
	word = strings.TrimSuffix(word, "…")
	for _, fits := range []func(k wire.Key) bool{
		func(k wire.Key) bool { return k.ID == word },
		func(k wire.Key) bool { return plaintext.SameName(k.Name, word) },
		func(k wire.Key) bool {
			return len(word) >= service.MinIDLength && strings.HasPrefix(k.ID, strings.ToLower(word))
		},
		func(k wire.Key) bool { return len(word) > len("pk_live_") && strings.HasPrefix(k.KeyPrefix, word) },
	} {
		found := slices.DeleteFunc(slices.Clone(keys), func(k wire.Key) bool { return !fits(k) })
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return wire.Key{}, &cli.Failure{Code: cli.ExitNo, Err: fmt.Errorf("%d keys match %q", len(found), word),
				Hint: keysText(found)}
		}
	}
	if strings.HasPrefix(word, "pk_") {
		return wire.Key{}, cli.UsageError("give the key's id or name instead of the key itself (see `parley key list`)")
	}
	return wire.Key{}, &cli.Failure{Code: cli.ExitNo,
		Err: fmt.Errorf("none of your keys has the id or name %q", word), Hint: "see `parley key list`"}
}

func keysText(keys []wire.Key) string {
	text := "choose one by its id:"
	for _, k := range keys[:min(len(keys), service.MaxCandidates)] {
		text += fmt.Sprintf("\n    %s  %s  %s…", terminal.Clean(k.ID), terminal.Clean(k.Name), terminal.Clean(k.KeyPrefix))
	}
	return text
}
