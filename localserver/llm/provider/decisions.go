package provider

import (
	"cmp"
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
	decision := r.Decision
	state := r.System
	for _, m := range r.Messages {
		state += "\n\n" + m.Text
	}
	if decision.Wire == OpenAIDecisions {
		choices := []map[string]string{}
		for _, o := range decision.Options {
			choices = append(choices, map[string]string{"value": o.Key, "description": o.Text})
		}
		return "/decisions", decisionBody{Model: model, Input: state, Questions: []map[string]any{
			{"type": "predicate", "name": "matter", "instructions": decision.Matter},
			{"type": "choice", "name": "verdict", "instructions": decision.Verdict, "choices": choices},
		}}
	}
	var options OrderedObject
	for _, o := range decision.Options {
		options = append(options, Member{o.Key, o.Text})
	}
	return "/systemone", decisionBody{Model: model, State: state, Questions: OrderedObject{
		{"matter", map[string]any{
			"type": "noul", "instructions": decision.Matter,
			"criteria": OrderedObject{{"true", decision.Yes}, {"false", decision.No}},
		}},
		{"verdict", map[string]any{"type": "choice", "instructions": decision.Verdict, "criteria": options}},
	}}
}

// OrderedObject is a JSON object with ordered members, because models read and write members in
// order.
type OrderedObject []Member

// Member is a member of an OrderedObject.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON encodes the members in their order.
func (o OrderedObject) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

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

type decidedProbabilities []TokenProbability

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
	for _, decided := range list {
		*p = append(*p, TokenProbability{decided.Value, decided.Probability})
	}
	return nil
}

func readDecision(body []byte, out *answerText) bool {
	var answer decisionAnswer
	if json.Unmarshal(body, &answer) != nil || len(answer.Answers) == 0 {
		return false
	}
	byName := map[string]decidedQuestion{}
	if json.Unmarshal(answer.Answers, &byName) != nil {
		var list []decidedQuestion
		if json.Unmarshal(answer.Answers, &list) != nil {
			return false
		}
		for _, q := range list {
			byName[q.Name] = q
		}
	}
	u := answer.Usage.value
	out.addUsage(u.In, u.Out, u.Details.value.Cached, u.Cost)
	matter, verdict := byName["matter"], byName["verdict"]
	if p := cmp.Or(matter.Noul, matter.Probability); p != nil {
		out.first = append(out.first, TokenProbability{DecisionMatter, *p})
	}
	out.first = append(out.first, verdict.Probabilities...)
	out.setFinish(Stopped)
	if matter.Type == "refusal" || verdict.Type == "refusal" {
		out.setFinish(Refused)
	}
	return true
}
