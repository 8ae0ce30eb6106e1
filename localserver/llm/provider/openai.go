package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

type openAI struct{}

var openAIThinkers = plaintext.Pattern(`^(?:o\d|gpt-[5-9])`)

type openAIBody struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	Stream              bool            `json:"stream,omitempty"`
	StreamOptions       *openAIUsage    `json:"stream_options,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	ResponseFormat      *openAIShape    `json:"response_format,omitempty"`
	Logprobs            bool            `json:"logprobs,omitempty"`
	TopLogprobs         int             `json:"top_logprobs,omitempty"`
	TemplateArguments   map[string]any  `json:"chat_template_kwargs,omitempty"`
}

type openAIMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type openAIUsage struct {
	IncludeUsage bool `json:"include_usage"`
}

type openAIShape struct {
	Type   string        `json:"type"`
	Schema *openAISchema `json:"json_schema,omitempty"`
}

type openAISchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

func (openAI) buildRequest(model string, r Request, learned quirks, stream bool) (string, any) {
	thinker := openAIThinks(model)
	body := openAIBody{Model: model, Stream: stream, ResponseFormat: openAIFormat(r.Schema, learned.rung)}
	if system := instructionsOf(r, learned.rung); system != "" {
		body.Messages = append(body.Messages, openAIMessage{Role: "system", Content: system})
	}
	for _, m := range r.Messages {
		body.Messages = append(body.Messages, openAIMessage{Role: m.Role, Content: m.Text})
	}
	if stream && !learned.has(noUsage) {
		body.StreamOptions = &openAIUsage{IncludeUsage: true}
	}
	if !thinker && !learned.has(noTemperature) {
		body.Temperature = r.Temperature
	}
	if thinker && !learned.has(noEffort) {
		body.ReasoningEffort = "low"
	}
	body.Logprobs, body.TopLogprobs = r.TopTokens > 0, r.TopTokens
	if r.NoThinking && !learned.has(noTemplate) {
		body.TemplateArguments = map[string]any{"enable_thinking": false}
	}
	if limit := learned.tokenLimit(r, thinker); thinker != learned.has(otherLimit) {
		body.MaxCompletionTokens = limit
	} else {
		body.MaxTokens = limit
	}
	return "/chat/completions", body
}

func openAIThinks(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	return openAIThinkers().MatchString(name) && !strings.Contains(name, "-chat")
}

func openAIFormat(s *Schema, rung int) *openAIShape {
	switch {
	case s == nil || rung == rungWords:
		return nil
	case rung == rungJSON:
		return &openAIShape{Type: "json_object"}
	}
	return &openAIShape{Type: "json_schema", Schema: &openAISchema{Name: s.Name, Strict: true, Schema: s.JSON}}
}

func (openAI) authHeaders(key string) map[string]string {
	if key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + key}
}

type openAIAnswer struct {
	Choices []struct {
		Index        int                     `json:"index"`
		Message      openAIText              `json:"message"`
		Delta        openAIText              `json:"delta"`
		FinishReason string                  `json:"finish_reason"`
		OtherReason  string                  `json:"finishReason"`
		Logprobs     lenient[openAILogprobs] `json:"logprobs"`
	} `json:"choices"`
	Usage   lenient[openAICounts]    `json:"usage"`
	Timings lenient[llamaCPPTimings] `json:"timings"`
	Error   json.RawMessage          `json:"error"`
}

type openAICounts struct {
	Prompt     tokenCount `json:"prompt_tokens"`
	Completion tokenCount `json:"completion_tokens"`
	Details    lenient[struct {
		Cached tokenCount `json:"cached_tokens"`
	}] `json:"prompt_tokens_details"`
	CacheHit tokenCount `json:"prompt_cache_hit_tokens"`
	Cost     dollars    `json:"cost"`
}

type llamaCPPTimings struct {
	Cached tokenCount `json:"cache_n"`
}

type openAILogprobs struct {
	Content []tokenLogprobs `json:"content"`
}

type tokenLogprobs struct {
	Top []struct {
		Token   string  `json:"token"`
		Logprob float64 `json:"logprob"`
	} `json:"top_logprobs"`
}

func (a *answerText) addFirst(places []tokenLogprobs) {
	if len(places) == 0 || a.first != nil {
		return
	}
	for _, t := range places[0].Top {
		a.first = append(a.first, TokenProbability{t.Token, math.Exp(min(t.Logprob, 0))})
	}
}

type openAIText struct {
	Content openAIContent `json:"content"`
	Refusal string        `json:"refusal"`
}

// Mistral sends a list of parts for thinking models.
type openAIContent string

func (c *openAIContent) UnmarshalJSON(data []byte) error {
	var text plaintext.Piece
	if json.Unmarshal(data, &text) == nil {
		*c = openAIContent(text)
		return nil
	}
	var parts []struct {
		Type string          `json:"type"`
		Text plaintext.Piece `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		if part.Type == "text" {
			*c += openAIContent(part.Text)
		}
	}
	return nil
}

func (o openAI) readWhole(body []byte, out *answerText) error {
	return o.readChoices(body, out, true)
}

func (o openAI) readEvent(data []byte, out *answerText) error {
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		out.ended, out.complete = true, true
		if out.finish == "" {
			out.finish = Stopped
		}
		return nil
	}
	return o.readChoices(data, out, false)
}

func (openAI) readChoices(data []byte, out *answerText, complete bool) error {
	var answer openAIAnswer
	if err := json.Unmarshal(data, &answer); err != nil {
		return newUnreadable(err)
	}
	if isSet(answer.Error) {
		return readMidStream(data)
	}
	usage := answer.Usage.value
	cached := max(cmp.Or(usage.Details.value.Cached, usage.CacheHit), answer.Timings.value.Cached)
	out.addUsage(usage.Prompt, usage.Completion, cached, usage.Cost)
	for _, choice := range answer.Choices {
		if choice.Index != 0 {
			continue
		}
		out.addFirst(choice.Logprobs.value.Content)
		text, reason := choice.Delta, cmp.Or(choice.FinishReason, choice.OtherReason)
		if complete {
			text = choice.Message
			reason = cmp.Or(reason, "stop")
		}
		if err := out.addPiece(string(text.Content)); err != nil {
			return err
		}
		if text.Refusal != "" {
			reason = "content_filter"
		}
		if err := openAIFinish(strings.ToLower(reason), out); err != nil {
			return err
		}
	}
	return nil
}

func openAIFinish(reason string, out *answerText) error {
	switch reason {
	case "":
		return nil
	case "length", "model_length", "max_tokens", "max_output_tokens":
		out.setFinish(Length)
	case "content_filter":
		out.setFinish(Refused)
	case "error", "insufficient_system_resource":
		return &failure{kind: Down, retryable: true, problem: "the provider aborted the answer"}
	default:
		// The stop after a refusal must not overwrite an earlier refusal.
		if out.finish != Refused {
			out.setFinish(Stopped)
		}
	}
	return nil
}

func isSet(raw json.RawMessage) bool {
	return len(raw) > 0 && !slices.Contains([]string{"null", "{}", `""`, "false"}, string(raw))
}

// Together AI sends a bare list.
func (openAI) readModels(body []byte) ([]string, error) {
	var answer struct {
		Data []modelEntry `json:"data"`
	}
	err := json.Unmarshal(body, &answer)
	if err != nil {
		err = json.Unmarshal(body, &answer.Data)
	}
	return modelNames(answer.Data), err
}

type modelEntry struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func modelNames(list []modelEntry) []string {
	var all []string
	for _, n := range list {
		all = append(all, cmp.Or(n.ID, n.Name))
	}
	return all
}
