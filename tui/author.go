package tui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// judged is a turn as the persona's author sees it: what was said, how that was
// judged, and what the machine made of it. said is "" for the opening line.
type judged struct {
	wire.TurnTrace
	machine       *machine
	said          string
	before, after wire.HistoryMessage
	// redirects is how many there were in the state, with this turn.
	redirects int
	outcome   string // set on the turn that ended the machine
}

// maxJudged is how many turns the author's view reaches back.
const maxJudged = 200

// author reads why a session went as it did, the newest turns at the end, and
// whether the built-in offline model played it. Only the persona's owner is told.
func (d *desk) author(ctx context.Context, v *visit, m *machine) ([]judged, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	trace, err := d.service.Trace(ctx, v.cast.id, v.who.UserSessionID, m.id)
	if err != nil {
		return nil, false, untold(err)
	}
	h, err := d.service.History(ctx, v.cast.id, v.who.UserSessionID, m.id)
	if err != nil {
		return nil, false, err
	}
	turns := judge(m, h, trace)
	return turns[max(len(turns)-maxJudged, 0):], unpaid(trace), nil
}

// untold says in the player's words who is told and who is not.
func untold(err error) error {
	refusal, refused := errors.AsType[*wire.Error](err)
	switch {
	case !refused:
		return err
	case refusal.Status == http.StatusUnauthorized, refusal.Status == http.StatusForbidden:
		return fmt.Errorf("only the persona's author is told why: %w", err)
	case refusal.Status == http.StatusNotFound, refusal.Status == http.StatusMethodNotAllowed:
		return fmt.Errorf("this service does not tell why: %w", err)
	}
	return err
}

// unpaid tells that no provider was asked, which means the offline model.
func unpaid(t wire.Trace) bool {
	offline := func(turn wire.TurnTrace) bool {
		return strings.HasPrefix(turn.Reply, "offline:") && len(turn.Usage) == 0
	}
	return len(t.Turns) > 0 && offline(t.Turns[len(t.Turns)-1])
}

// judge joins what was said with why. A message that came between the two
// readings has no reason yet and is left out.
func judge(m *machine, h wire.History, t wire.Trace) []judged {
	why := make(map[string]wire.TurnTrace, len(t.Turns))
	for _, turn := range t.Turns {
		why[turn.MessageID] = turn
	}
	var turns []judged
	now := judged{machine: m, before: wire.HistoryMessage{StateKeyAtTime: m.initial()}}
	for _, message := range h.Messages {
		if message.Role == wire.RoleUser {
			now.said = message.Content
			continue
		}
		turn, told := why[message.ID]
		now.TurnTrace, now.after = turn, message
		now.countRedirects()
		if told {
			turns = append(turns, now)
		}
		now.before, now.said = message, ""
	}
	if n := len(turns); n > 0 && h.Outcome != nil {
		turns[n-1].outcome = *h.Outcome
	}
	return turns
}

func (j *judged) countRedirects() {
	switch decision := j.decision(); {
	case decision == personas.DecidePass || j.after.StateKeyAtTime != j.before.StateKeyAtTime:
		j.redirects = 0
	case decision == personas.DecideRedirect:
		j.redirects++
	}
}

func (j *judged) decision() personas.Decision {
	if j.after.Decision == nil {
		return ""
	}
	return personas.Decision(*j.after.Decision)
}

// The names of the facts that the screens show in their own way.
const (
	factSaid   = "said"
	factFired  = "fired"
	factState  = "state"
	factScore  = "score"
	factEnding = "ending"
)

// fact is one thing that an author is told about a turn; both are clean.
type fact struct{ name, text string }

// facts are what an author is told about a turn, in a fixed order: the words, how
// they were judged, what held, what fired, state, score, redirects, ending, and
// who spoke for how much.
func (j *judged) facts() []fact {
	var all []fact
	add := func(name, text string) {
		if text != "" {
			all = append(all, fact{name, text})
		}
	}
	add(factSaid, Clean(j.said))
	add("judged", Clean(j.Evaluation))
	for _, hold := range j.Holds {
		add("held", j.machine.moveWords(hold.Transition)+because(hold.Why, j.Evaluation))
	}
	add(factFired, j.fired())
	add(factState, j.stateWords())
	add(factScore, j.scoreWords())
	add("redirects", j.redirectWords())
	add(factEnding, outcomeWords(j.outcome))
	add("spoken by", Clean(j.Reply))
	add("summary", Clean(j.Summary))
	for _, cost := range costs(j.Usage) {
		add("tokens", cost)
	}
	return all
}

// because is a reason that has not been said already.
func because(why, said string) string {
	if why == "" || why == said {
		return ""
	}
	return ": " + Clean(why)
}

// fired says what the machine did with the judgement.
func (j *judged) fired() string {
	switch {
	case j.said == "":
		return ""
	case j.Transition != nil:
		return j.machine.moveWords(*j.Transition) + j.overruled()
	case j.after.FollowUpTriggered:
		return "nothing, the character wants to hear more"
	case j.decision() == "":
		return "nothing"
	}
	return "no transition, which counts as " + decisionWords(j.decision())
}

// overruled tells that something else came of a transition than it says: a
// redirect too many is a reject.
func (j *judged) overruled() string {
	i := *j.Transition
	if i < 0 || i >= len(j.machine.moves) || j.decision() == "" || j.machine.moves[i].Decision == j.decision() {
		return ""
	}
	return ", which counts as " + decisionWords(j.decision())
}

func (j *judged) stateWords() string {
	from, to := j.machine.state(j.before.StateKeyAtTime).title, j.machine.state(j.after.StateKeyAtTime).title
	if j.said == "" || j.before.StateKeyAtTime == j.after.StateKeyAtTime {
		return to
	}
	return "from " + from + " to " + to
}

func (j *judged) scoreWords() string {
	was, is := j.before.ScoreAtTime, j.after.ScoreAtTime
	switch {
	case !j.machine.scoring:
		return ""
	case j.said == "" || was == is:
		return fmt.Sprintf("%d of %d", is, j.machine.threshold)
	}
	return fmt.Sprintf("from %d to %d of %d", was, is, j.machine.threshold)
}

func (j *judged) redirectWords() string {
	limit := j.machine.state(j.after.StateKeyAtTime).maxRedirects
	switch {
	case j.redirects == 0:
		return ""
	case limit < 0:
		return fmt.Sprint(j.redirects)
	}
	return fmt.Sprintf("%d of %d", j.redirects, limit)
}

// moveWords names a transition by its number among those of its state, its
// decision and where it leads: "number 2 of 3, pass to In the yard, score +1".
func (m *machine) moveWords(i int) string {
	if i < 0 || i >= len(m.moves) {
		return fmt.Sprintf("the transition at place %d, which this version of the persona does not have", i)
	}
	words := m.moveEffect(i)
	if out := m.outgoing(m.moves[i].From); slices.Contains(out, i) {
		return fmt.Sprintf("number %d of %d, %s", slices.Index(out, i)+1, len(out), words)
	}
	return words
}

// moveEffect says what a transition does: "pass to In the yard, score +1".
func (m *machine) moveEffect(i int) string {
	t := &m.moves[i]
	words := decisionWords(t.Decision)
	if t.To != "" && t.To != t.From && (t.Decision == personas.DecidePass || t.Decision == personas.DecideReject) {
		words += " to " + m.state(t.To).title
	}
	if m.scoring && t.ScoreDelta != 0 {
		words += fmt.Sprintf(", score %+d", t.ScoreDelta)
	}
	return words
}

// outgoing are the places of a state's transitions in the order in which they are
// tried; nil where the service does not show the whole machine.
func (m *machine) outgoing(state string) []int {
	if m.rules == nil {
		return nil
	}
	return m.rules.Outgoing(state)
}

func decisionWords(d personas.Decision) string { return strings.ReplaceAll(Clean(string(d)), "_", " ") }

// costs are what a turn's steps cost, in the order in which they are made.
func costs(usage map[string]wire.Usage) []string {
	order := []string{"open", "evaluation", "response", "summarization", "extraction"}
	var steps []string
	for step := range usage {
		if !slices.Contains(order, step) {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	var lines []string
	for _, step := range append(order, steps...) {
		if u, made := usage[step]; made {
			lines = append(lines, fmt.Sprintf("%s by %s, read %s, wrote %s", Clean(step), Clean(u.Model), grouped(u.In), grouped(u.Out)))
		}
	}
	return lines
}
