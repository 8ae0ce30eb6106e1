package playtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

type observation struct {
	reply     string
	members   map[string]string
	unlocked  []string
	variables map[string]string
	locked    bool
}

func (s *Subject) observeReply(reply *wire.Reply) observation {
	seen := observation{reply: reply.Message, unlocked: []string{}, members: map[string]string{
		ExpectDecision:  orNone(reply.Decision),
		ExpectState:     reply.CurrentState,
		ExpectScore:     strconv.Itoa(reply.Score),
		ExpectRedirects: None,
		ExpectFollowUp:  strconv.FormatBool(reply.FollowUp),
		ExpectAside:     strconv.FormatBool(reply.Aside),
		ExpectOutcome:   orNone(reply.Outcome),
	}}
	if reply.RedirectCount != nil {
		seen.members[ExpectRedirects] = strconv.Itoa(*reply.RedirectCount)
	}
	for _, id := range reply.Unlocked {
		seen.unlocked = append(seen.unlocked, s.machineKey(id))
	}
	slices.Sort(seen.unlocked)
	return seen
}

func orNone(p *string) string {
	if p == nil || *p == "" {
		return None
	}
	return *p
}

func compareStep(s *Step, seen *observation) []Failure {
	var failures []Failure
	for i := range s.Expect {
		e := &s.Expect[i]
		got, ok := e.isMet(seen)
		if ok {
			continue
		}
		want := e.Want
		if e.Member == ExpectUnlocked {
			want = formatKeys(e.List)
		}
		failures = append(failures, Failure{Path: e.Path, Member: e.Member, Want: want, Got: got, variable: e.Variable})
	}
	return failures
}

// nothing describes a variable without a value.
const nothing = "nothing"

func formatKeys(keys []string) string { return "[" + strings.Join(keys, ", ") + "]" }

func (e *Expectation) isMet(seen *observation) (got string, ok bool) {
	switch e.Member {
	case ExpectContains:
		return seen.reply, strings.Contains(strings.ToLower(seen.reply), strings.ToLower(e.Want))
	case ExpectLacks:
		return seen.reply, !strings.Contains(strings.ToLower(seen.reply), strings.ToLower(e.Want))
	case ExpectMatches:
		return seen.reply, e.pattern != nil && e.pattern.MatchString(seen.reply)
	case ExpectUnlocked:
		return formatKeys(seen.unlocked), slices.Equal(slices.Sorted(slices.Values(e.List)), seen.unlocked)
	case ExpectLocked:
		return fmt.Sprint(seen.locked), e.Want == fmt.Sprint(seen.locked)
	case ExpectVariable:
		value, there := seen.variables[e.Variable]
		if !there {
			return nothing, false
		}
		return value, value == e.Want
	}
	got = seen.members[e.Member]
	return got, got == e.Want
}
