package llm

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// plainTexts are what is said where the author gave no words. What the character says stands as it
// is, and what a narrator tells in brackets, as a whole sentence. In them
// {who} is the character, {name} the same as briefly as the author calls it, {player} the player,
// {what} the state's label, {goal} what the player should try, {about} what the character is,
// {where} the place, {last} what the character said last.
type plainTexts struct {
	somebody, listener        string // for a character and a player without a name
	opening                   []string
	lines                     personas.Lines // without enter
	hint, endsWell, ends, now string
	talk                      map[nlu.Talk][]string
	intents                   map[personas.Intent][]string
}
