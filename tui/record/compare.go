package record

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Comparison is the result of comparing two branches of a conversation.
type Comparison struct {
	// Common is the number of turns that are the same in both branches, in all machines together.
	Common int `json:"common"`
	// MachineKey and Turn identify the first turn that differs. Turn is the number of the player's
	// message in the machine, counted from 1. Both are null if nothing differs.
	MachineKey *string          `json:"machine_key"`
	Turn       *int             `json:"turn"`
	Branches   []ComparedBranch `json:"branches"`
}

// ComparedBranch is one of the two branches. Next is the first turn of the branch that differs from
// the other branch, or null if the branch has no such turn. Now is the present state of the branch.
type ComparedBranch struct {
	Next *ComparedTurn `json:"next"`
	Now  wire.Branch   `json:"now"`
}

// ComparedTurn is a message of the player, the reply, and the effect of the message.
type ComparedTurn struct {
	Message string `json:"message"`
	Reply   string `json:"reply"`
	playtest.Effect
}

// OtherBranch returns the index of the branch that is compared with list[here] by default. This is
// the parent of list[here], or without a parent the newest other branch. If list contains only one
// branch, OtherBranch returns -1.
func OtherBranch(list []wire.Branch, here int) int {
	if parent := list[here].Parent; parent != nil {
		if i := slices.IndexFunc(list, func(b wire.Branch) bool { return b.UserSessionID == *parent }); i >= 0 {
			return i
		}
	}
	if last := len(list) - 1; last != here {
		return last
	}
	return len(list) - 2
}

// CompareRecords compares the conversations of two branches.
func CompareRecords(a, b *Record, first, second wire.Branch) Comparison {
	c := Comparison{Branches: []ComparedBranch{{Now: first}, {Now: second}}}
	var keys []string
	for _, r := range []*Record{a, b} {
		for i := range r.Chapters {
			if key := r.Chapters[i].MachineKey; !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	for _, key := range keys {
		x, y := a.turnsIn(key), b.turnsIn(key)
		same := 0
		for same < min(len(x), len(y)) && x[same] == y[same] {
			same++
		}
		c.Common += same
		if c.MachineKey == nil && (same < len(x) || same < len(y)) {
			c.MachineKey, c.Turn = &key, new(same+1)
			c.Branches[0].Next, c.Branches[1].Next = turnAt(x, same), turnAt(y, same)
		}
	}
	return c
}

func (r *Record) turnsIn(key string) []playtest.Turn {
	for i := range r.Chapters {
		if ch := &r.Chapters[i]; ch.MachineKey == key {
			outcome := ""
			if ch.Outcome != nil {
				outcome = *ch.Outcome
			}
			return playtest.FromHistory("", key, outcome, ch.Messages).Turns
		}
	}
	return nil
}

func turnAt(turns []playtest.Turn, i int) *ComparedTurn {
	if i >= len(turns) {
		return nil
	}
	return &ComparedTurn{turns[i].Message, turns[i].Reply, turns[i].Effect}
}

// CompareBranches compares the present branch with another and returns lines for the player. arg is
// the number of the other branch in the list of branches, or "" for the default (OtherBranch).
func CompareBranches(
	ctx context.Context, d *conversation.Requester, user *conversation.UserSession, arg string,
) ([]string, error) {
	list, err := d.ListBranches(ctx, user)
	if err != nil {
		return nil, err
	}
	here := slices.IndexFunc(list, func(b wire.Branch) bool { return b.UserSessionID == user.Saved.UserSessionID })
	if here < 0 || len(list) < 2 {
		return nil, conversation.Slip("this is the only branch: /undo and /fork make another")
	}
	other := OtherBranch(list, here)
	if arg != "" {
		number, err := strconv.Atoi(arg)
		if other = number - 1; err != nil || other < 0 || other >= len(list) || other == here {
			said := fmt.Sprintf("%q is not the number of another branch: /branches lists them", terminal.Clean(arg))
			return nil, conversation.Slip(said)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, d.CallTimeout)
	defer cancel()
	var records [2]*Record
	for i, at := range []int{here, other} {
		if records[i], err = ReadRecord(ctx, d.Service, user.Persona.ID, list[at].UserSessionID); err != nil {
			return nil, err
		}
	}
	c := CompareRecords(records[0], records[1], list[here], list[other])
	return c.Lines(user.Persona, [2]string{"here", fmt.Sprintf("branch %d", other+1)}), nil
}

// Lines describes the comparison. names are names of the two branches.
func (c *Comparison) Lines(p *conversation.Persona, names [2]string) []string {
	same := conversation.CountWords(c.Common, "message") + " are the same"
	if c.Common == 1 {
		same = "1 message is the same"
	}
	var lines []string
	if c.Turn == nil {
		lines = append(lines, same+", and nothing differs.")
	} else {
		m := p.FindMachine(*c.MachineKey)
		lines = append(lines, fmt.Sprintf("%s. The branches differ from message %d of %s on:", same, *c.Turn, m.Title))
		x, y := c.Branches[0].Next, c.Branches[1].Next
		reworded := x != nil && y != nil && x.Message == y.Message && x.Effect == y.Effect
		for i := range c.Branches {
			lines = append(lines, "  "+names[i]+": "+c.Branches[i].Next.words(m, reworded))
		}
	}
	for i := range c.Branches {
		lines = append(lines, "Now "+names[i]+": "+conversation.DescribeBranch(p, &c.Branches[i].Now))
	}
	return lines
}

func (t *ComparedTurn) words(m *conversation.Machine, reworded bool) string {
	if t == nil {
		return "nothing was said"
	}
	words := playwords.Quote(terminal.Clean(t.Message))
	if meaning := playwords.Meaning(personas.Decision(t.Decision)); meaning != "" {
		words += ", taken as " + meaning
	}
	words += "; " + m.FindState(t.State).Title
	if score := m.ScoreWords(t.Score); score != "" {
		words += ", " + score
	}
	if reworded {
		words += "; answered " + playwords.Quote(terminal.Clean(t.Reply))
	}
	return words
}
