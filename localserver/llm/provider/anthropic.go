package provider

import (
	"encoding/json"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	anthropicVersion = "2023-06-01"
	anthropicTokens  = 4096
)

type anthropicBody struct {
	Model        string           `json:"model"`
	MaxTokens    int              `json:"max_tokens"`
	System       string           `json:"system,omitempty"`
	Messages     []openAIMessage  `json:"messages"`
	Stream       bool             `json:"stream,omitempty"`
	Temperature  *float64         `json:"temperature,omitempty"`
	Tools        []anthropicTool  `json:"tools,omitempty"`
	ToolChoice   *anthropicChoice `json:"tool_choice,omitempty"`
	OutputConfig anthropicOutput  `json:"output_config,omitzero"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type anthropicChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type anthropicOutput struct {
	Effort string           `json:"effort,omitempty"`
	Format *anthropicFormat `json:"format,omitempty"`
}

type anthropicFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

func (anthropic) buildRequest(model string, r Request, learned quirks, stream bool) (string, any) {
	body := anthropicBody{Model: model, MaxTokens: learned.tokenLimit(r, false), System: r.System, Stream: stream}
	if body.MaxTokens == 0 {
		body.MaxTokens = anthropicTokens
	}
	for _, m := range r.Messages {
		body.Messages = append(body.Messages, openAIMessage{Role: m.Role, Content: m.Text})
	}
	if !learned.has(noTemperature) {
		body.Temperature = r.Temperature
	}
	if learned.has(thinks) && !learned.has(noEffort) {
		body.OutputConfig.Effort = "low"
	}
	body.setShape(r, learned.rung)
	return "/messages", body
}

// Models that always think reject a forced tool.
func (b *anthropicBody) setShape(r Request, rung int) {
	switch {
	case r.Schema == nil:
	case rung == rungSchema:
		b.Tools = []anthropicTool{{Name: r.Schema.Name, Description: "Gives the answer.", InputSchema: r.Schema.JSON}}
		b.ToolChoice = &anthropicChoice{Type: "tool", Name: r.Schema.Name}
	case rung == rungJSON:
		b.OutputConfig.Format = &anthropicFormat{Type: "json_schema", Schema: r.Schema.JSON}
	default:
		b.System = instructionsOf(r, rung)
	}
}

func (anthropic) authHeaders(key string) map[string]string {
	return map[string]string{"X-Api-Key": key, "Anthropic-Version": anthropicVersion}
}

type anthropicAnswer struct {
	Type       string                  `json:"type"`
	Content    []anthropicContent      `json:"content"`
	StopReason string                  `json:"stop_reason"`
	Usage      lenient[anthropicUsage] `json:"usage"`
}

type anthropicContent struct {
	Type  string          `json:"type"`
	Text  plaintext.Piece `json:"text"`
	Input json.RawMessage `json:"input"`
}

type anthropicUsage struct {
	Input         tokenCount `json:"input_tokens"`
	CacheCreation tokenCount `json:"cache_creation_input_tokens"`
	CacheRead     tokenCount `json:"cache_read_input_tokens"`
	Output        tokenCount `json:"output_tokens"`
}

func (u anthropicUsage) copyTo(out *answerText) {
	out.addUsage(u.Input+u.CacheCreation+u.CacheRead, u.Output, u.CacheRead, 0)
}

func (anthropic) readWhole(body []byte, out *answerText) error {
	var answer anthropicAnswer
	if err := json.Unmarshal(body, &answer); err != nil {
		return newUnreadable(err)
	}
	if answer.Type == "error" {
		return readMidStream(body)
	}
	answer.Usage.value.copyTo(out)
	anthropicFinish(answer.StopReason, out)
	for _, c := range answer.Content {
		if c.Type == "tool_use" {
			out.text.Reset()
			return out.addPiece(string(c.Input))
		}
		if c.Type == "text" {
			if err := out.addPiece(string(c.Text)); err != nil {
				return err
			}
		}
	}
	return nil
}

type anthropicEvent struct {
	Type    string `json:"type"`
	Message struct {
		Usage lenient[anthropicUsage] `json:"usage"`
	} `json:"message"`
	Delta struct {
		Type       string          `json:"type"`
		Text       plaintext.Piece `json:"text"`
		StopReason string          `json:"stop_reason"`
	} `json:"delta"`
	Usage lenient[anthropicUsage] `json:"usage"`
}

func (anthropic) readEvent(data []byte, out *answerText) error {
	var event anthropicEvent
	if err := json.Unmarshal(data, &event); err != nil {
		return newUnreadable(err)
	}
	switch event.Type {
	case "error":
		return readMidStream(data)
	case "message_start":
		event.Message.Usage.value.copyTo(out)
	case "content_block_delta":
		return out.addPiece(string(event.Delta.Text))
	case "message_delta":
		event.Usage.value.copyTo(out)
		anthropicFinish(event.Delta.StopReason, out)
	case "message_stop":
		out.ended, out.complete = true, true
		if out.finish == "" {
			out.finish = Stopped
		}
	}
	return nil
}

func anthropicFinish(reason string, out *answerText) {
	switch reason {
	case "":
	case "max_tokens", "model_context_window_exceeded":
		out.setFinish(Length)
	case "refusal":
		out.setFinish(Refused)
	default:
		out.setFinish(Stopped)
	}
}

func (anthropic) readModels(body []byte) ([]string, error) { return openAI{}.readModels(body) }
