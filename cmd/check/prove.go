package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/tui/terminal"
)

type proveOptions struct {
	*cli.Streams
	files   []string
	witness bool
	json    cli.JSONFlag
}

// proved is a persona file with its proof.
type proved struct {
	file *personafiles.File
	*prove.Report
}

func NewProveCmd(a *cli.Streams) *cobra.Command {
	o := &proveOptions{Streams: a}
	c := &cobra.Command{
		Use:   "prove FILE...",
		Short: "Prove what can be reached in persona files, without a server",
		Long: `Prove of persona files (YAML or JSON, - is stdin) which states, endings, links and
machines a player can come to, with the least and greatest score of each ending, or
say what blocks them. The proof is exact: no number of turns bounds it.

Exit code 1 says that something in a file is impossible or stuck: a state, a
transition, a link or a machine that nobody can come to, the ending ACCEPT, the
ending REJECT where there is a reject or a REJECT terminal state, the ending KICK_OUT
where there is a kick_out, a place that cannot be left for any ending.`,
		Example: "  parley persona prove ferryman.yaml\n  parley persona prove --witness ferryman.yaml\n  parley persona prove --json ferryman.yaml",
		Args:    cli.MinArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return runProve(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.witness, "witness", false, "print how to come to each of them, turn by turn")
	o.json.AddFlags(c, nil)
	return c
}

func runProve(ctx context.Context, o *proveOptions) error {
	var all []proved
	for _, path := range o.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := o.prove(path)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	if err := o.printProved(all); err != nil {
		return err
	}
	broken := slices.DeleteFunc(all, func(p proved) bool { return p.Holds() })
	if len(broken) > 0 {
		return cli.AnswerNo("%s where something is impossible or stuck", cli.Pluralize(len(broken), "file"))
	}
	return nil
}

// prove reads a file and proves it; one with errors is reported as lint does.
func (o *proveOptions) prove(path string) (proved, error) {
	f, err := personafiles.ReadPersonaFile(o.Streams, path)
	if err != nil {
		return proved{}, err
	}
	if !f.IsSound() {
		f.Findings = slices.DeleteFunc(f.Findings, func(found report.Finding) bool { return found.Severity != string(lint.Error) })
		if err := personafiles.ReportFindings(o.Streams, o.Err, f); err != nil {
			return proved{}, err
		}
		return proved{}, cli.AnswerNo("%s has errors (above): nothing can be proved of it", f.Name)
	}
	r, err := prove.Persona(&f.Doc)
	if errors.Is(err, prove.ErrTooWide) {
		return proved{}, cli.WrapTrouble(fmt.Errorf("prove %s: %w", terminal.Clean(f.Name), err), "")
	}
	return proved{f, r}, err
}

func (o *proveOptions) printProved(all []proved) error {
	if o.json.On {
		return o.printProofs(all)
	}
	return o.PageOutput(func(io.Writer) error { return o.printText(all) })
}

func (o *proveOptions) printText(all []proved) error {
	for i, p := range all {
		if len(all) > 1 && o.TTY.Out {
			fmt.Fprintf(o.Out, "%s%s\n", gap(i), terminal.Clean(p.file.Name))
		}
		if err := o.printProof(p); err != nil {
			return err
		}
		if o.witness {
			if err := o.printPlans(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// printProofs writes one object for one file, and for several a list of
// objects that begin with the file.
func (o *proveOptions) printProofs(all []proved) error {
	if len(all) == 1 {
		return o.PrintJSON(o.json, all[0].Report)
	}
	type named struct {
		File string `json:"file"`
		*prove.Report
	}
	list := make([]named, 0, len(all))
	for _, p := range all {
		list = append(list, named{p.file.Name, p.Report})
	}
	return o.PrintJSON(o.json, list)
}

// printProof writes a table: on a terminal one per machine, else one whose
// rows begin with the file and the machine.
func (o *proveOptions) printProof(p proved) error {
	for i := range p.Machines {
		m := &p.Machines[i]
		rows := machineRows(p, i)
		if o.TTY.Out {
			fmt.Fprintf(o.Out, "%smachine %s\n", gap(i), terminal.Clean(m.Key))
		}
		if err := o.printRows(p, m.Key, rows); err != nil {
			return err
		}
	}
	if len(p.Links) > 0 && o.TTY.Out {
		fmt.Fprintf(o.Out, "\nlinks\n")
	}
	return o.printRows(p, "", linkRows(p))
}

func (o *proveOptions) printRows(p proved, machine string, rows [][]string) error {
	switch {
	case len(rows) == 0:
		return nil
	case o.TTY.Out:
		return o.PrintTable([]string{"WHAT", "NAME", "PROOF"}, rows)
	}
	for i := range rows {
		rows[i] = append([]string{p.file.Name, machine}, rows[i]...)
	}
	return o.PrintTable(nil, rows)
}

func gap(i int) string {
	if i == 0 {
		return ""
	}
	return "\n"
}

func machineRows(p proved, i int) [][]string {
	m, doc := &p.Machines[i], &p.file.Doc.Machines[i]
	rows := [][]string{{"machine", m.Key, proofText(m.Available, "can be started", m.Witness, m.Reason)}}
	for _, s := range m.States {
		rows = append(rows, []string{"state", s.Key, proofText(s.Reachable, "reachable", s.Witness, s.Reason)})
	}
	for _, t := range m.Transitions {
		if !t.Fires {
			row := &doc.Transitions[t.Index]
			rows = append(rows, []string{"transition", fmt.Sprintf("%d: %s of %s", t.Index, row.Decision, row.From), proofText(false, "", nil, t.Reason)})
		}
	}
	for _, e := range m.Outcomes {
		rows = append(rows, []string{"ending", string(e.Outcome), endingText(e)})
	}
	for _, s := range p.Stuck {
		if s.Machine == m.Key {
			rows = append(rows, []string{"stuck", s.State, stuckText(s)})
		}
	}
	return rows
}

func stuckText(s prove.Stuck) string {
	if s.State == "" {
		return "leads nowhere: " + s.Reason
	}
	return proofText(true, "can be stuck", s.Witness, "") + ": " + s.Reason
}

func linkRows(p proved) [][]string {
	rows := make([][]string, 0, len(p.Links))
	for _, l := range p.Links {
		doc := p.file.Doc.Links[l.Index]
		name := fmt.Sprintf("%d: %s opens %s %s", l.Index, doc.Source, doc.Target, personafiles.ConditionText(doc))
		rows = append(rows, []string{"link", name, proofText(l.CanOpen, "can open", l.Witness, l.Reason)})
	}
	return rows
}

// proofText is an answer in words, with the length of its witness.
func proofText(possible bool, what string, w *prove.Way, reason string) string {
	switch {
	case !possible:
		return "impossible: " + reason
	case w == nil:
		return what + ", in more turns than are counted"
	case w.Len() == 0:
		return what + " at once"
	}
	return fmt.Sprintf("%s in %s", what, cli.Pluralize(w.Len(), "turn"))
}

func endingText(e prove.Outcome) string {
	switch {
	case !e.Reachable && !e.Meant:
		return "not meant: " + e.Reason
	case !e.Reachable:
		return "impossible: " + e.Reason
	}
	return proofText(true, "reachable", e.Witness, "") + ", with " + rangeText(*e.Min, *e.Max)
}

func rangeText(low, high prove.Score) string {
	switch {
	case low == high:
		return fmt.Sprintf("score %s", low)
	case high == prove.Inf:
		return fmt.Sprintf("any number of points from %s up", low)
	}
	return fmt.Sprintf("scores from %s to %s", low, high)
}
