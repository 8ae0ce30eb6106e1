package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	stream  bool
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
		Example: "  parley say Biscuit I need to cross tonight\n  parley say Biscuit \"I can row\" --json=current_state,score\n  parley say Biscuit \"Tell me more\" --stream",
		Args:    atLeast("PERSONA", "TEXT"),
		RunE: func(c *cobra.Command, args []string) error {
			o.persona, o.text = args[0], strings.Join(args[1:], " ")
			return run(c.Context(), o)
		},
	}
	o.player.add(c)
	c.Flags().StringVar(&o.machine, "machine", "", "`MACHINE` by key or id (default: where the session is)")
	c.Flags().BoolVar(&o.fresh, "new", false, "begin a new session")
	c.Flags().BoolVar(&o.stream, "stream", false, "print the reply as it comes")
	o.json.add(c, wire.Reply{})
	return c
}

func runSay(ctx context.Context, o *sayOptions) error {
	if o.stream && o.json.on {
		return usage("--stream prints the words as they come, --json the whole reply: give one of them")
	}
	s, id, err := o.reach(ctx, o.persona)
	if err != nil {
		return err
	}
	voice := &voice{out: o.out}
	reply, err := o.send(ctx, s, id, voice)
	err = errors.Join(err, voice.end())
	switch {
	case err != nil:
		return fmt.Errorf("say to %s: %w", o.persona, namingMachine(o.machine, err))
	case o.json.on:
		return o.printJSON(o.json, reply)
	case voice.spoke:
		return nil
	}
	_, err = fmt.Fprintln(o.out, tui.CleanLines(reply.Message))
	return err
}

// voice prints a reply as it comes.
type voice struct {
	out   io.Writer
	clean tui.Cleaner
	spoke bool
}

func (v *voice) say(text string) error {
	v.spoke = true
	_, err := io.WriteString(v.out, v.clean.Add(text))
	return err
}

// end ends the line on which the last words stand, also where they broke off.
func (v *voice) end() error {
	if !v.spoke {
		return nil
	}
	_, err := fmt.Fprintln(v.out, v.clean.End())
	return err
}

// send sends to the session that is remembered, or opens one: when there is
// none, when the service has it no more, or when it is asked for.
func (o *sayOptions) send(ctx context.Context, s *service, id string, v *voice) (wire.Reply, error) {
	known, ok, err := s.sessions.Recall(s.address, id)
	if err != nil {
		return wire.Reply{}, err
	}
	if ok && !o.fresh {
		reply, err := o.tell(ctx, s, id, o.target(known), known, v)
		if !isMissing(err) {
			return reply, err
		}
	}
	known, err = o.open(ctx, s, id, known)
	if err != nil {
		return wire.Reply{}, err
	}
	return o.tell(ctx, s, id, known.MachineID, known, v)
}

func (o *sayOptions) tell(ctx context.Context, s *service, id, machine string, to config.Session, v *voice) (wire.Reply, error) {
	body := wire.Message{Message: o.text, UserSessionID: to.UserSessionID}
	if o.stream {
		return s.StreamMessage(ctx, id, machine, body, v.say)
	}
	return s.SendMessage(ctx, id, machine, body)
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
	if err := s.sessions.Remember(s.address, player); err != nil {
		o.warn("this session will not be remembered: %s", tui.Clean(err.Error()))
	}
	return player, nil
}
