package llm

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// plainTexts are what a narrator says where the author gave no words. In them
// {who} is the character, {player} the player, {what} the state's label, {goal}
// what the player should try, {about} what the character is, {where} the place,
// {last} what the character said last.
type plainTexts struct {
	somebody, listener        string // for a character and a player without a name
	opening                   []string
	lines                     personas.Lines // without enter
	hint, endsWell, ends, now string
	talk                      map[nlu.Talk][]string
	intents                   map[personas.Intent][]string
}
