package session

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

// A Replayer replays conversations with the persona of a file.
type Replayer func(
	ctx context.Context, access *service.Access, file string, llm service.LLMFlags, all []playtest.Conversation,
) ([]playtest.Track, error)

type sessionReplayOptions struct {
	service.SessionOptions
	against string
	play    Replayer
	llm     service.LLMFlags
	json    cli.JSONFlag
}

// A ReplayedSession is the output of `parley session replay --json`.
type ReplayedSession struct {
	Turns []ReplayedTurn `json:"turns"`
	// Different is the number of turns that differ.
	Different int `json:"different"`
}

// A ReplayedTurn is a message of the player. After is null once the conversation has diverged.
type ReplayedTurn struct {
	Machine string           `json:"machine_key"`
	Turn    int              `json:"turn"` // in the machine, from 1
	Message string           `json:"message"`
	Before  playtest.Effect  `json:"before"`
	After   *playtest.Effect `json:"after"`
	Same    bool             `json:"same"`
}

func newSessionReplayCmd(access *service.Access, play Replayer) *cobra.Command {
	o := &sessionReplayOptions{SessionOptions: service.SessionOptions{Access: access}, play: play}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "replay SESSION | PERSONA",
		Short: "Play a session again with an edited persona file",
		Long: `Play the player's messages again with --against FILE, and show turn by turn what each did
and does now. The built-in model judges unless --llm-eval names another. Nothing is
changed. The exit code is 1 if a turn differs.`,
		Example: "  parley session replay Biscuit --against cat.yaml",
	}, func(ctx context.Context, _ string) error { return runSessionReplay(ctx, o) })
	c.Flags().StringVar(&o.against, "against", "", "the edited persona `FILE`")
	o.json.AddFlags(c, ReplayedSession{})
	o.llm.AddFlags(c)
	return c
}

func runSessionReplay(ctx context.Context, o *sessionReplayOptions) error {
	if o.against == "" {
		return cli.UsageError("--against is missing: give the edited persona file")
	}
	r, err := readRecord(ctx, &o.SessionOptions)
	if err != nil {
		return err
	}
	all := make([]playtest.Conversation, len(r.Chapters))
	for i := range r.Chapters {
		ch := &r.Chapters[i]
		all[i] = playtest.FromHistory("", ch.MachineKey, cli.ValueOr(ch.Outcome, ""), ch.Messages)
	}
	tracks, err := o.play(ctx, o.Access, o.against, o.llm, all)
	if err != nil {
		return err
	}
	replayed := compareTracks(all, tracks)
	if o.json.On {
		err = o.PrintJSON(o.json, replayed)
	} else {
		err = writeReplayed(o.Out, replayed)
	}
	if err == nil && replayed.Different > 0 {
		err = cli.AnswerNo("%d of %s have a different result", replayed.Different, cli.Pluralize(len(replayed.Turns), "turn"))
	}
	return err
}

func compareTracks(all []playtest.Conversation, tracks []playtest.Track) *ReplayedSession {
	replayed := &ReplayedSession{Turns: []ReplayedTurn{}}
	for i := range all {
		for j, turn := range all[i].Turns {
			now := ReplayedTurn{Machine: all[i].Machine, Turn: j + 1, Message: turn.Message, Before: turn.Effect}
			if j < len(tracks[i].Effects) {
				now.After = &tracks[i].Effects[j]
				now.Same = *now.After == now.Before
			}
			if !now.Same {
				replayed.Different++
			}
			replayed.Turns = append(replayed.Turns, now)
		}
	}
	return replayed
}

func writeReplayed(w io.Writer, p *ReplayedSession) error {
	var b strings.Builder
	for i := range p.Turns {
		t := &p.Turns[i]
		if i == 0 || p.Turns[i-1].Machine != t.Machine {
			fmt.Fprintf(&b, "== %s ==\n", t.Machine)
		}
		fmt.Fprintf(&b, "%3d  %s\n     %s", t.Turn, t.Message, describeEffect(&t.Before))
		switch {
		case t.Same:
		case t.After == nil:
			b.WriteString("; not played: the conversation went another way")
		default:
			b.WriteString(", now " + describeEffect(t.After))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, terminal.CleanLines(b.String()))
	return err
}

func describeEffect(s *playtest.Effect) string {
	text := fmt.Sprintf("%s, %s, score %d", s.Decision, s.State, s.Score)
	if s.Outcome != "" {
		text += ", " + s.Outcome
	}
	return text
}
