package cmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

func newProgressCmd(a *app) *cobra.Command {
	return newGroupCmd("progress", "Show, reset and migrate a player's progress",
		newProgressShowCmd(a, runProgressShow),
		newProgressResetCmd(a, runProgressReset),
		newMigrateCmd(a, runMigrate),
	)
}

type progressOptions struct {
	sessionOptions
	yes  bool
	json jsonFlag
}

func newProgressShowCmd(a *app, run func(context.Context, *progressOptions) error) *cobra.Command {
	o := &progressOptions{sessionOptions: sessionOptions{app: a}}
	c := &cobra.Command{
		Use:   "show PERSONA | SESSION",
		Short: "Show what a player has completed and unlocked",
		Long: `Show where a player stands with a persona: on a terminal a picture of its machines,
which are won, lost, under way, open or locked, and what unlocks them; elsewhere the
same as lines of text.

` + sessionNames,
		Example: "  parley progress show Biscuit\n  parley progress show Biscuit --json=total_score,route_path",
		Args:    exactly("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.named = args[0]
			return run(c.Context(), o)
		},
	}
	o.add(c)
	o.json.add(c, wire.Progress{})
	return c
}

func runProgressShow(ctx context.Context, o *progressOptions) error {
	s, known, err := o.locate(ctx)
	if err != nil {
		return err
	}
	p, err := s.Progress(ctx, known.PersonaID, known.UserSessionID)
	if err != nil {
		return fmt.Errorf("progress in %s: %w", called(known), err)
	}
	switch {
	case o.json.on:
		return o.printJSON(o.json, p)
	case o.tty.out:
		return o.picture(ctx, s, known, p)
	}
	_, err = fmt.Fprint(o.out, terminal.CleanLines(progressText(p)))
	return err
}

// progressText is a player's progress in words.
func progressText(p wire.Progress) string {
	var b strings.Builder
	fmt.Fprintf(&b, "score %d, relationship %d\n", p.TotalScore, p.RelationshipLevel)
	for i, m := range p.CompletedMachines {
		heading(&b, i, "completed")
		fmt.Fprintf(&b, "  %s: %s with a score of %d, %s\n", m.Name, m.Outcome, m.Score, m.CompletedAt.Format("2006-01-02 15:04"))
	}
	for i, m := range p.AvailableMachines {
		heading(&b, i, "can be played")
		fmt.Fprintf(&b, "  %s%s\n", m.Name, availableMarks(p, m))
	}
	for i, step := range p.RoutePath {
		heading(&b, i, "route")
		fmt.Fprintf(&b, "  %s  %s\n", step.EnteredAt.Format("2006-01-02 15:04"), step.Name)
	}
	for i, name := range slices.Sorted(maps.Keys(p.CrossMachineVars)) {
		heading(&b, i, "carried along")
		fmt.Fprintf(&b, "  %s: %s\n", name, p.CrossMachineVars[name])
	}
	return b.String()
}

func heading(b *strings.Builder, i int, text string) {
	if i == 0 {
		fmt.Fprintf(b, "\n%s\n", text)
	}
}

func availableMarks(p wire.Progress, m wire.AvailableMachine) string {
	switch {
	case p.CurrentMachineID != nil && *p.CurrentMachineID == m.MachineID:
		return " (you are here)"
	case m.SessionOutcome != nil:
		return " (ended with " + *m.SessionOutcome + ")"
	case m.HasSession:
		return " (begun)"
	}
	return ""
}

func newProgressResetCmd(a *app, run func(context.Context, *progressOptions) error) *cobra.Command {
	o := &progressOptions{sessionOptions: sessionOptions{app: a}}
	c := &cobra.Command{
		Use:   "reset PERSONA | SESSION",
		Short: "Forget everything a player did with a persona",
		Long: `Forget everything a player did with a persona: what was said, completed, unlocked and
carried along. To clear only what was said, see ` + "`parley session reset`" + `.

` + sessionNames,
		Example: "  parley progress reset Biscuit\n  parley progress reset Biscuit --yes",
		Args:    exactly("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			o.named = args[0]
			return run(c.Context(), o)
		},
	}
	o.add(c)
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	o.json.add(c, wire.ProgressReset{})
	return c
}

func runProgressReset(ctx context.Context, o *progressOptions) error {
	if err := o.mayAsk("resetting asks first", o.yes); err != nil {
		return err
	}
	s, known, err := o.locate(ctx)
	if err != nil {
		return err
	}
	if err := o.sure(ctx, "This forgets all that was played in "+called(known), o.yes); err != nil {
		return err
	}
	done, err := s.ResetProgress(ctx, known.PersonaID, known.UserSessionID)
	if err != nil {
		return fmt.Errorf("reset progress in %s: %w", called(known), err)
	}
	if o.json.on {
		return o.printJSON(o.json, done)
	}
	o.say("reset: %s deleted", count(done.DeletedSessions, "session"))
	return nil
}

func newMigrateCmd(a *app, run func(context.Context, *progressOptions) error) *cobra.Command {
	o := &progressOptions{sessionOptions: sessionOptions{app: a}}
	c := &cobra.Command{
		Use:   "migrate [PERSONA]",
		Short: "Take what was played without signing in into your account",
		Long: `Take what was played without signing in into the account that is signed in now: what
was said, the scores and what is unlocked, with every persona of that session. The
session is named with --session, or it is the one remembered for PERSONA. The service
does it at once and cannot be asked what it would do.`,
		Example: "  parley progress migrate Biscuit\n  parley progress migrate --session 01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11",
		Args:    atMost("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.named = args[0]
			}
			return run(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.session, "session", "", "the session `ID` to take over")
	o.json.add(c, wire.Migrated{})
	return c
}

func runMigrate(ctx context.Context, o *progressOptions) error {
	s, session, err := o.migrating(ctx)
	if err != nil {
		return err
	}
	done, err := s.MigrateProgress(ctx, wire.Migrate{OldSessionID: session})
	if err != nil {
		return fmt.Errorf("migrate progress: %w", err)
	}
	if o.json.on {
		return o.printJSON(o.json, done)
	}
	o.say("migrated: %s with %s", count(done.MigratedSessions, "session"), count(len(done.Personas), "persona"))
	return nil
}

func (o *progressOptions) migrating(ctx context.Context) (*service, string, error) {
	switch {
	case o.named != "":
		s, known, err := o.locate(ctx)
		return s, known.UserSessionID, err
	case o.session == "":
		return nil, "", usage("nothing to migrate was named: give a PERSONA or --session")
	}
	s, err := o.connect()
	return s, o.session, err
}
