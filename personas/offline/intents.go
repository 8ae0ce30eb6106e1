package offline

import "strings"

// intentNames is the order of the built-in intents.
var intentNames = [...]string{
	"greeting", "thanks", "goodbye", "help", "who_are_you", "where", "goal", "my_name_is", "my_name",
	"repeat", "bot", "joke", "not_understood", "other_language", smallTalk,
}

// smallTalk is what has nothing to do with the matter.
const smallTalk = "small_talk"

func intentTexts(bank map[string]string) (texts []string, kinds []int) {
	for i, name := range intentNames {
		for line := range strings.Lines(bank[name]) {
			texts, kinds = append(texts, strings.TrimSpace(line)), append(kinds, i)
		}
	}
	return texts, kinds
}
