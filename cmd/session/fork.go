package session

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type forkOptions struct {
	service.SessionOptions
	at      int
	label   string
	machine string
	json    cli.JSONFlag
}

// A ForkedSession is the output of `parley session fork --json`.
type ForkedSession struct {
	UserSessionID string `json:"user_session_id"`
	MachineKey    string `json:"machine_key"`
	CurrentState  string `json:"current_state"`
	Score         int    `json:"score"`
	// Turn is the number of the player's messages at the start of the branch.
	Turn int `json:"turn"`
	// Parent is the user_session_id of the forked session.
	Parent *string `json:"parent"`
}

// An UndoneSession is the output of `parley session undo --json`.
type UndoneSession struct {
	ForkedSession
	TakenBack []string `json:"taken_back"`
}

func toForkedSession(b wire.Branch) ForkedSession {
	return ForkedSession{b.UserSessionID, b.MachineKey, b.CurrentState, b.Score, b.Turn, b.Parent}
}

func newSessionForkCmd(access *service.Access) *cobra.Command {
	o := &forkOptions{SessionOptions: service.SessionOptions{Access: access}}
	var c *cobra.Command
	c = newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "fork SESSION | PERSONA --at N",
		Short: "Branch a session after one of its messages",
		Long: `Make a new session with the past that a session had after N of the player's messages,
and print its id. 0 is after the opening. The session stays as it is, and the next say
and chat go on with it. Go on in the branch with ` + "`parley say PERSONA --session ID`" + `,
or with its label in place of the persona.`,
		Example: `  parley session fork Biscuit --at 2
  parley session fork Biscuit --at 0 --name "the rude one"
  parley say "the rude one" "Stupid cat"`,
	}, func(ctx context.Context, _ string) error {
		if !c.Flags().Changed("at") {
			return cli.UsageError("--at is missing: give the number of the player's message after which the branch begins")
		}
		return runSessionFork(ctx, o)
	})
	c.Flags().IntVar(&o.at, "at", 0, "branch after `N` of the player's messages")
	c.Flags().StringVar(&o.label, "name", "", "the branch's `LABEL`")
	c.Flags().StringVar(&o.machine, "machine", "",
		"count the messages of this `MACHINE`, by key or id (default: the current one)")
	o.json.AddFlags(c, ForkedSession{})
	return c
}

func runSessionFork(ctx context.Context, o *forkOptions) error {
	if o.at < 0 {
		return cli.UsageError("--at %d: must be 0 or more", o.at)
	}
	label := strings.TrimSpace(terminal.Clean(o.label))
	if n := len([]rune(label)); n > wire.MaxBranchName {
		return cli.UsageError("the label has %d characters, at most %d are allowed", n, wire.MaxBranchName)
	}
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	body := wire.Fork{UserSessionID: known.UserSessionID, At: o.at, Name: label}
	branch, err := s.Fork(ctx, known.PersonaID, cmp.Or(o.machine, known.MachineID), body)
	if err != nil {
		return explainBranching("fork", known, o.machine, err)
	}
	if err := s.Sessions.Add(s.Address, o.branchOf(known, branch)); err != nil {
		return notRemembered(branch, err)
	}
	if o.json.On {
		return o.PrintJSON(o.json, toForkedSession(branch))
	}
	o.Say("branched from %s after %s", service.DescribeSession(known), cli.Pluralize(branch.Turn, "message"))
	_, err = fmt.Fprintln(o.Out, terminal.Clean(branch.UserSessionID))
	return err
}

func (o *forkOptions) branchOf(known settings.Session, b wire.Branch) settings.Session {
	return settings.Session{
		PersonaID: known.PersonaID, PersonaName: known.PersonaName, UserSessionID: b.UserSessionID,
		PlayerName: known.PlayerName, PlayerGender: known.PlayerGender, MachineID: b.MachineID,
		Label: b.Label, UsedAt: o.Now().UTC(),
	}
}

func notRemembered(b wire.Branch, err error) error {
	id := terminal.Clean(b.UserSessionID)
	return cli.WrapTrouble(fmt.Errorf("the branch %s was created, but this machine could not store it: %w", id, err), "")
}

func explainBranching(action string, known settings.Session, machine string, err error) error {
	if service.IsUnsupported(err) {
		return err
	}
	return fmt.Errorf("%s %s: %w", action, service.DescribeSession(known), service.AddMachineName(machine, err))
}

func newSessionUndoCmd(access *service.Access) *cobra.Command {
	o := &forkOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "undo SESSION | PERSONA [N]",
		Short: "Take the player's last messages back",
		Long: `Take the last N messages of the player back (default 1), and print them. The next say
and chat go on in a branch that ends just before them and takes the label of the session.
The session itself stays on the service: ` + "`parley session branches`" + ` lists it.`,
		Example: "  parley session undo Biscuit\n  parley session undo Biscuit 3 --json taken_back",
	}, func(ctx context.Context, count string) error {
		n, err := strconv.Atoi(cmp.Or(count, "1"))
		if err != nil || n < 1 {
			return cli.UsageError("%q is not a number of messages: write 1, 2 and so on", count)
		}
		return runSessionUndo(ctx, o, n)
	})
	c.Flags().StringVar(&o.machine, "machine", "",
		"take back messages of this `MACHINE`, by key or id (default: the current one)")
	o.json.AddFlags(c, UndoneSession{})
	return c
}

func runSessionUndo(ctx context.Context, o *forkOptions, count int) error {
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	machine := cmp.Or(o.machine, known.MachineID)
	messages, err := readMessages(ctx, s, known, machine)
	if err != nil {
		return explainBranching("read", known, o.machine, err)
	}
	if count > len(messages) {
		return cli.AnswerNo("%s has only %s by the player in this machine",
			service.DescribeSession(known), cli.Pluralize(len(messages), "message"))
	}
	at := len(messages) - count
	body := wire.Fork{UserSessionID: known.UserSessionID, At: at, Name: known.Label}
	branch, err := s.Fork(ctx, known.PersonaID, machine, body)
	if err != nil {
		return explainBranching("undo", known, o.machine, err)
	}
	next := o.branchOf(known, branch)
	next.Label, next.Draft = known.Label, known.Draft
	if err := s.Sessions.Remember(s.Address, next); err != nil {
		return notRemembered(branch, err)
	}
	if err := s.Sessions.ForgetOne(s.Address, known.PersonaID, known.UserSessionID); err != nil {
		return cli.WrapTrouble(err, "")
	}
	if o.json.On {
		return o.PrintJSON(o.json, UndoneSession{toForkedSession(branch), messages[at:]})
	}
	o.Say("taken back: %s continues after %s", service.DescribeSession(next), cli.Pluralize(branch.Turn, "message"))
	_, err = io.WriteString(o.Out, terminal.CleanLines(strings.Join(messages[at:], "\n")+"\n"))
	return err
}

func readMessages(ctx context.Context, s *service.Service, known settings.Session, machine string) ([]string, error) {
	history, err := s.History(ctx, known.PersonaID, known.UserSessionID, machine)
	var messages []string
	for i := range history.Messages {
		if history.Messages[i].Role == wire.RoleUser {
			messages = append(messages, history.Messages[i].Content)
		}
	}
	return messages, err
}
