package tuitest

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

type branch struct {
	wire.Branch
	states   []engine.Session
	messages []wire.HistoryMessage
}

// Fork creates a branch of a machine's conversation.
func (s *Service) Fork(_ context.Context, _, machine string, body wire.Fork) (wire.Branch, error) {
	if s.NoBranches {
		return wire.Branch{}, &wire.Error{Status: http.StatusNotFound, Message: "the service cannot take messages back"}
	}
	s.enter(body.UserSessionID, machine)
	from := s.branches[s.present]
	if body.At >= len(from.states) {
		return wire.Branch{}, &wire.Error{Status: http.StatusUnprocessableEntity, Message: "there are not so many messages"}
	}
	b := &branch{states: slices.Clone(from.states[:body.At+1]), messages: slices.Clone(from.messages[:1+2*body.At])}
	key := s.doc(machine).Key
	b.Branch = wire.Branch{
		UserSessionID: "branch-" + strconv.Itoa(len(s.branches)), Label: body.Name, Parent: new(body.UserSessionID),
		ForkedAt: new(body.At), ForkedMachineKey: &key, MachineID: machine, MachineKey: key,
	}
	s.branches = append(s.branches, b)
	return b.now(), nil
}

// Branches returns all branches.
func (s *Service) Branches(_ context.Context, _, user string) (tree wire.Branches, err error) {
	for _, b := range s.branches {
		tree.Branches = append(tree.Branches, b.now())
	}
	return tree, nil
}

func (b *branch) now() wire.Branch {
	last := b.states[len(b.states)-1]
	branch := b.Branch
	branch.Turn, branch.CurrentState, branch.Score = len(b.states)-1, last.State, last.Score
	if last.IsFinished() {
		branch.Outcome = new(string(last.Outcome))
	}
	return branch
}

func (s *Service) enter(user, machine string) {
	if s.branches == nil {
		key := s.doc(machine).Key
		s.branches = []*branch{{Branch: wire.Branch{UserSessionID: user, MachineID: machine, MachineKey: key}}}
		s.noteBranch(machine)
	}
	i := slices.IndexFunc(s.branches, func(b *branch) bool { return b.UserSessionID == user && b.MachineID == machine })
	if i < 0 || i == s.present {
		return
	}
	s.present = i
	b := s.branches[i]
	s.states[machine], s.Messages[machine] = slices.Clone(b.states), slices.Clone(b.messages)
	*s.sessions[machine] = b.states[len(b.states)-1]
}

func (s *Service) noteBranch(machine string) {
	if s.branches != nil && s.branches[s.present].MachineID == machine {
		b := s.branches[s.present]
		b.states, b.messages = slices.Clone(s.states[machine]), slices.Clone(s.Messages[machine])
	}
}
