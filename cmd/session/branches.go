package session

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
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
			fmt.Fprintf(&b, "%s%s  %s", strings.Repeat("  ", depth), terminal.Clean(branch.UserSessionID), describeBranch(branch))
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
	words := []string{terminal.Clean(b.MachineKey + "/" + b.CurrentState), cli.Pluralize(b.Turn, "message"), fmt.Sprintf("score %d", b.Score)}
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
