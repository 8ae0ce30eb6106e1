package llmtest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// Request is a request to the double, in a form that is the same for all wire formats.
type Request struct {
	// Number is the number of the request, counted from 1 over all requests.
	Number int
	Format Format
	Method string
	Path   string
	// Query is the raw query of the URL. It must not contain a key.
	Query  string
	Header http.Header
	// Key is the key in the header of the format.
	Key  string
	Body []byte

	Model    string
	Stream   bool
	System   string
	Messages []Message
	// Schema is the JSON Schema of the answer, and SchemaName is its name. JSON means that the
	// request asks for JSON in any way.
	Schema      json.RawMessage
	SchemaName  string
	JSON        bool
	Temperature *float64
	MaxTokens   int
	// Logprobs is set if token probabilities were requested.
	Logprobs bool
}

// Message is one message. Role is "user" or "assistant".
type Message struct{ Role, Text string }

// LastMessage returns the text of the newest message.
func (r Request) LastMessage() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Text
}

type requestBody struct {
	Model               string          `json:"model"`
	Stream              *bool           `json:"stream"`
	Messages            []bodyMessage   `json:"messages"`
	Temperature         *float64        `json:"temperature"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	ResponseFormat      openAIFormat    `json:"response_format"`
	System              string          `json:"system"`
	Tools               []anthropicTool `json:"tools"`
	OutputConfig        anthropicOutput `json:"output_config"`
	Format              json.RawMessage `json:"format"`
	Options             ollamaOptions   `json:"options"`
	Contents            []geminiContent `json:"contents"`
	SystemInstruction   geminiContent   `json:"systemInstruction"`
	Config              geminiConfig    `json:"generationConfig"`
	Logprobs            bool            `json:"logprobs"`
}

type bodyMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type openAIFormat struct {
	Type   string `json:"type"`
	Schema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

type anthropicTool struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"input_schema"`
}

type anthropicOutput struct {
	Format struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"format"`
}

type ollamaOptions struct {
	Temperature *float64 `json:"temperature"`
	NumPredict  int      `json:"num_predict"`
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

func (c geminiContent) joinText() string {
	var all strings.Builder
	for _, part := range c.Parts {
		all.WriteString(part.Text)
	}
	return all.String()
}

type geminiConfig struct {
	Temperature *float64        `json:"temperature"`
	MaxTokens   int             `json:"maxOutputTokens"`
	MIMEType    string          `json:"responseMimeType"`
	Schema      json.RawMessage `json:"responseJsonSchema"`
}

func readRequest(r *http.Request, raw []byte) Request {
	seen := Request{Format: formatOf(r), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: raw}
	seen.Key = cmp.Or(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), r.Header.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"))
	var b requestBody
	if json.Unmarshal(raw, &b) != nil {
		return seen
	}
	seen.Model = b.Model
	// Ollama streams by default. The other formats do not.
	seen.Stream = b.Stream != nil && *b.Stream || b.Stream == nil && seen.Format == Ollama
	seen.readMessages(b)
	seen.readShape(b)
	if seen.Format == Gemini {
		seen.readGemini(b)
	}
	return seen
}

func formatOf(r *http.Request) Format {
	if r.Method != http.MethodPost {
		return Other
	}
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/chat/completions"):
		return OpenAI
	case strings.HasSuffix(path, "/messages"):
		return Anthropic
	case strings.HasSuffix(path, "/api/chat"):
		return Ollama
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return Gemini
	}
	return Other
}

func (s *Request) readMessages(b requestBody) {
	s.System = b.System
	for _, m := range b.Messages {
		if m.Role == "system" || m.Role == "developer" {
			s.System = m.Content
			continue
		}
		s.Messages = append(s.Messages, Message{Role: m.Role, Text: m.Content})
	}
	s.Temperature, s.Logprobs = b.Temperature, b.Logprobs
	s.MaxTokens = max(b.MaxTokens, b.MaxCompletionTokens, b.Options.NumPredict, b.Config.MaxTokens)
	if b.Options.Temperature != nil {
		s.Temperature = b.Options.Temperature
	}
}

func (s *Request) readShape(b requestBody) {
	s.Schema, s.SchemaName = b.ResponseFormat.Schema.Schema, b.ResponseFormat.Schema.Name
	s.JSON = b.ResponseFormat.Type == "json_object" || b.ResponseFormat.Type == "json_schema"
	if len(b.Tools) > 0 {
		s.Schema, s.SchemaName = b.Tools[0].Schema, b.Tools[0].Name
	}
	if len(b.OutputConfig.Format.Schema) > 0 {
		s.Schema = b.OutputConfig.Format.Schema
	}
	if len(b.Format) > 0 && b.Format[0] == '{' {
		s.Schema = b.Format
	}
	s.JSON = s.JSON || len(s.Schema) > 0 || len(b.Format) > 0
}

func (s *Request) readGemini(b requestBody) {
	_, model, _ := strings.Cut(s.Path, "/models/")
	s.Model, _, _ = strings.Cut(model, ":")
	s.Stream = strings.HasSuffix(s.Path, ":streamGenerateContent")
	s.System = b.SystemInstruction.joinText()
	for _, c := range b.Contents {
		role := c.Role
		if role == "model" {
			role = "assistant"
		}
		s.Messages = append(s.Messages, Message{Role: role, Text: c.joinText()})
	}
	s.Temperature, s.Schema = b.Config.Temperature, b.Config.Schema
	s.JSON = b.Config.MIMEType == "application/json"
}

var markedDecision = regexp.MustCompile(`\[([a-z_]+)\]`)

// JudgedByMark returns an answer to a judge's question, like JudgedAs. The decision is the word in
// brackets in the player's message, for example "please [pass]". Without brackets it is a redirect.
func (r Request) JudgedByMark() string {
	if found := markedDecision.FindStringSubmatch(r.PlayerSaid()); found != nil {
		return r.JudgedAs(found[1])
	}
	return r.JudgedAs("redirect")
}

// Env returns an environment with variables from pairs of name and value.
func Env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}
