package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// ExplainedTurn explains a turn to the persona's author. Said is "" for the opening line.
type ExplainedTurn struct {
	wire.TurnTrace
	machine       *Machine
	Said          string
	before, after wire.HistoryMessage
	outcome       string
}

const maxExplained = 200

// ExplainTurns explains the last 200 turns of a session, oldest first. The bool reports whether the
// offline model played the last turn. Only the persona's owner may read explanations.
func (r *Requester) ExplainTurns(ctx context.Context, user *UserSession, m *Machine) ([]ExplainedTurn, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	trace, err := r.Service.Trace(ctx, user.Persona.ID, user.Saved.UserSessionID, m.ID)
	if err != nil {
		return nil, false, explainRefusal(err)
	}
	h, err := r.Service.History(ctx, user.Persona.ID, user.Saved.UserSessionID, m.ID)
	if err != nil {
		return nil, false, err
	}
	turns := explainHistory(m, h, trace)
	offline := false // The built-in model calls no provider.
	if n := len(trace.Turns); n > 0 {
		last := trace.Turns[n-1]
		offline = strings.HasPrefix(last.Reply, "offline:") && len(last.Usage) == 0
	}
	return turns[max(len(turns)-maxExplained, 0):], offline, nil
}

const nearShare = 0.2

// ReadNearly describes the most probable alternative to the decision that ended a session. The
// result is "" if the probability is low or the trace is unreadable.
func (r *Requester) ReadNearly(ctx context.Context, user *UserSession, session *Session, reply *wire.Reply) string {
	if !reply.MachineCompleted {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, min(r.CallTimeout, compareTimeout))
	defer cancel()
	trace, err := r.Service.Trace(ctx, user.Persona.ID, user.Saved.UserSessionID, session.Machine.ID)
	if err != nil || len(trace.Turns) == 0 {
		return "" // Only the owner may read the trace.
	}
	passed := reply.Decision != nil && *reply.Decision == string(personas.DecidePass)
	return nearlyWords(trace.Turns[len(trace.Turns)-1].Choices, passed)
}

func nearlyWords(choices []wire.TraceChoice, passed bool) string {
	order := slices.Clone(choices)
	slices.SortStableFunc(order, func(a, b wire.TraceChoice) int { return cmp.Compare(b.Probability, a.Probability) })
	for _, c := range order {
		chosen := order[0].Decision
		if passed {
			chosen = string(personas.DecidePass)
		}
		if c.Decision != chosen {
			if c.Probability < nearShare {
				break
			}
			return playwords.NearlyTaken(personas.Decision(c.Decision), c.Probability)
		}
	}
	return ""
}

func explainRefusal(err error) error {
	refusal, refused := errors.AsType[*wire.Error](err)
	switch {
	case !refused:
		return err
	case refusal.Status == http.StatusUnauthorized, refusal.Status == http.StatusForbidden:
		return fmt.Errorf("only the persona's author can read explanations: %w", err)
	case refusal.Status == http.StatusNotFound, refusal.Status == http.StatusMethodNotAllowed:
		return fmt.Errorf("this service does not explain turns: %w", err)
	}
	return err
}

func explainHistory(machine *Machine, history wire.History, trace wire.Trace) []ExplainedTurn {
	why := make(map[string]wire.TurnTrace, len(trace.Turns))
	for _, turn := range trace.Turns {
		why[turn.MessageID] = turn
	}
	var turns []ExplainedTurn
	now := ExplainedTurn{machine: machine, before: wire.HistoryMessage{StateKeyAtTime: machine.InitialState()}}
	for _, message := range history.Messages {
		if message.Role == wire.RoleUser {
			now.Said = message.Content
			continue
		}
		turn, ok := why[message.ID]
		now.TurnTrace, now.after = turn, message
		if ok {
			turns = append(turns, now)
		}
		now.before, now.Said = message, ""
	}
	if n := len(turns); n > 0 && history.Outcome != nil {
		turns[n-1].outcome = *history.Outcome
	}
	return turns
}

func (e *ExplainedTurn) decisionMade() personas.Decision {
	if e.after.Decision == nil {
		return ""
	}
	return personas.Decision(*e.after.Decision)
}

const (
	FactSaid   = "said"
	FactFired  = "fired"
	factState  = "state"
	factScore  = "score"
	FactEnding = "ending"
)

// TurnFact is one fact about a turn, as clean text.
type TurnFact struct{ Name, Text string }

// ListFacts returns the facts about a turn in a fixed order, without empty facts.
func (e *ExplainedTurn) ListFacts() []TurnFact {
	var all []TurnFact
	add := func(name, text string) {
		if text != "" {
			all = append(all, TurnFact{name, text})
		}
	}
	add(FactSaid, terminal.Clean(e.Said))
	add("judged", terminal.Clean(e.Evaluation))
	if len(e.Choices) > 0 {
		add("choices", choiceWords(&e.TurnTrace))
	}
	for _, hold := range e.Holds {
		words := e.machine.moveWords(hold.Transition)
		if hold.Why != "" && hold.Why != e.Evaluation {
			words += ": " + terminal.Clean(hold.Why)
		}
		add("held", words)
	}
	add(FactFired, e.firedWords())
	add(factState, e.stateWords())
	add(factScore, e.ScoreWords())
	add(FactEnding, outcomeWords(e.outcome))
	add("spoken by", terminal.Clean(e.Reply))
	add("summary", terminal.Clean(e.Summary))
	add("variables", terminal.Clean(e.Extraction))
	for _, cost := range costLines(e.Usage) {
		add("tokens", cost)
	}
	return all
}

func (e *ExplainedTurn) firedWords() string {
	switch {
	case e.Said == "":
		return ""
	case e.Transition != nil:
		return e.machine.moveWords(*e.Transition) + e.overruledWords() + e.impatienceWords()
	case e.after.Aside:
		return "an aside, which changes nothing and does not count"
	case e.after.FollowUpTriggered:
		return "nothing: the character wants to hear more"
	case e.decisionMade() == "":
		return "nothing"
	}
	return "no transition, which counts as " + decisionWords(e.decisionMade()) + e.impatienceWords()
}

func (e *ExplainedTurn) impatienceWords() string {
	if !e.Aside {
		return ""
	}
	return ", because the state allows no more asides"
}

func (e *ExplainedTurn) overruledWords() string {
	i, decision := *e.Transition, e.decisionMade()
	if i < 0 || i >= len(e.machine.moves) {
		return ""
	}
	if decision == "" || e.machine.moves[i].Decision == decision {
		return ""
	}
	return ", which counts as " + decisionWords(decision)
}

func (e *ExplainedTurn) stateWords() string {
	from := e.machine.FindState(e.before.StateKeyAtTime).Title
	to := e.machine.FindState(e.after.StateKeyAtTime).Title
	if e.Said == "" || e.before.StateKeyAtTime == e.after.StateKeyAtTime {
		return to
	}
	return "from " + from + " to " + to
}

// ScoreWords returns the score after a turn, for example "from 0 to 1 of 2".
func (e *ExplainedTurn) ScoreWords() string {
	was, is := e.before.ScoreAtTime, e.after.ScoreAtTime
	switch {
	case !e.machine.Scoring:
		return ""
	case e.Said == "" || was == is:
		return fmt.Sprintf("%d of %d", is, e.machine.Threshold)
	}
	return fmt.Sprintf("from %d to %d of %d", was, is, e.machine.Threshold)
}

func (m *Machine) moveWords(i int) string {
	if i < 0 || i >= len(m.moves) {
		return fmt.Sprintf("transition %d, which is missing in this version of the persona", i)
	}
	words := m.moveEffect(i)
	if out := m.outgoingMoves(m.moves[i].From); slices.Contains(out, i) {
		return fmt.Sprintf("transition %d of %d, %s", slices.Index(out, i)+1, len(out), words)
	}
	return words
}

func (m *Machine) moveEffect(i int) string {
	t := &m.moves[i]
	words := decisionWords(t.Decision)
	moves := t.Decision == personas.DecidePass || t.Decision == personas.DecideReject
	if moves && t.To != "" && t.To != t.From {
		words += " to " + m.FindState(t.To).Title
	}
	if m.Scoring && t.ScoreDelta != 0 {
		words += fmt.Sprintf(", score %+d", t.ScoreDelta)
	}
	return words
}

// outgoingMoves returns the indexes of a state's transitions, in matching order.
func (m *Machine) outgoingMoves(state string) []int {
	if m.rules == nil {
		return nil
	}
	return m.rules.Outgoing(state)
}

func decisionWords(d personas.Decision) string {
	return strings.ReplaceAll(terminal.Clean(string(d)), "_", " ")
}

func choiceWords(t *wire.TurnTrace) string {
	order := slices.Clone(t.Choices)
	slices.SortStableFunc(order, func(a, b wire.TraceChoice) int { return cmp.Compare(b.Probability, a.Probability) })
	parts := make([]string, 0, len(order))
	for _, c := range order {
		bar := strings.Repeat("#", int(c.Probability*10+0.5))
		if bar != "" {
			bar += " "
		}
		decision := decisionWords(personas.Decision(c.Decision))
		parts = append(parts, fmt.Sprintf("%s %s%.0f %%", decision, bar, 100*c.Probability))
	}
	words := strings.Join(parts, ", ")
	if t.Method != "" {
		words += "; by " + terminal.Clean(t.Method)
	}
	if t.Milliseconds > 0 {
		words += fmt.Sprintf(" in %.1f s", float64(t.Milliseconds)/1000)
	}
	return words
}

func costLines(usage map[string]wire.Usage) []string {
	var lines []string
	for _, step := range slices.Sorted(maps.Keys(usage)) {
		u, cached := usage[step], ""
		if u.Cached != 0 {
			cached = " (" + terminal.GroupThousands(u.Cached) + " cached)"
		}
		lines = append(lines, fmt.Sprintf("%s by %s, read %s%s, wrote %s",
			terminal.Clean(step), terminal.Clean(u.Model),
			terminal.GroupThousands(u.In), cached, terminal.GroupThousands(u.Out)))
	}
	return lines
}

// WhyLines formats the facts about a turn, without the message.
func WhyLines(j *ExplainedTurn) []string { return factLines(j.ListFacts(), FactSaid) }

// WhyBriefly formats the facts that line mode does not already print.
func WhyBriefly(j *ExplainedTurn) []string {
	return factLines(j.ListFacts(), FactSaid, factState, factScore, FactEnding)
}

func factLines(facts []TurnFact, without ...string) []string {
	var lines []string
	for _, f := range facts {
		if !slices.Contains(without, f.Name) {
			lines = append(lines, Capitalize(f.Name)+": "+strings.TrimRight(f.Text, ".")+".")
		}
	}
	return lines
}
