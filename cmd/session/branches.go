package session

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

type branchesOptions struct {
	service.SessionOptions
	json cli.JSONFlag
}

func newSessionBranchesCmd(access *service.Access) *cobra.Command {
	o := &branchesOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "branches SESSION | PERSONA",
		Short: "Print the branches of a session as a tree",
		Long: `Print the tree of sessions that were forked from each other, the first one first:
id, label, state, messages of the player, score and ending. A star marks the session
that was named.`,
		Example: "  parley session branches Biscuit\n  parley session branches Biscuit --json branches",
	}, func(ctx context.Context, _ string) error { return runSessionBranches(ctx, o) })
	o.json.AddFlags(c, wire.Branches{})
	return c
}

func runSessionBranches(ctx context.Context, o *branchesOptions) error {
	s, known, err := o.FindSession(ctx)
	if err != nil {
		return err
	}
	tree, err := s.Branches(ctx, known.PersonaID, known.UserSessionID)
	switch {
	case err != nil:
		return explainBranching("branches of", known, "", err)
	case o.json.On:
		return o.PrintJSON(o.json, tree)
	}
	_, err = io.WriteString(o.Out, branchesText(tree.Branches, known.UserSessionID))
	return err
}

func branchesText(list []wire.Branch, current string) string {
	listed, children := map[string]bool{}, map[string][]int{}
	for i := range list {
		listed[list[i].UserSessionID] = true
	}
	for i := range list {
		parent := ""
		if p := list[i].Parent; p != nil && listed[*p] && *p != list[i].UserSessionID {
			parent = *p
		}
		children[parent] = append(children[parent], i)
	}
	var b strings.Builder
	var write func(parent string, depth int)
	write = func(parent string, depth int) {
		for _, i := range children[parent] {
			branch := &list[i]
			indent, id := strings.Repeat("  ", depth), terminal.Clean(branch.UserSessionID)
			fmt.Fprintf(&b, "%s%s  %s", indent, id, describeBranch(branch))
			if branch.UserSessionID == current {
				b.WriteString(" *")
			}
			b.WriteString("\n")
			write(branch.UserSessionID, depth+1)
		}
	}
	write("", 0)
	return b.String()
}

func describeBranch(b *wire.Branch) string {
	words := []string{
		terminal.Clean(b.MachineKey + "/" + b.CurrentState),
		cli.Pluralize(b.Turn, "message"), fmt.Sprintf("score %d", b.Score),
	}
	if b.Label != "" {
		words = append([]string{`"` + terminal.Clean(b.Label) + `"`}, words...)
	}
	if b.ForkedAt != nil {
		words = append(words, fmt.Sprintf("from message %d", *b.ForkedAt))
	}
	if b.Outcome != nil {
		words = append(words, terminal.Clean(*b.Outcome))
	}
	return strings.Join(words, ", ")
}

func newSessionCompareCmd(access *service.Access) *cobra.Command {
	o := &branchesOptions{SessionOptions: service.SessionOptions{Access: access}}
	c := newSessionCmd(&o.SessionOptions, &cobra.Command{
		Use:   "compare SESSION | PERSONA [BRANCH]",
		Short: "Show where two branches of a session diverge",
		Long: `Compare two branches of a session: how many messages of the player are the same in
both, the first that differs with its meaning, state and score, and where each branch
is now. BRANCH is an id or the beginning of one, or a label, as ` + "`parley\nsession branches`" + ` prints them. By default it is the branch that the session was forked
from, or for the first one the newest branch.`,
		Example: "  parley session compare Biscuit\n  parley session compare Biscuit \"the rude one\" --json",
	}, func(ctx context.Context, branch string) error { return runSessionCompare(ctx, o, branch) })
	o.json.AddFlags(c, record.Comparison{})
	return c
}

func runSessionCompare(ctx context.Context, o *branchesOptions, branch string) error {
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
		names := func(b wire.Branch) (id, label string) { return b.UserSessionID, b.Label }
		found := service.FindNamed(tree.Branches, branch, names)
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
	ids := []string{known.UserSessionID, other.UserSessionID}
	var names [2]string
	for i := range compared.Branches {
		now := &compared.Branches[i].Now
		names[i] = terminal.Clean(cmp.Or(now.Label, shortID(now.UserSessionID, ids)))
	}
	lines := compared.Lines(conversation.NewPersona(known.PersonaID, records[0].Persona), names)
	_, err = fmt.Fprintln(o.Out, strings.Join(lines, "\n"))
	return err
}
