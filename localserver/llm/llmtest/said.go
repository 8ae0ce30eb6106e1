package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// PlayerSaid returns the player's last message in a request from parley.
func (r Request) PlayerSaid() string {
	last := r.LastMessage()
	lines := strings.Split(last, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		var judged string
		text, ok := strings.CutPrefix(lines[i], "The message: ")
		if ok && json.Unmarshal([]byte(text), &judged) == nil {
			return judged
		}
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if !strings.HasPrefix(lines[i], `{"player": `) {
			continue
		}
		var message struct{ Player *string }
		if json.Unmarshal([]byte(lines[i]), &message) == nil && message.Player != nil {
			return *message.Player
		}
	}
	return last
}

// IsJudgement reports whether the request asks for a judgement in JSON.
func (r Request) IsJudgement() bool { return strings.Contains(string(r.Schema), `"matter"`) }

// IsLetter reports whether a request asks for the probabilities of letters.
func (r Request) IsLetter() bool { return r.Logprobs }

var judgedOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^([A-Z])\. \(([a-z_]+)\)`) })

// LetterOf returns the letter of the first choice with a decision, or "".
func (r Request) LetterOf(decision string) string {
	for _, option := range judgedOption().FindAllStringSubmatch(r.System, -1) {
		if option[2] == decision {
			return option[1]
		}
	}
	return ""
}

// JudgedAs returns an answer that selects the first choice with a decision, in JSON or as a letter.
// Without that choice, the answer is an aside.
func (r Request) JudgedAs(decision string) string {
	letter := r.LetterOf(decision)
	switch {
	case r.IsLetter():
		return cmp.Or(letter, "N")
	case letter == "":
		return `{"matter": false, "choice": "A"}`
	}
	return fmt.Sprintf(`{"matter": true, "choice": %q}`, letter)
}
