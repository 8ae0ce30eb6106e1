package provider

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Version 2.5 accepts a token budget for thinking. Later versions accept a level.
var geminiThinkers = plaintext.Pattern(`^gemini-(?:(2\.5)|[3-9])`)

const geminiBudget = 512

type geminiBody struct {
	System   *geminiContent  `json:"systemInstruction,omitempty"`
	Contents []geminiContent `json:"contents"`
	Config   geminiConfig    `json:"generationConfig,omitzero"`
}

type geminiContent struct {
	Role  string       `json:"role,omitempty"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text    plaintext.Piece `json:"text"`
	Thought bool            `json:"thought,omitempty"`
}

type geminiConfig struct {
	Temperature     *float64        `json:"temperature,omitempty"`
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
	MIMEType        string          `json:"responseMimeType,omitempty"`
	Schema          json.RawMessage `json:"responseJsonSchema,omitempty"`
	Thinking        geminiThinking  `json:"thinkingConfig,omitzero"`
}

type geminiThinking struct {
	Budget int    `json:"thinkingBudget,omitempty"`
	Level  string `json:"thinkingLevel,omitempty"`
}

func geminiThought(generation []string, q quirks) geminiThinking {
	switch {
	case generation == nil || q.has(noThink):
		return geminiThinking{}
	case generation[1] != "":
		return geminiThinking{Budget: geminiBudget}
	}
	return geminiThinking{Level: "low"}
}

func (gemini) buildRequest(model string, r Request, learned quirks, stream bool) (string, any) {
	generation := geminiThinkers().FindStringSubmatch(model)
	body := geminiBody{Config: geminiConfig{
		MaxOutputTokens: learned.tokenLimit(r, generation != nil), Thinking: geminiThought(generation, learned),
	}}
	if system := instructionsOf(r, learned.rung); system != "" {
		body.System = &geminiContent{Parts: []geminiPart{{Text: plaintext.Piece(system)}}}
	}
	for _, m := range r.Messages {
		role := m.Role
		if role == "assistant" {
			role = "model"
		}
		body.Contents = append(body.Contents, geminiContent{
			Role: role, Parts: []geminiPart{{Text: plaintext.Piece(m.Text)}},
		})
	}
	if !learned.has(noTemperature) {
		body.Config.Temperature = r.Temperature
	}
	if r.Schema != nil && learned.rung < rungWords {
		body.Config.MIMEType = "application/json"
	}
	if r.Schema != nil && learned.rung == rungSchema {
		body.Config.Schema = r.Schema.JSON
	}
	// url.PathEscape prevents a name from changing the path.
	path := "/models/" + url.PathEscape(model)
	if stream {
		return path + ":streamGenerateContent?alt=sse", body
	}
	return path + ":generateContent", body
}

// The API also accepts the key in the URL, but URLs are often logged.
func (gemini) authHeaders(key string) map[string]string {
	return map[string]string{"X-Goog-Api-Key": key}
}

type geminiAnswer struct {
	Candidates []struct {
		Index        int           `json:"index"`
		Content      geminiContent `json:"content"`
		FinishReason string        `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage lenient[geminiCounts] `json:"usageMetadata"`
	Error json.RawMessage       `json:"error"`
}

type geminiCounts struct {
	Prompt     tokenCount `json:"promptTokenCount"`
	Candidates tokenCount `json:"candidatesTokenCount"`
	Thoughts   tokenCount `json:"thoughtsTokenCount"`
}

func (g gemini) readWhole(body []byte, out *answerText) error { return g.readEvent(body, out) }

func (gemini) readEvent(data []byte, out *answerText) error {
	var answer geminiAnswer
	if err := json.Unmarshal(data, &answer); err != nil {
		return newUnreadable(err)
	}
	if isSet(answer.Error) {
		return readMidStream(data)
	}
	u := answer.Usage.value
	out.addUsage(u.Prompt, u.Candidates+u.Thoughts, 0, 0)
	if answer.Feedback.BlockReason != "" {
		out.setFinish(Refused)
	}
	for _, candidate := range answer.Candidates {
		if candidate.Index != 0 {
			continue
		}
		var text strings.Builder
		for _, p := range candidate.Content.Parts {
			if !p.Thought {
				text.WriteString(string(p.Text))
			}
		}
		if err := out.addPiece(text.String()); err != nil {
			return err
		}
		geminiFinish(candidate.FinishReason, out)
	}
	return nil
}

// Old models repeat the finishReason in every piece, so it does not end the answer.
func geminiFinish(reason string, out *answerText) {
	switch reason {
	case "", "FINISH_REASON_UNSPECIFIED":
	case "STOP":
		out.setFinish(Stopped)
	case "MAX_TOKENS":
		out.setFinish(Length)
	default:
		out.setFinish(Refused)
	}
}

func (gemini) readModels(body []byte) ([]string, error) {
	var answer struct {
		Models []struct {
			Name    string   `json:"name"`
			Methods []string `json:"supportedGenerationMethods"`
		} `json:"models"`
	}
	err := json.Unmarshal(body, &answer)
	var all []string
	for _, m := range answer.Models {
		if len(m.Methods) == 0 || strings.Contains(strings.Join(m.Methods, " "), "generateContent") {
			all = append(all, strings.TrimPrefix(m.Name, "models/"))
		}
	}
	return all, err
}
