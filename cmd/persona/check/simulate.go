package check

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

type simulateOptions struct {
	*cli.Streams
	file     string
	plays    int
	seed     uint64
	weights  map[string]int
	turns    int
	machines int
	json     cli.JSONFlag
}

const simulateLong = `Let random players play a persona by its rules alone, without a server or model. The
result shows how often each ending came and how long it took, scores, opened links,
and rarely visited states.

Each player begins with the primary machine and follows automatic links, else
chooses any open new machine, until none is left. In each turn the player takes one
of the state's decisions, equally likely or by --weight. The same file, options and
seed give the same result.`

func NewSimulateCmd(streams *cli.Streams) *cobra.Command {
	o := &simulateOptions{Streams: streams}
	c := &cobra.Command{
		Use:   "simulate FILE",
		Short: "Play a persona with thousands of random players",
		Long:  simulateLong,
		Example: "  parley persona simulate hotel.yaml\n" +
			"  parley persona simulate hotel.yaml -n 50000 --seed 7 --weight pass=3,reject=1\n" +
			"  parley persona simulate hotel.yaml --json machines",
		Args: cli.ExactArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return runSimulate(c.Context(), o)
		},
	}
	f := c.Flags()
	f.IntVarP(&o.plays, "plays", "n", playtest.DefaultPlays, "let `N` players play")
	f.Uint64Var(&o.seed, "seed", 1, "random seed `NUMBER`")
	f.StringToIntVar(&o.weights, "weight", nil, "weight of a decision, `DECISION=N` (default 1)")
	f.Lookup("weight").DefValue = ""
	f.IntVar(&o.turns, "max-turns", playtest.DefaultMaxTurns, "a player gives a machine up after `N` turns")
	f.IntVar(&o.machines, "max-machines", 0, "a player stops after `N` machines; 0 for no limit")
	o.json.AddFlags(c, playtest.Simulation{})
	return c
}

const (
	maxPlays  = 10_000_000
	maxTurns  = 100_000
	maxWeight = 1_000_000
)

var decisions = []string{"pass", "redirect", "reject", "kick_out", personas.FollowUpName, personas.AsideName}

func runSimulate(ctx context.Context, o *simulateOptions) error {
	for name, weight := range o.weights {
		if !slices.Contains(decisions, name) || weight < 0 || weight > maxWeight {
			return cli.UsageError("--weight %s=%d: must be one of %s, and a number from 0 to %d", name, weight,
				strings.Join(decisions, ", "), maxWeight)
		}
	}
	switch {
	case o.plays < 1 || o.plays > maxPlays:
		return cli.UsageError("-n %d: must be a number from 1 to %d", o.plays, maxPlays)
	case o.turns < 1 || o.turns > maxTurns:
		return cli.UsageError("--max-turns %d: must be a number from 1 to %d", o.turns, maxTurns)
	case o.machines < 0:
		return cli.UsageError("--max-machines %d: must be 0 or more", o.machines)
	}
	f, err := personafiles.ReadSoundFile(o.Streams, o.file, "has errors: nothing was played")
	if err != nil {
		return err
	}
	sim, err := o.runPlays(ctx, &f.Doc)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if o.json.On {
		return o.PrintJSON(o.json, sim)
	}
	_, err = io.WriteString(o.Out, terminal.CleanLines(formatSimulation(&f.Doc, sim)))
	return err
}

func (o *simulateOptions) runPlays(ctx context.Context, doc *personas.Persona) (*playtest.Simulation, error) {
	bar := o.ShowProgress(o.plays, "playing")
	defer bar.Finish()
	return playtest.Simulate(doc, playtest.SimulateOptions{
		Plays: o.plays, Seed: o.seed, Weights: o.weights, MaxTurns: o.turns, MaxMachines: o.machines,
		Each: func(played int) error { bar.ShowCount(played, ""); return ctx.Err() },
	})
}

func formatSimulation(doc *personas.Persona, sim *playtest.Simulation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s with seed %d, %.1f turns each (half of them up to %d, most up to %d)\n",
		doc.Name, cli.Pluralize(sim.Plays, "play"), sim.Seed, sim.Turns.Mean, sim.Turns.Median, sim.Turns.P95)
	for i := range sim.Machines {
		writeMachine(&b, &sim.Machines[i], sim.Plays)
	}
	if len(sim.Links) > 0 {
		b.WriteString("\nlinks that opened\n")
	}
	width := 0
	for _, l := range sim.Links {
		width = max(width, len(l.Source+" -> "+l.Target))
	}
	for _, l := range sim.Links {
		writeShareLine(&b, fmt.Sprintf("%-*s", width, l.Source+" -> "+l.Target), l.Plays, sim.Plays)
	}
	return b.String()
}

func writeMachine(b *strings.Builder, stats *playtest.MachineStats, plays int) {
	fmt.Fprintf(b, "\n%s (%s): played in %s of the plays\n", stats.Name, stats.Key, formatShare(stats.Played, plays))
	if stats.Played == 0 {
		return
	}
	for _, o := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut} {
		writeShareLine(b, string(o), stats.Outcomes[string(o)], stats.Played)
	}
	if stats.Unfinished > 0 {
		writeShareLine(b, "given up", stats.Unfinished, stats.Played)
	}
	writeChart(b, "turns", stats.Turns)
	if stats.Scoring {
		writeChart(b, "score", stats.Scores)
	}
	var rare []string
	for _, s := range stats.States {
		if stats.IsRare(s) {
			rare = append(rare, fmt.Sprintf("%s (%d)", s.Key, s.Plays))
		}
	}
	if len(rare) > 0 {
		fmt.Fprintf(b, "  seen by fewer than one in a hundred players: %s\n", strings.Join(rare, ", "))
	}
}

const barWidth = 30

func drawBar(part, whole int) string {
	if part == 0 || whole == 0 {
		return ""
	}
	return strings.Repeat("█", max(1, (part*barWidth+whole/2)/whole))
}

func formatShare(part, whole int) string {
	if whole == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

func writeShareLine(b *strings.Builder, name string, part, whole int) {
	line := fmt.Sprintf("  %-12s %7s  %s", name, formatShare(part, whole), drawBar(part, whole))
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

func writeChart(b *strings.Builder, name string, spread playtest.Spread) {
	if spread.Count == 0 {
		return
	}
	fmt.Fprintf(b, "  %s: %.1f on average, %d to %d, half up to %d, most up to %d\n", name, spread.Mean,
		spread.Min, spread.Max, spread.Median, spread.P95)
	if len(spread.Bars) < 2 {
		return
	}
	most := 0
	for _, bucket := range spread.Bars {
		most = max(most, bucket.Count)
	}
	for _, bucket := range spread.Bars {
		label := fmt.Sprint(bucket.From)
		if bucket.To > bucket.From {
			label = fmt.Sprintf("%d to %d", bucket.From, bucket.To)
		}
		line := fmt.Sprintf("    %14s %7s  %s", label, formatShare(bucket.Count, spread.Count), drawBar(bucket.Count, most))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
