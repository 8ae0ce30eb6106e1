package personafiles

import (
	"strconv"

	"github.com/parley-npc/parley/personas"
)

// DescribeCondition says in words when a link opens its target.
func DescribeCondition(l personas.Link) string {
	text := ""
	switch l.Condition {
	case personas.IfOutcome:
		text = "with " + string(l.Outcome)
	case personas.IfScoreGTE:
		text = "with a score of at least " + strconv.Itoa(l.Score)
	case personas.IfScoreLTE:
		text = "with a score of at most " + strconv.Itoa(l.Score)
	case personas.Always:
		text = "however it ends"
	}
	if l.AutoAdvance {
		text += ", and leads straight on"
	}
	return text
}
