package llmtest

import (
	"encoding/json"
	"net/http"
)

// Decided is a decision model's answer to a judge.
type Decided struct {
	// Matter is the probability that the message is no aside. Options contains the probability of
	// each option by key.
	Matter  float64
	Options map[string]float64
	// Refused means that the model refuses the choice. Unanswered means that the answer is missing.
	Refused, Unanswered bool
	// Failure, if set, replaces the answer.
	Failure *Failure
}

// Decide makes the double a decision model. wire is Decisions or SystemOne.
func (d *Double) Decide(wire Format, decide func(Request) Decided) *Double {
	d.decided, d.decide = wire, decide
	return d
}

// OptionKeys returns the keys of the options in a decision request.
func (r Request) OptionKeys() []string {
	var openAI struct {
		Questions []struct {
			Choices []struct {
				Value string `json:"value"`
			} `json:"choices"`
		} `json:"questions"`
	}
	var keys []string
	if json.Unmarshal(r.Body, &openAI) == nil {
		for _, question := range openAI.Questions {
			for _, choice := range question.Choices {
				keys = append(keys, choice.Value)
			}
		}
		return keys
	}
	var systemOne struct {
		Questions map[string]struct {
			Criteria map[string]json.RawMessage `json:"criteria"`
		} `json:"questions"`
	}
	if json.Unmarshal(r.Body, &systemOne) == nil {
		for key := range systemOne.Questions["verdict"].Criteria {
			keys = append(keys, key)
		}
	}
	return keys
}

func (d *Double) answerDecision(w http.ResponseWriter, seen Request) {
	answer := d.decide(seen)
	switch {
	case answer.Failure != nil:
		sendFailure(w, seen, *answer.Failure)
	case seen.Format == Decisions:
		writeJSON(w, jsonObject{
			"answers": answer.openAIAnswers(), "usage": jsonObject{"input_tokens": 100, "output_tokens": 1},
		})
	default:
		writeJSON(w, jsonObject{
			"answers": answer.systemOneAnswers(), "usage": jsonObject{"input_tokens": 100, "output_tokens": 1},
		})
	}
}

func (d Decided) openAIAnswers() []any {
	answers := []any{jsonObject{"type": "predicate", "name": "matter", "probability": d.Matter}}
	switch {
	case d.Refused:
		return append(answers, jsonObject{"type": "refusal", "name": "verdict"})
	case d.Unanswered:
		return answers
	}
	var options []any
	for key, p := range d.Options {
		options = append(options, jsonObject{"value": key, "probability": p})
	}
	return append(answers, jsonObject{"type": "choice", "name": "verdict", "probabilities": options})
}

func (d Decided) systemOneAnswers() jsonObject {
	answers := jsonObject{"matter": jsonObject{"type": "noul", "noul": d.Matter}}
	switch {
	case d.Refused:
		answers["verdict"] = jsonObject{"type": "refusal"}
	case !d.Unanswered:
		answers["verdict"] = jsonObject{"type": "choice", "probabilities": d.Options}
	}
	return answers
}
