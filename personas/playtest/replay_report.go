package playtest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/intent"
)

const (
	maxReplayMessages = 5   // in a group
	maxReplayGroups   = 200 // groups of similar messages with the same change
)

// A ReplayReport compares recorded conversations with a new version of the persona.
type ReplayReport struct {
	Persona       string   `json:"persona"`
	Judge         string   `json:"judge"`
	Verdicts      string   `json:"verdicts"` // "kept" if the recorded verdicts were used, or "asked" if a judge was asked
	Conversations int      `json:"conversations"`
	Messages      int      `json:"messages"`
	LeftOut       int      `json:"left_out"` // without a message or with an unknown machine
	LeftTrack     int      `json:"left_track"`
	Same          int      `json:"same"` // with unchanged decisions and ending
	Endings       []Ending `json:"endings"`
	Flows         []Flow   `json:"flows"`
	// Differences contains the first changed message of each conversation. JudgedOtherwise contains
	// all played messages with another decision.
	Differences     []ReplayGroup `json:"differences"`
	JudgedOtherwise []ReplayGroup `json:"judged_otherwise"`
	// Noise counts conversations that differ when the judge repeats the old version, or is nil
	// without an old version.
	Noise *int `json:"noise,omitempty"`
}

// An Ending counts the conversations that end with an outcome, "open" or "left". Before and After
// count the recorded and the new endings. Baseline counts a new judgement of the old version, or is
// nil. Share is After divided by the conversations played to the end. Low and High are the bounds of
// the 95 % interval (Wilson).
type Ending struct {
	Ending   string  `json:"ending"`
	Before   int     `json:"before"`
	Baseline *int    `json:"baseline,omitempty"`
	After    int     `json:"after"`
	Share    float64 `json:"share"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// A Flow counts the conversations that ended with Before and now end with After.
type Flow struct {
	Before string `json:"before"`
	After  string `json:"after"`
	Count  int    `json:"count"`
}

// A ReplayGroup contains similar messages with the same change of their effects.
type ReplayGroup struct {
	Machine  string   `json:"machine_key"`
	State    string   `json:"state_key"`
	Before   string   `json:"before"`
	After    string   `json:"after"`
	Count    int      `json:"count"`
	Messages []string `json:"messages"` // at most 5 different messages
	Source   string   `json:"source"`   // of the first message
}

type groupKey struct{ machine, state, before, after string }

type collector struct {
	*ReplayReport

	endings       map[string]*Ending
	flows         map[[2]string]int
	first, judged changeGrouper // for Differences and JudgedOtherwise
}

type changeGrouper struct {
	list      []ReplayGroup
	groupings map[groupKey]*grouping
	lexicon   *intent.Lexicon
}

func newChangeGrouper(lexicon *intent.Lexicon) changeGrouper {
	return changeGrouper{[]ReplayGroup{}, map[groupKey]*grouping{}, lexicon}
}

// Replay plays the conversations with the current version. baseline is the old version with a
// judge, or nil. Replay calls done after each conversation and returns errors of the judge or of
// ctx.
func Replay(
	ctx context.Context, current, baseline *Version, all []Conversation, lexicon *intent.Lexicon, done func(),
) (*ReplayReport, error) {
	collected := &collector{
		ReplayReport: &ReplayReport{}, endings: map[string]*Ending{}, flows: map[[2]string]int{},
		first: newChangeGrouper(lexicon), judged: newChangeGrouper(lexicon),
	}
	if baseline != nil {
		collected.Noise = new(int)
	}
	for i := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := collected.add(ctx, current, baseline, &all[i]); err != nil {
			return nil, err
		}
		done()
	}
	return collected.finish(), nil
}

func (c *collector) add(ctx context.Context, now, baseline *Version, talk *Conversation) error {
	if len(talk.Turns) == 0 || !now.HasMachine(talk.Machine) {
		c.LeftOut++
		return nil
	}
	after, err := now.Play(ctx, talk)
	if err != nil {
		return err
	}
	before := cmp.Or(talk.Turns[len(talk.Turns)-1].Effect.Outcome, EndOpen)
	c.Conversations++
	c.Messages += len(talk.Turns)
	c.ending(before).Before++
	c.ending(after.End).After++
	c.flows[[2]string{before, after.End}]++
	if after.End == EndLeft {
		c.LeftTrack++
	}
	if turn := after.Same(talk); turn < len(talk.Turns) {
		c.first.add(talk, &after, turn)
	} else if before == after.End {
		c.Same++
	}
	for i := range after.Effects {
		if after.Effects[i].Decision != talk.Turns[i].Effect.Decision {
			c.judged.add(talk, &after, i)
		}
	}
	if baseline == nil || !baseline.HasMachine(talk.Machine) {
		return nil
	}
	track, err := baseline.Play(ctx, talk)
	if err != nil {
		return err
	}
	if track.Same(talk) < len(talk.Turns) {
		*c.Noise++
	}
	e := c.ending(track.End)
	if e.Baseline == nil {
		e.Baseline = new(int)
	}
	*e.Baseline++
	return nil
}

func (c *collector) ending(name string) *Ending {
	if c.endings[name] == nil {
		c.endings[name] = &Ending{Ending: name}
	}
	return c.endings[name]
}

func (g *changeGrouper) add(talk *Conversation, t *Track, turn int) {
	key := groupKey{talk.Machine, talk.Opening, talk.Turns[turn].Effect.describe(), EndLeft}
	if turn > 0 {
		key.state = talk.Turns[turn-1].Effect.State
	}
	if turn < len(t.Effects) {
		key.after = t.Effects[turn].describe()
	}
	message := talk.Turns[turn].Message
	similar := g.groupings[key]
	if similar == nil {
		similar = &grouping{Grouping: intent.NewGrouping(g.lexicon)}
		g.groupings[key] = similar
	}
	if i := similar.Nearest(message); i >= 0 {
		group := &g.list[similar.groups[i]]
		group.Count++
		isSame := func(other string) bool { return strings.EqualFold(other, message) }
		if len(group.Messages) < maxReplayMessages && !slices.ContainsFunc(group.Messages, isSame) {
			group.Messages = append(group.Messages, message)
		}
		return
	}
	if len(similar.groups) == maxReplayGroups { // the last group also counts all other messages
		g.list[similar.groups[maxReplayGroups-1]].Count++
		return
	}
	similar.Begin(message)
	similar.groups = append(similar.groups, len(g.list))
	g.list = append(g.list, ReplayGroup{key.machine, key.state, key.before, key.after, 1, []string{message}, talk.Source})
}

func (g *changeGrouper) sorted() []ReplayGroup {
	slices.SortStableFunc(g.list, func(a, b ReplayGroup) int { return cmp.Compare(b.Count, a.Count) })
	return g.list
}

func (s *Effect) describe() string {
	return s.Decision + " to " + cmp.Or(s.Outcome, s.State)
}

func (c *collector) finish() *ReplayReport {
	c.Endings, c.Flows = []Ending{}, []Flow{}
	onTrack := c.Conversations - c.LeftTrack
	for _, e := range c.endings {
		if e.Ending != EndLeft {
			e.Share, e.Low, e.High = wilson(e.After, onTrack)
		}
		if c.Noise != nil && e.Baseline == nil {
			e.Baseline = new(int)
		}
		c.Endings = append(c.Endings, *e)
	}
	slices.SortFunc(c.Endings, func(a, b Ending) int {
		byRank := cmp.Compare(rank(a.Ending), rank(b.Ending))
		byCount := cmp.Compare(b.After+b.Before, a.After+a.Before)
		return cmp.Or(byRank, byCount, cmp.Compare(a.Ending, b.Ending))
	})
	for k, n := range c.flows {
		c.Flows = append(c.Flows, Flow{k[0], k[1], n})
	}
	slices.SortFunc(c.Flows, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After))
	})
	c.Differences, c.JudgedOtherwise = c.first.sorted(), c.judged.sorted()
	return c.ReplayReport
}

func rank(ending string) int {
	switch ending {
	case EndOpen:
		return 1
	case EndLeft:
		return 2
	}
	return 0
}

// wilson returns the share of k in n and the Wilson interval at 95 %.
func wilson(k, n int) (share, low, high float64) {
	if n == 0 {
		return 0, 0, 0
	}
	const z = 1.96
	total := float64(n)
	share = float64(k) / total
	middle := share + z*z/(2*total)
	spread := z * math.Sqrt(share*(1-share)/total+z*z/(4*total*total))
	return share, max(0, (middle-spread)/(1+z*z/total)), min(1, (middle+spread)/(1+z*z/total))
}
