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

// Comparison is the difference between two branches of a conversation.
type Comparison struct {
	// Common is the number of equal turns before the first difference, summed over all machines.
	Common int `json:"common"`
	// MachineKey and Turn identify the first different turn, or are null. Turn counts from 1.
	MachineKey *string          `json:"machine_key"`
	Turn       *int             `json:"turn"`
	Branches   []ComparedBranch `json:"branches"`
}

// ComparedBranch is one of two branches. Next is the first different turn, or null.
type ComparedBranch struct {
	Next *ComparedTurn `json:"next"`
	Now  wire.Branch   `json:"now"`
}

// ComparedTurn is a message of the player with the reply and the effect.
type ComparedTurn struct {
	Message string `json:"message"`
	Reply   string `json:"reply"`
	playtest.Effect
}

// OtherBranch returns the index of the parent or else of the newest other branch, or -1.
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
		turnsA, turnsB := a.turnsIn(key), b.turnsIn(key)
		same := 0
		for same < min(len(turnsA), len(turnsB)) && turnsA[same] == turnsB[same] {
			same++
		}
		c.Common += same
		if c.MachineKey == nil && same < max(len(turnsA), len(turnsB)) {
			c.MachineKey, c.Turn = &key, new(same+1)
			c.Branches[0].Next, c.Branches[1].Next = turnAt(turnsA, same), turnAt(turnsB, same)
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

// CompareBranches compares the current branch with branch number arg, or with OtherBranch for "".
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
		other = number - 1
		if err != nil || other < 0 || other >= len(list) || other == here {
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

// Lines describes the comparison. names are the names of the branches.
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
		reworded := isReworded(c.Branches[0].Next, c.Branches[1].Next)
		for i := range c.Branches {
			lines = append(lines, "  "+names[i]+": "+c.Branches[i].Next.words(m, reworded))
		}
	}
	for i := range c.Branches {
		lines = append(lines, "Now "+names[i]+": "+conversation.DescribeBranch(p, &c.Branches[i].Now))
	}
	return lines
}

func isReworded(a, b *ComparedTurn) bool {
	return a != nil && b != nil && a.Message == b.Message && a.Effect == b.Effect
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
