package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type sayOptions struct {
	*service.Access
	player     service.PlayerFlags
	persona    string
	text       string
	machine    string
	session    string
	newSession bool
	stream     bool
	json       cli.JSONFlag
}

func newSayCmd(access *service.Access) *cobra.Command {
	o := &sayOptions{Access: access}
	c := &cobra.Command{
		Use:   "say PERSONA | SESSION TEXT...",
		Short: "Send one message and print the reply",
		Long: `Send one message and print the reply. The session is remembered, so the next say
continues it. The opening of a new session goes to stderr.

PERSONA is an id, a play link, or a name or its beginning. TEXT - reads the message
from stdin. SESSION continues another remembered session (` + "`parley session list`" + `) by
its id or label. --session does so for a PERSONA, and accepts any session by its
whole id. Neither becomes the last session.

--stream prints words as they arrive; with --json each piece as a line {"text":
...}, and finally the whole reply as one line of JSON.`,
		Example: `  parley say Biscuit I need to cross tonight
  parley say Biscuit "I can row" --json current_state,score
  parley say Biscuit "Tell me more" --stream
  parley say Biscuit - < letter.txt
  parley say Biscuit Hello --new --player-name Mara`,
		Args: cli.MinArgs("PERSONA or SESSION", "TEXT"),
		RunE: func(c *cobra.Command, args []string) error {
			o.persona, o.text = args[0], strings.Join(args[1:], " ")
			return runSay(c.Context(), o)
		},
	}
	o.player.AddPlayerFlags(c)
	c.Flags().StringVar(&o.machine, "machine", "", "`MACHINE` by key or id (default: the session's current one)")
	c.Flags().StringVar(&o.session, "session", "", "continue this session, by `ID` or label (default: the last session)")
	c.Flags().BoolVar(&o.newSession, "new", false, "begin a new session")
	c.Flags().BoolVar(&o.stream, "stream", false, "print the reply as it comes")
	o.json.AddFlags(c, wire.Reply{})
	return c
}

func runSay(ctx context.Context, o *sayOptions) error {
	if o.newSession && o.session != "" {
		return cli.UsageError("--new and --session are mutually exclusive")
	}
	if o.stream && (o.json.JQ != nil || o.json.Template != nil) {
		return cli.UsageError("--stream cannot be combined with --jq or --template, which need the complete reply")
	}
	if err := o.readText(); err != nil {
		return err
	}
	s, id, err := o.connect(ctx)
	if err != nil {
		return err
	}
	printer := &replyPrinter{out: o.Out, lines: o.json.On}
	reply, err := o.sendMessage(ctx, s, id, printer)
	err = errors.Join(err, printer.endLine())
	if refusal, ok := errors.AsType[*wire.Error](err); ok && refusal.Code == wire.CodeFinished {
		err = endedError{err}
	}
	if err != nil {
		return fmt.Errorf("say to %s: %w", o.persona, service.AddMachineName(o.machine, err))
	}
	if err := o.printReply(reply, printer.printed); err != nil {
		return err
	}
	o.sayOutcome(reply)
	return nil
}

func (o *sayOptions) connect(ctx context.Context) (*service.Service, string, error) {
	if o.newSession || o.session != "" {
		return o.ConnectNearPersona(ctx, o.persona)
	}
	s, id, known, err := service.ConnectNamed(ctx, o.Access, o.persona)
	o.session = known.UserSessionID
	return s, id, err
}

type endedError struct{ error }

func (e endedError) Error() string { return "the machine has ended" }

func (e endedError) Unwrap() error { return e.error }

func (o *sayOptions) printReply(reply wire.Reply, spoken bool) error {
	switch {
	case o.json.On && o.stream:
		text, err := json.Marshal(reply)
		if err == nil {
			text, err = o.json.ChooseFields(text)
		}
		if err != nil {
			return err
		}
		return cli.WriteJSONLine(o.Out, text)
	case o.json.On:
		return o.PrintJSON(o.json, reply)
	case spoken:
		return nil
	}
	_, err := fmt.Fprintln(o.Out, terminal.CleanLines(reply.Message))
	return err
}

func (o *sayOptions) sayOutcome(reply wire.Reply) {
	if !reply.MachineCompleted || reply.Outcome == nil || !o.TTY.Err {
		return
	}
	text := "ended with " + terminal.Clean(*reply.Outcome)
	if n := len(reply.Unlocked); n > 0 {
		text += ", " + cli.Pluralize(n, "machine") + " unlocked"
	}
	o.Say("%s", o.Style.Faint(text+fmt.Sprintf("; see what is open now with `parley progress show %s`",
		terminal.Clean(plaintext.ShellWord(o.persona)))))
}

func (o *sayOptions) readText() error {
	if o.text != "-" {
		return nil
	}
	text, err := o.ReadInput("the message", wire.MaxSaveBody)
	if err != nil {
		return err
	}
	o.text = strings.TrimRight(text, "\r\n")
	switch {
	case strings.TrimSpace(o.text) == "":
		return cli.UsageError("stdin is empty: expected a message")
	case !utf8.ValidString(o.text):
		return cli.UsageError("stdin is not UTF-8 text")
	}
	return nil
}

type replyPrinter struct {
	out     io.Writer
	lines   bool
	clean   terminal.Cleaner
	printed bool
}

func (v *replyPrinter) printPiece(text string) error {
	if v.lines {
		line, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			return err
		}
		return cli.WriteJSONLine(v.out, line)
	}
	v.printed = true
	_, err := io.WriteString(v.out, v.clean.Add(text))
	return err
}

func (v *replyPrinter) endLine() error {
	if !v.printed {
		return nil
	}
	_, err := fmt.Fprintln(v.out, v.clean.End())
	return err
}

func (o *sayOptions) sendMessage(ctx context.Context, s *service.Service, id string,
	printer *replyPrinter) (wire.Reply, error) {
	known, ok, err := service.RecallSession(s, id, o.session)
	if err != nil {
		return wire.Reply{}, err
	}
	if ok && !o.newSession {
		known.MachineID = cmp.Or(o.machine, known.MachineID)
		reply, err := o.sendTo(ctx, s, id, known.MachineID, known, printer)
		if err == nil {
			o.rememberSession(s, known)
		}
		if wire.ErrorStatus(err) != http.StatusNotFound {
			return reply, err
		}
	}
	known, err = o.openSession(ctx, s, id, known)
	if err != nil {
		return wire.Reply{}, err
	}
	return o.sendTo(ctx, s, id, known.MachineID, known, printer)
}

func (o *sayOptions) rememberSession(s *service.Service, known settings.Session) {
	if o.session != "" {
		return
	}
	known.UsedAt = o.Now().UTC()
	known.Place, known.LastWords, known.Outcome = "", "", "" // of an earlier turn
	if err := s.Sessions.Remember(s.Address, known); err != nil {
		o.Warn("this session will not be remembered: %s", terminal.Clean(err.Error()))
	}
}

func (o *sayOptions) sendTo(ctx context.Context, s *service.Service, id, machine string, session settings.Session,
	printer *replyPrinter) (wire.Reply, error) {
	body := wire.Message{Message: o.text, UserSessionID: session.UserSessionID}
	ctx = wire.WithWaitNotice(ctx, o.sayWait)
	if o.stream {
		return s.StreamMessage(ctx, id, machine, body, printer.printPiece)
	}
	return s.SendMessage(ctx, id, machine, body)
}

func (o *sayOptions) sayWait(n wire.WaitNotice) {
	o.Say("%s", o.Style.Faint(fmt.Sprintf("%s; next attempt in %s (Ctrl-C cancels)", n.Sentence(),
		max(n.Wait(), time.Second).Round(time.Second))))
}

func (o *sayOptions) openSession(ctx context.Context, s *service.Service, id string,
	known settings.Session) (settings.Session, error) {
	player, err := o.player.ResolvePlayer(o.Environment, known)
	if err != nil {
		return known, err
	}
	if o.newSession || player.UserSessionID == "" {
		player.UserSessionID, player.Label = o.NewID(), ""
	}
	opening, err := s.InitSession(wire.WithWaitNotice(ctx, o.sayWait), id, o.machine, wire.InitSession{
		UserSessionID: player.UserSessionID, PlayerName: player.PlayerName, PlayerGender: player.PlayerGender,
	})
	if err != nil {
		return known, err
	}
	player.PersonaID, player.PersonaName = id, opening.PersonaName
	player.MachineID = opening.MachineID
	o.Say("%s", o.Style.Faint(terminal.CleanLines(opening.Message)))
	o.rememberSession(s, player)
	return player, nil
}
