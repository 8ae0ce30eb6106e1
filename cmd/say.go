package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
)

type sayOptions struct {
	*app
	player  playerFlags
	persona string
	text    string
	machine string
	fresh   bool
	json    jsonFlag
}

func newSayCmd(a *app, run func(context.Context, *sayOptions) error) *cobra.Command {
	o := &sayOptions{app: a}
	c := &cobra.Command{
		Use:   "say PERSONA TEXT...",
		Short: "Send one message and print the reply",
		Long: `Send one message and print the reply. The session with a persona is remembered, so
the next say goes on where this one ended; the opening line of a session that has
just begun is printed to stderr.`,
		Example: "  parley say Biscuit I need to cross tonight\n  parley say Biscuit \"I can row\" --json=current_state,score",
		Args:    atLeast("PERSONA", "TEXT"),
		RunE: func(c *cobra.Command, args []string) error {
			o.persona, o.text = args[0], strings.Join(args[1:], " ")
			return run(c.Context(), o)
		},
	}
	o.player.add(c)
	c.Flags().StringVar(&o.machine, "machine", "", "`MACHINE` by key or id (default: where the session is)")
	c.Flags().BoolVar(&o.fresh, "new", false, "begin a new session")
	o.json.add(c)
	return c
}

func runSay(ctx context.Context, o *sayOptions) error {
	s, id, err := o.reach(ctx, o.persona)
	if err != nil {
		return err
	}
	reply, err := o.send(ctx, s, id)
	if err != nil {
		return fmt.Errorf("say to %s: %w", o.persona, namingMachine(o.machine, err))
	}
	if o.json.on {
		return o.printJSON(o.json, reply)
	}
	_, err = fmt.Fprintln(o.out, tui.CleanLines(reply.Message))
	return err
}

// send sends to the session that is remembered, or opens one: when there is
// none, when the service has it no more, or when it is asked for.
func (o *sayOptions) send(ctx context.Context, s *service, id string) (wire.Reply, error) {
	known, ok, err := s.sessions.Recall(s.address, id)
	if err != nil {
		return wire.Reply{}, err
	}
	if ok && !o.fresh {
		reply, err := s.SendMessage(ctx, id, o.target(known), wire.Message{Message: o.text, UserSessionID: known.UserSessionID})
		if !isMissing(err) {
			return reply, err
		}
	}
	known, err = o.open(ctx, s, id, known)
	if err != nil {
		return wire.Reply{}, err
	}
	return s.SendMessage(ctx, id, known.MachineID, wire.Message{Message: o.text, UserSessionID: known.UserSessionID})
}

func (o *sayOptions) target(known config.Session) string {
	if o.machine != "" {
		return o.machine
	}
	return known.MachineID
}

func isMissing(err error) bool {
	var refusal *wire.Error
	return errors.As(err, &refusal) && refusal.Status == http.StatusNotFound
}

// open begins a session; a player keeps the id under which progress is kept
// unless a new session was asked for.
func (o *sayOptions) open(ctx context.Context, s *service, id string, known config.Session) (config.Session, error) {
	player, err := o.player.resolve(o.app, known)
	if err != nil {
		return known, err
	}
	if o.fresh || player.UserSessionID == "" {
		player.UserSessionID = o.newID()
	}
	opening, err := s.InitSession(ctx, id, o.machine, wire.InitSession{
		UserSessionID: player.UserSessionID, PlayerName: player.PlayerName, PlayerGender: player.PlayerGender,
	})
	if err != nil {
		return known, err
	}
	player.PersonaID, player.PersonaName = id, opening.PersonaName
	player.MachineID, player.UsedAt = opening.MachineID, o.now().UTC()
	fmt.Fprintln(o.err, o.style.faint(tui.CleanLines(opening.Message)))
	return player, s.sessions.Remember(s.address, player)
}
