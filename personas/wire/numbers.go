package wire

import (
	"bytes"
	"encoding/json"
	"math"
)

// number decodes any JSON number to an int. The interface defines scores and counts as integers,
// but other services may send 3.0 or 2.5. Such numbers are rounded.
type number int

// UnmarshalJSON accepts any JSON number. null leaves the value unchanged.
func (n *number) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	var f float64
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*n = number(math.Round(max(math.MinInt32, min(math.MaxInt32, f))))
	return nil
}

// UnmarshalJSON decodes a reply. It rounds score and redirect_count.
func (r *Reply) UnmarshalJSON(data []byte) error {
	type plain Reply
	shape := struct {
		*plain
		Score     *number `json:"score"`
		Redirects *number `json:"redirect_count"`
	}{plain: (*plain)(r), Score: (*number)(&r.Score)}
	if err := json.Unmarshal(data, &shape); err != nil {
		return err
	}
	r.RedirectCount = (*int)(shape.Redirects)
	return nil
}

// UnmarshalJSON decodes a history. It rounds score and redirect_count.
func (h *History) UnmarshalJSON(data []byte) error {
	type plain History
	shape := struct {
		*plain
		Score     *number `json:"score"`
		Redirects *number `json:"redirect_count"`
	}{plain: (*plain)(h), Score: (*number)(&h.Score)}
	if err := json.Unmarshal(data, &shape); err != nil {
		return err
	}
	h.RedirectCount = (*int)(shape.Redirects)
	return nil
}

// UnmarshalJSON decodes a message. It rounds score_at_time.
func (m *HistoryMessage) UnmarshalJSON(data []byte) error {
	type plain HistoryMessage
	return json.Unmarshal(data, &struct {
		*plain
		Score *number `json:"score_at_time"`
	}{(*plain)(m), (*number)(&m.ScoreAtTime)})
}

// UnmarshalJSON decodes a machine. It rounds score.
func (m *CompletedMachine) UnmarshalJSON(data []byte) error {
	type plain CompletedMachine
	return json.Unmarshal(data, &struct {
		*plain
		Score *number `json:"score"`
	}{(*plain)(m), (*number)(&m.Score)})
}

// UnmarshalJSON decodes progress. It rounds the levels and converts variables of any type to
// strings.
func (p *Progress) UnmarshalJSON(data []byte) error {
	type plain Progress
	shape := struct {
		*plain
		Level *number                    `json:"relationship_level"`
		Total *number                    `json:"total_score"`
		Vars  map[string]json.RawMessage `json:"cross_machine_vars"`
	}{plain: (*plain)(p), Level: (*number)(&p.RelationshipLevel), Total: (*number)(&p.TotalScore)}
	if err := json.Unmarshal(data, &shape); err != nil {
		return err
	}
	p.CrossMachineVars = make(map[string]string, len(shape.Vars))
	for name, raw := range shape.Vars {
		var text string // "" for null
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		p.CrossMachineVars[name] = text
	}
	return nil
}
