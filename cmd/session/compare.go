package session

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

type compareOptions struct {
	service.SessionOptions
	json cli.JSONFlag
}

func newSessionCompareCmd(access *service.Access) *cobra.Command {
	o := &compareOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "compare SESSION | PERSONA [BRANCH]",
		Short: "Show where two branches of a session diverge",
		Long: `Show two branches of a session beside each other: how many messages of the player are
the same in both, the first that differs with its reply, decision, state and score, and
where each branch is now. BRANCH is an id or the beginning of one, or a label, as ` + "`parley\nsession branches`" + ` prints them. By default it is the branch that the session was forked
from, or for the first one the newest branch.`,
		Example: "  parley session compare Biscuit\n  parley session compare Biscuit \"the rude one\" --json",
	}, func(ctx context.Context, branch string) error { return runSessionCompare(ctx, o, branch) })
	o.json.AddFlags(c, record.Comparison{})
	return c
}

func runSessionCompare(ctx context.Context, o *compareOptions, branch string) error {
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	tree, err := s.Branches(ctx, known.PersonaID, known.UserSessionID)
	if err != nil {
		return explainBranching("branches of", known, "", err)
	}
	here := slices.IndexFunc(tree.Branches, func(b wire.Branch) bool { return b.UserSessionID == known.UserSessionID })
	if here < 0 || len(tree.Branches) < 2 {
		return cli.AnswerNo("%s has no branches: make one with `parley session fork`", service.DescribeSession(known))
	}
	other := tree.Branches[record.OtherBranch(tree.Branches, here)]
	if branch != "" {
		found := service.FindNamed(tree.Branches, branch, func(b wire.Branch) (id, label string) { return b.UserSessionID, b.Label })
		if len(found) != 1 {
			return cli.AnswerNo("%d branches match %q: `parley session branches` lists them", len(found), branch)
		}
		other = found[0]
	}
	var records [2]*record.Record
	for i, id := range []string{known.UserSessionID, other.UserSessionID} {
		if records[i], err = record.ReadRecord(ctx, s, known.PersonaID, id); err != nil {
			return explainBranching("read", known, "", err)
		}
	}
	compared := record.CompareRecords(records[0], records[1], tree.Branches[here], other)
	if o.json.On {
		return o.PrintJSON(o.json, compared)
	}
	return writeComparison(o.Out, &compared)
}

// Widths in cells. branchWidth is the width of each branch's column. rowWidth is the width of the
// column with the names of the rows.
const (
	branchWidth = 33
	rowWidth    = 10
)

func writeComparison(w io.Writer, c *record.Comparison) error {
	var b strings.Builder
	where := "nothing differs"
	if c.Turn != nil {
		where = fmt.Sprintf("branches differ from message %d of %s", *c.Turn, terminal.Clean(*c.MachineKey))
	}
	fmt.Fprintf(&b, "in common: %s; %s\n", cli.Pluralize(c.Common, "message"), where)
	for _, row := range comparisonRows(c) {
		left := terminal.WrapText(terminal.CleanLines(row[1]), branchWidth)
		right := terminal.WrapText(terminal.CleanLines(row[2]), branchWidth)
		for i := range max(len(left), len(right)) {
			cells := [3]string{}
			if i == 0 {
				cells[0] = row[0]
			}
			if i < len(left) {
				cells[1] = left[i]
			}
			if i < len(right) {
				cells[2] = right[i]
			}
			line := terminal.PadToWidth(cells[0], rowWidth) + terminal.PadToWidth(cells[1], branchWidth+2) + cells[2]
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func comparisonRows(c *record.Comparison) [][3]string {
	var rows [][3]string
	add := func(name string, text func(c *record.ComparedBranch) string) {
		rows = append(rows, [3]string{name, text(&c.Branches[0]), text(&c.Branches[1])})
	}
	next := func(name string, text func(t *record.ComparedTurn) string) {
		add(name, func(c *record.ComparedBranch) string {
			if c.Next == nil {
				return "-"
			}
			return text(c.Next)
		})
	}
	ids := []string{c.Branches[0].Now.UserSessionID, c.Branches[1].Now.UserSessionID}
	add("branch", func(c *record.ComparedBranch) string { return cmp.Or(c.Now.Label, shortID(c.Now.UserSessionID, ids)) })
	if c.Turn != nil {
		next("message", func(t *record.ComparedTurn) string { return t.Message })
		next("reply", func(t *record.ComparedTurn) string { return t.Reply })
		next("decision", func(t *record.ComparedTurn) string { return t.Decision })
		next("state", func(t *record.ComparedTurn) string { return t.State })
		next("score", func(t *record.ComparedTurn) string { return strconv.Itoa(t.Score) })
	}
	add("now", func(c *record.ComparedBranch) string { return c.Now.MachineKey + "/" + c.Now.CurrentState })
	add("messages", func(c *record.ComparedBranch) string { return strconv.Itoa(c.Now.Turn) })
	add("score", func(c *record.ComparedBranch) string { return strconv.Itoa(c.Now.Score) })
	add("ending", func(c *record.ComparedBranch) string { return cli.ValueOr(c.Now.Outcome, "open") })
	return rows
}
