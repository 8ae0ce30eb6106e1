package provider

import (
	"encoding/json"
	"slices"
	"strings"
)

type decisionBody struct {
	Model     string `json:"model"`
	State     string `json:"state,omitempty"`
	Input     string `json:"input,omitempty"`
	Questions any    `json:"questions"`
}

func buildDecision(model string, r Request) (path string, body any) {
	d := r.Decision
	state := r.System
	for _, m := range r.Messages {
		state += "\n\n" + m.Text
	}
	if d.Wire == OpenAIDecisions {
		choices := []map[string]string{}
		for _, o := range d.Options {
			choices = append(choices, map[string]string{"value": o.Key, "description": o.Text})
		}
		return "/decisions", decisionBody{Model: model, Input: state, Questions: []map[string]any{
			{"type": "predicate", "name": "matter", "instructions": d.Matter},
			{"type": "choice", "name": "verdict", "instructions": d.Verdict, "choices": choices},
		}}
	}
	return "/systemone", decisionBody{Model: model, State: state, Questions: orderedMembers{
		{"matter", map[string]any{"type": "noul", "instructions": d.Matter, "criteria": orderedMembers{{"true", d.Yes}, {"false", d.No}}}},
		{"verdict", map[string]any{"type": "choice", "instructions": d.Verdict, "criteria": optionMembers(d.Options)}},
	}}
}

// orderedMembers is a JSON object with a fixed order of members, because models read members in
// order.
type orderedMembers []struct {
	name  string
	value any
}

func optionMembers(options []DecisionOption) orderedMembers {
	var members orderedMembers
	for _, o := range options {
		members = append(members, struct {
			name  string
			value any
		}{o.Key, o.Text})
	}
	return members
}

// MarshalJSON encodes the members in their order.
func (o orderedMembers) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// decisionAnswer is an answer in either wire format. System One sends Answers as an object, and
// OpenAI as a list.
type decisionAnswer struct {
	Answers json.RawMessage `json:"answers"`
	Usage   lenient[struct {
		In      tokenCount `json:"input_tokens"`
		Out     tokenCount `json:"output_tokens"`
		Cost    dollars    `json:"cost"`
		Details lenient[struct {
			Cached tokenCount `json:"cached_tokens"`
		}] `json:"input_tokens_details"`
	}] `json:"usage"`
}

type decidedQuestion struct {
	Type          string               `json:"type"`
	Name          string               `json:"name"`
	Noul          *float64             `json:"noul"`
	Probability   *float64             `json:"probability"`
	Probabilities decidedProbabilities `json:"probabilities"`
}

// decidedProbabilities is encoded as an object, or as a list of values with probabilities.
type decidedProbabilities []TokenProbability

// UnmarshalJSON decodes both encodings.
func (p *decidedProbabilities) UnmarshalJSON(data []byte) error {
	var byKey map[string]float64
	if json.Unmarshal(data, &byKey) == nil {
		for key, probability := range byKey {
			*p = append(*p, TokenProbability{key, probability})
		}
		slices.SortFunc(*p, func(a, b TokenProbability) int { return strings.Compare(a.Token, b.Token) })
		return nil
	}
	var list []struct {
		Value       string  `json:"value"`
		Probability float64 `json:"probability"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, one := range list {
		*p = append(*p, TokenProbability{one.Value, one.Probability})
	}
	return nil
}

type decided struct {
	first           []TokenProbability
	in, out, cached int
	cost            float64
	refused         bool
}

// readDecision reads the probabilities of an answer, which lacks them for a question that the model
// could not answer. ok is false for other answers.
func readDecision(body []byte) (d decided, ok bool) {
	var answer decisionAnswer
	if json.Unmarshal(body, &answer) != nil || len(answer.Answers) == 0 {
		return d, false
	}
	byName := map[string]decidedQuestion{}
	if json.Unmarshal(answer.Answers, &byName) != nil {
		var list []decidedQuestion
		if json.Unmarshal(answer.Answers, &list) != nil {
			return d, false
		}
		for _, q := range list {
			byName[q.Name] = q
		}
	}
	if u := answer.Usage.value; u != nil {
		d.in, d.out, d.cost = int(u.In), int(u.Out), float64(u.Cost)
		if u.Details.value != nil {
			d.cached = int(u.Details.value.Cached)
		}
	}
	matter, verdict := byName["matter"], byName["verdict"]
	for _, p := range [...]*float64{matter.Noul, matter.Probability} {
		if p != nil {
			d.first = append(d.first, TokenProbability{DecisionMatter, *p})
		}
	}
	d.first = append(d.first, verdict.Probabilities...)
	d.refused = matter.Type == "refusal" || verdict.Type == "refusal"
	return d, true
}
