package intent

import "slices"

// likeEnough is the least similarity of a text to the first one of its group, from 0 to 1.
const likeEnough = 0.42

// A Grouping groups texts by similarity. Each text is compared with the first one of each group.
type Grouping struct {
	lexicon *Lexicon
	firsts  []*Reading
	index   *Index // of firsts; nil while there is no group
}

// NewGrouping returns a Grouping without groups.
func NewGrouping(x *Lexicon) *Grouping { return &Grouping{lexicon: x} }

// Nearest returns the index of the group of a text, or -1 if no group is similar.
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

// Begin makes a text the first one of a new group.
func (g *Grouping) Begin(text string) {
	g.firsts = append(g.firsts, g.lexicon.Read(text))
	kinds := make([]int, len(g.firsts))
	for i := range kinds {
		kinds[i] = i
	}
	g.index = g.lexicon.NewIndex(g.firsts, kinds)
}
