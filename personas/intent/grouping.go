package intent

import "slices"

// likeEnough is the minimum similarity of a text to the first text of its group, from 0 to 1.
const likeEnough = 0.42

// A Grouping groups similar texts. Each text is compared with the first text of each group.
type Grouping struct {
	lexicon *Lexicon
	firsts  []*Reading
	index   *Index // index of firsts, or nil without groups
}

// NewGrouping returns an empty Grouping.
func NewGrouping(x *Lexicon) *Grouping { return &Grouping{lexicon: x} }

// Nearest returns the index of the most similar group, or -1 if no group is similar.
func (g *Grouping) Nearest(text string) int {
	if g.index == nil {
		return -1
	}
	scores := g.index.ScoreAll(text)
	best := slices.Index(scores, slices.Max(scores))
	if scores[best] < likeEnough {
		return -1
	}
	return best
}

// Begin starts a new group with a text.
func (g *Grouping) Begin(text string) {
	g.firsts = append(g.firsts, g.lexicon.Read(text))
	kinds := make([]int, len(g.firsts))
	for i := range kinds {
		kinds[i] = i
	}
	g.index = g.lexicon.NewIndex(g.firsts, kinds)
}
