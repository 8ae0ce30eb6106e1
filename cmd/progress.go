package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
)

func newProgressCmd(access *service.Access) *cobra.Command {
	return cli.NewGroupCmd("progress", "Show, reset and migrate a player's progress",
		newProgressShowCmd(access),
		newProgressResetCmd(access),
		newMigrateCmd(access),
	)
}

type progressOptions struct {
	service.SessionOptions
	yes  bool
	json cli.JSONFlag
}

func newProgressShowCmd(access *service.Access) *cobra.Command {
	o := &progressOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := &cobra.Command{
		Use:   "show PERSONA | SESSION",
		Short: "Show what a player has completed and unlocked",
		Long: `Show a player's progress with a persona: the machines, which are won, lost, under
way, open or locked, and what unlocks them.

score is the sum over completed machines. relationship covers everything played,
finished or not: all scores, plus 1 for each ACCEPT, minus 1 for each REJECT, minus
2 for each KICK_OUT.

` + service.SessionNames,
		Example: "  parley progress show Biscuit\n  parley progress show Biscuit --json total_score,route_path",
		Args:    cli.ExactArgs("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Named = args[0]
			return runProgressShow(c.Context(), o)
		},
	}
	o.AddSessionFlag(c)
	o.json.AddFlags(c, wire.Progress{})
	return c
}

func runProgressShow(ctx context.Context, o *progressOptions) error {
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	p, err := s.Progress(ctx, known.PersonaID, known.UserSessionID)
	if err != nil {
		return fmt.Errorf("read progress in %s: %w", service.DescribeSession(known), err)
	}
	if o.json.On {
		return o.PrintJSON(o.json, p)
	}
	return o.drawProgress(ctx, s, known, p)
}

func newProgressResetCmd(access *service.Access) *cobra.Command {
	o := &progressOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := &cobra.Command{
		Use:   "reset PERSONA | SESSION",
		Short: "Delete everything a player did with a persona",
		Long: `Delete everything a player did with a persona: messages, completed and unlocked
machines, and carried values. To clear only the messages, use
` + "`parley session reset`" + `.

` + service.SessionNames,
		Example: "  parley progress reset Biscuit\n  parley progress reset Biscuit --yes",
		Args:    cli.ExactArgs("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Named = args[0]
			return runProgressReset(c.Context(), o)
		},
	}
	o.AddSessionFlag(c)
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	o.json.AddFlags(c, wire.ProgressReset{})
	return c
}

func runProgressReset(ctx context.Context, o *progressOptions) error {
	if err := o.CheckMayAsk("resetting needs an answer", o.yes); err != nil {
		return err
	}
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	action := "This deletes everything that was played in " + service.DescribeSession(known)
	if err := o.ConfirmYes(ctx, action, o.yes); err != nil {
		return err
	}
	done, err := s.ResetProgress(ctx, known.PersonaID, known.UserSessionID)
	if err != nil {
		return fmt.Errorf("reset progress in %s: %w", service.DescribeSession(known), err)
	}
	if o.json.On {
		return o.PrintJSON(o.json, done)
	}
	o.Say("reset: %s deleted", cli.Pluralize(done.DeletedSessions, "session"))
	return nil
}

func newMigrateCmd(access *service.Access) *cobra.Command {
	o := &progressOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := &cobra.Command{
		Use:   "migrate [PERSONA]",
		Short: "Move to your account a session played without sign-in",
		Long: `Move a session that was played without sign-in to your account: messages, scores and
unlocked machines, with every persona of that session. --session names it; the
default is the session remembered for PERSONA. This cannot be tried out first.`,
		Example: "  parley progress migrate Biscuit\n  parley progress migrate --session 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11",
		Args:    cli.OptionalArg,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Named = args[0]
			}
			return runMigrate(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.Session, "session", "", "`ID` of the session to migrate")
	o.json.AddFlags(c, wire.Migrated{})
	return c
}

func runMigrate(ctx context.Context, o *progressOptions) error {
	s, session, err := o.findOldSession(ctx)
	if err != nil {
		return err
	}
	done, err := s.MigrateProgress(ctx, wire.Migrate{OldSessionID: session})
	if err != nil {
		return fmt.Errorf("migrate progress: %w", err)
	}
	if o.json.On {
		return o.PrintJSON(o.json, done)
	}
	o.Say("moved %s with %s to your account", cli.Pluralize(done.MigratedSessions, "session"),
		cli.Pluralize(len(done.Personas), "persona"))
	return nil
}

func (o *progressOptions) findOldSession(ctx context.Context) (*service.Service, string, error) {
	switch {
	case o.Named != "":
		s, known, err := o.FindSession(ctx)
		return s, known.UserSessionID, err
	case o.Session == "":
		return nil, "", cli.UsageError("give a PERSONA or --session to migrate")
	}
	s, err := o.Connect()
	return s, o.Session, err
}
