package session

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

type changeOptions struct {
	service.SessionOptions
	machine string
	label   string
	yes     bool
	keep    bool
	json    cli.JSONFlag
}

func newSessionResetCmd(access *service.Access) *cobra.Command {
	o := &changeOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "reset SESSION | PERSONA",
		Short: "Restart a session and clear its history",
		Long: `Restart a session: messages are cleared, each started machine returns to its initial
state, and the opening is printed. --machine restarts only one. Completed and
unlocked machines stay: ` + "`parley progress reset`" + ` clears them too.`,
		Example: "  parley session reset Biscuit\n  parley session reset Biscuit --machine the-book --yes",
	}, func(ctx context.Context, _ string) error { return runSessionReset(ctx, o) })
	c.Flags().StringVar(&o.machine, "machine", "", "reset only this `MACHINE`, by key or id")
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	o.json.AddFlags(c, wire.ResetDone{})
	return c
}

func runSessionReset(ctx context.Context, o *changeOptions) error {
	if err := o.CheckMayAsk("resetting needs an answer", o.yes); err != nil {
		return err
	}
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	if err := o.ConfirmYes(ctx, "This clears the messages of "+service.DescribeSession(known), o.yes); err != nil {
		return err
	}
	done, err := s.ResetSession(ctx, known.PersonaID, known.UserSessionID, o.machine)
	if err != nil {
		return fmt.Errorf("reset %s: %w", service.DescribeSession(known), service.AddMachineName(o.machine, err))
	}
	if o.json.On {
		return o.PrintJSON(o.json, done)
	}
	_, err = fmt.Fprintln(o.Out, terminal.CleanLines(done.Message))
	return err
}

func newSessionDeleteCmd(access *service.Access) *cobra.Command {
	o := &changeOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "delete SESSION | PERSONA",
		Short: "Delete a session, here and on the service",
		Long: `Delete a session, on the service and on this machine. --keep removes it only from
the list of this machine.`,
		Example: "  parley session delete Biscuit\n  parley session delete 01936f6e --keep --yes",
	}, func(ctx context.Context, _ string) error { return runSessionDelete(ctx, o) })
	c.Flags().BoolVar(&o.keep, "keep", false, "forget the session only on this machine")
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	return c
}

func runSessionDelete(ctx context.Context, o *changeOptions) error {
	if err := o.CheckMayAsk("deleting needs an answer", o.yes); err != nil {
		return err
	}
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	question := "This deletes " + service.DescribeSession(known) + " permanently, with all progress in it"
	if o.keep {
		question = "This takes " + service.DescribeSession(known) + " off the list of this machine"
	}
	if err := o.ConfirmYes(ctx, question, o.yes); err != nil {
		return err
	}
	if !o.keep {
		_, err := s.ResetProgress(ctx, known.PersonaID, known.UserSessionID)
		if err != nil && wire.ErrorStatus(err) != http.StatusNotFound {
			return fmt.Errorf("delete %s: %w", service.DescribeSession(known), err)
		}
	}
	if err := s.Sessions.ForgetOne(s.Address, known.PersonaID, known.UserSessionID); err != nil {
		return cli.WrapTrouble(err, "")
	}
	o.Say("deleted: %s", service.DescribeSession(known))
	return nil
}

func newSessionRenameCmd(access *service.Access) *cobra.Command {
	o := &changeOptions{SessionOptions: service.SessionOptions{Access: access}}
	return &cobra.Command{
		Use:   "rename SESSION | PERSONA LABEL",
		Short: "Give a session a label that commands accept",
		Long: `Give a remembered session a label. Commands accept it as a name, and the chat lists
it. An empty LABEL removes it. The service does not know labels.

` + service.SessionNames,
		Example: "  parley session rename Biscuit \"the polite one\"\n  parley session history \"the polite one\"",
		Args:    cli.ExactArgs("SESSION or PERSONA", "LABEL"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Named, o.label = args[0], args[1]
			return runSessionRename(c.Context(), o)
		},
	}
}

func runSessionRename(ctx context.Context, o *changeOptions) error {
	label := strings.TrimSpace(terminal.Clean(o.label))
	if n := len([]rune(label)); n > conversation.MaxLabel {
		return cli.UsageError("the label has %d characters, at most %d are allowed", n, conversation.MaxLabel)
	}
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	if err := s.Sessions.Rename(s.Address, known.PersonaID, known.UserSessionID, label); err != nil {
		return cli.WrapTrouble(err, "")
	}
	if label == "" {
		o.Say("the label of %s was removed", service.DescribeSession(known))
		return nil
	}
	o.Say("%s is now called %q", service.DescribeSession(known), label)
	return nil
}
