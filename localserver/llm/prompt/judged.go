package prompt

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Below minLetters, the model's answer does not begin with a letter.
const minLetters = 0.5

// ReadLetter interprets the first tokens of the answer to BuildLetter. matter is the probability
// that the message is no aside. verdict contains the probability of each option for a message that
// is no aside.
func (q *Question) ReadLetter(first []provider.TokenProbability) (matter float64, verdict []float64, ok bool) {
	letters := make([]string, len(q.Options), len(q.Options)+1)
	for i := range q.Options {
		letters[i] = q.Options[i].Token
	}
	p, ok := shareLetters(first, append(letters, noneToken))
	matter = 1 - p[len(letters)]
	if !word().MatchString(q.message) { // The message has no word, so the model may only repeat a letter of it.
		matter = 0
	}
	return matter, q.shareOpen(p[:len(letters)]), ok
}

var word = plaintext.Pattern(`\p{L}\p{L}|\p{Lo}|\p{N}`)

// ReadDecision interprets the answer to BuildDecision. ok is false without an answer to both
// questions.
func (q *Question) ReadDecision(first []provider.TokenProbability) (matter float64, verdict []float64, ok bool) {
	verdict, sum, hasMatter := make([]float64, len(q.Options)), 0.0, false
	for _, t := range first {
		p := min(max(t.Probability, 0), 1)
		if t.Token == provider.DecisionMatter {
			matter, hasMatter = p, true
		}
		for i := range q.Options {
			if !q.Options[i].Closed && q.decisionKey(i) == t.Token {
				verdict[i] = p
				sum += p
			}
		}
	}
	if !hasMatter || sum == 0 {
		return 0, verdict, false
	}
	return matter, q.shareOpen(verdict), true
}

func shareLetters(first []provider.TokenProbability, letters []string) (shares []float64, ok bool) {
	shares, sum := make([]float64, len(letters)), 0.0
	for _, t := range first {
		for i, letter := range letters {
			if letterOf(t.Token) == letter {
				shares[i] += t.Probability
				sum += t.Probability
			}
		}
	}
	if sum < minLetters {
		return shares, false
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares, true
}

func letterOf(text string) string {
	word := strings.ToUpper(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) || r == 'Ġ' }))
	if len(word) != 1 {
		return ""
	}
	return word
}

func (q *Question) shareOpen(probabilities []float64) []float64 {
	sum := 0.0
	for i := range probabilities {
		if q.Options[i].Closed {
			probabilities[i] = 0
		}
		sum += probabilities[i]
	}
	for i := range probabilities {
		switch {
		case sum > 0:
			probabilities[i] /= sum
		case !q.Options[i].Closed: // All probability was in closed options, so the open ones become equal.
			probabilities[i] = 1 / float64(len(q.openLetters()))
		}
	}
	return probabilities
}

// ReadJSON decodes the answer to BuildJSON. ReadJSON accepts names in any case, a bare letter, and
// an aside without a choice. ReadJSON rejects an answer that occurs in the player's message.
func (q *Question) ReadJSON(answer string) (matter float64, verdict []float64, fault AnswerFault) {
	verdict = make([]float64, len(q.Options))
	if q.isEcho(answer) {
		return 0, verdict, WrongShape
	}
	choice := bareChoice(answer)
	if choice == "" {
		members, ok := readMembers(answer)
		if !ok {
			return 0, verdict, WrongShape
		}
		truth := readTruth(members["matter"])
		text, isText := readText(members["choice"])
		choice = text
		if holds, ok := readHolds(members["holds"]); ok {
			choice, isText, truth = holds, true, map[bool]string{true: "false"}[holds == ""]
		}
		switch {
		case truth == "false":
			return 0, q.shareOpen(verdict), NoFault
		case !isText || truth == "" && members["matter"] != nil:
			return 0, verdict, WrongShape
		}
	}
	i := q.findOption(choice)
	if i < 0 {
		return 0, verdict, UnknownChoice
	}
	verdict[i] = 1
	return 1, verdict, NoFault
}

func (q *Question) findOption(choice string) int {
	letter, decision := letterOf(choice), strings.ToLower(strings.Trim(choice, " \t\r\n.\"'"))
	last := decision[strings.LastIndex(decision, "-")+1:] // of a name such as 1-pass
	index := -1
	for i := range q.Options {
		o := &q.Options[i]
		switch {
		case o.Closed:
		case o.Letter == letter:
			return i
		case o.Decision != decision && o.Decision != last:
		case index >= 0:
			return -1
		default:
			index = i
		}
	}
	return index
}

// Some models send a list with one name instead of the name.
func readHolds(raw json.RawMessage) (choice string, ok bool) {
	var names []string
	if raw == nil || json.Unmarshal(raw, &names) != nil || len(names) > 1 {
		return "", false
	}
	return strings.Join(names, ""), true
}

const longestBare = len(`"follow_up".`)

func bareChoice(answer string) string {
	answer = strings.TrimSpace(answer)
	if len(answer) > longestBare || strings.ContainsAny(answer, " {[") {
		return ""
	}
	if letter := letterOf(answer); letter != "" {
		return letter
	}
	return answer
}

func (q *Question) isEcho(answer string) bool {
	foldedAnswer, foldedMessage := foldSpace(answer), foldSpace(q.message)
	if foldedAnswer == "" || foldedAnswer == foldedMessage {
		return foldedAnswer != ""
	}
	return len(foldedAnswer) > 1 && strings.Contains(foldedAnswer, "{") && strings.Contains(foldedMessage, foldedAnswer)
}

func foldSpace(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), ""))
}

func readTruth(raw json.RawMessage) string {
	switch strings.ToLower(strings.Trim(string(raw), `"`)) {
	case "true", "yes", "y", "1":
		return "true"
	case "false", "no", "n", "0":
		return "false"
	}
	return ""
}

const (
	// MaxSummary is the maximum length of a summary in characters.
	MaxSummary = 1200
	maxValue   = 200
)

func valuesSchema(list []askedVariable) *provider.Schema {
	members := make(provider.OrderedObject, len(list))
	for i, a := range list {
		members[i] = provider.Member{Name: a.Name, Value: kind{Type: []string{"string", "null"}}}
	}
	return &provider.Schema{Name: "values", JSON: objectSchema(members)}
}

// ReadValues decodes the output variables in an answer to r. Each value becomes one line. Null,
// blank and unrequested values are omitted. An answer without any requested name is faulty.
func ReadValues(r provider.Request, input llm.Input, answer string) (map[string]string, AnswerFault) {
	read, ok := readMembers(answer)
	if !ok {
		return nil, WrongShape
	}
	values, fault, count := map[string]string{}, NoFault, 0
	for name, raw := range read {
		key := keyOf(input, r.MeaningOf(name))
		if key == "" {
			continue
		}
		count++
		text, isText := readText(raw)
		if !isText && string(raw) != "null" {
			fault = WrongShape
		}
		if text = plaintext.ClipWithin(joinLines(text), maxValue); text != "" {
			values[key] = text
		}
	}
	if count == 0 {
		return nil, WrongShape
	}
	return values, fault
}

func keyOf(input llm.Input, meaning string) string {
	for i := range input.Machine.OutputVariables {
		if key := input.Machine.OutputVariables[i].Key; meaningOfKey(key) == meaning {
			return key
		}
	}
	return ""
}

// ReadSummary converts an answer to a summary of at most MaxSummary characters. The only control
// characters are line breaks.
func ReadSummary(input llm.Input, answer string) string {
	lines := strings.Split(strings.ReplaceAll(FillMarks(input, answer), "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = joinLines(lines[i])
	}
	return plaintext.ClipWithin(strings.TrimSpace(strings.Join(lines, "\n")), MaxSummary)
}
