package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Ollama's OpenAI-compatible API cannot set the context length.
type ollama struct{}

const (
	ollamaShow = "/api/show" // describes a model
	// Ollama silently drops the beginning of a conversation that exceeds ollamaWindow tokens.
	ollamaWindow    = 4096
	maxOllamaWindow = 32768
	bytesPerToken   = 3
	bytesAround     = 24
)

type ollamaBody struct {
	Model    string          `json:"model"`
	Messages []openAIMessage `json:"messages"`
	Stream   bool            `json:"stream"`
	Think    *bool           `json:"think,omitempty"`
	Format   json.RawMessage `json:"format,omitempty"`
	Options  ollamaOptions   `json:"options,omitzero"`

	Logprobs    bool `json:"logprobs,omitempty"`
	TopLogprobs int  `json:"top_logprobs,omitempty"`
}

type ollamaOptions struct {
	Temperature *float64 `json:"temperature,omitempty"`
	NumPredict  int      `json:"num_predict,omitempty"`
	NumCtx      int      `json:"num_ctx,omitempty"`
}

func (ollama) buildRequest(model string, r Request, learned quirks, stream bool) (string, any) {
	body := ollamaBody{Model: model, Stream: stream, Logprobs: r.TopTokens > 0, TopLogprobs: r.TopTokens}
	if !learned.has(noThink) {
		body.Think = new(bool)
	}
	if system := instructionsOf(r, learned.rung); system != "" {
		body.Messages = append(body.Messages, openAIMessage{Role: "system", Content: system})
	}
	for _, m := range r.Messages {
		body.Messages = append(body.Messages, openAIMessage{Role: m.Role, Content: m.Text})
	}
	body.Options = ollamaOptions{NumPredict: learned.tokenLimit(r, false), NumCtx: learned.window}
	if !learned.has(noTemperature) {
		body.Options.Temperature = r.Temperature
	}
	switch {
	case r.Schema == nil || learned.rung == rungWords:
	case learned.rung == rungJSON:
		body.Format = json.RawMessage(`"json"`)
	default:
		body.Format = r.Schema.JSON
	}
	return "/api/chat", body
}

// contextWindow returns a power of two, or 0 for the default window. Ollama reloads the model for
// each context length.
func contextWindow(r Request) int {
	bytes := len(r.System)
	for _, m := range r.Messages {
		bytes += len(m.Text) + bytesAround
	}
	tokens, size := bytes/bytesPerToken+max(r.MaxTokens, 512), ollamaWindow
	for size < tokens && size < maxOllamaWindow {
		size *= 2
	}
	if size == ollamaWindow {
		return 0
	}
	return size
}

func (ollama) authHeaders(key string) map[string]string { return openAI{}.authHeaders(key) }

type ollamaAnswer struct {
	Message struct {
		Content plaintext.Piece `json:"content"`
	} `json:"message"`
	Done       bool                     `json:"done"`
	DoneReason string                   `json:"done_reason"`
	In         tokenCount               `json:"prompt_eval_count"`
	Out        tokenCount               `json:"eval_count"`
	Logprobs   lenient[[]tokenLogprobs] `json:"logprobs"`
	Error      json.RawMessage          `json:"error"`
}

func (o ollama) readWhole(body []byte, out *answerText) error { return o.readEvent(body, out) }

func (ollama) readEvent(data []byte, out *answerText) error {
	var answer ollamaAnswer
	if err := json.Unmarshal(data, &answer); err != nil {
		return newUnreadable(err)
	}
	if isSet(answer.Error) {
		return readMidStream(data)
	}
	if err := out.addPiece(string(answer.Message.Content)); err != nil {
		return err
	}
	out.addFirst(answer.Logprobs.value)
	if !answer.Done {
		return nil
	}
	out.addUsage(answer.In, answer.Out, 0, 0)
	out.complete = true
	if answer.DoneReason == "length" {
		out.setFinish(Length)
	} else {
		out.setFinish(Stopped)
	}
	return nil
}

func (ollama) readModels(body []byte) ([]string, error) {
	var answer struct {
		Models []modelEntry `json:"models"`
	}
	err := json.Unmarshal(body, &answer)
	return modelNames(answer.Models), err
}

// Ollama silently omits the instructions, for example for a model from a bare GGUF file.
func (a *askRun) checkTemplate(ctx context.Context) error {
	root := a.ollamaRoot()
	if root == nil || a.quirks.has(instructed) {
		return nil
	}
	if a.provider.Format != Ollama && !root.isOllamaSince(ctx, 0) {
		a.keepInstructed(ctx)
		return nil
	}
	body, err := encodeJSON(map[string]string{"model": a.target.Model})
	if err != nil {
		return nil //nolint:nilerr // the request itself reports it
	}
	answer, failed := root.fetchOnce(ctx, http.MethodPost, ollamaShow, body)
	if failed == nil && dropsInstructions(answer) {
		return &Error{
			Kind: Unusable, Provider: a.target.Provider, Model: a.target.Model,
			Message: a.Model() + ": the model lacks a chat template, " +
				"so Ollama omits the instructions and the answers are guesses: " +
				"add a TEMPLATE to its Modelfile, or use a model from ollama.com",
		}
	}
	a.keepInstructed(ctx)
	return nil
}

func (a *askRun) keepInstructed(ctx context.Context) {
	if ctx.Err() == nil {
		a.quirks.add(instructed)
		a.client.quirks.remember(a.quirksKey, a.quirks)
	}
}

func (a *asker) ollamaRoot() *asker {
	root, isBelow := strings.CutSuffix(strings.TrimSuffix(a.base.Path, "/"), "/v1")
	isPublic := !a.provider.Local && a.base.String() == a.knownAddress()
	switch {
	case a.provider.Format == Ollama:
		return a
	case a.provider.Format != OpenAI || !isBelow || isPublic:
		return nil
	}
	sibling, base := *a, *a.base
	base.Path, base.RawPath, sibling.base = root, "", &base
	return &sibling
}

func dropsInstructions(description []byte) bool {
	var model struct {
		Template  string `json:"template"`
		Renderer  string `json:"renderer"`
		Modelfile string `json:"modelfile"`
	}
	if json.Unmarshal(description, &model) != nil || model.Template == "" {
		return false
	}
	isRendered := model.Renderer != "" || strings.Contains("\n"+model.Modelfile, "\nRENDERER ")
	return !isRendered && !mentionsAny(model.Template, []string{".System", ".Messages", "{%"})
}
