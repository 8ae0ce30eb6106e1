package offline

import "github.com/parley-npc/parley/personas"

// AnswerFor returns what the author answers to an intent there: the state's answer
// before its machine's, and this before the persona's; nil for none.
func AnswerFor(at Place, intent personas.Intent) *personas.Answer { return findAnswer(&at, intent) }
