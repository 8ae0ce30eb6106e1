package llmtest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// Request is a request to the double, independent of the wire format.
type Request struct {
	// Number counts from 1.
	Number int
	Format Format
	Method string
	Path   string
	// Query is the raw query of the URL. It must not contain a key.
	Query  string
	Header http.Header
	Key    string
	Body   []byte

	Model    string
	Stream   bool
	System   string
	Messages []Message
	// Schema is the JSON Schema of the answer. JSON means that the request asks for JSON in any
	// way.
	Schema      json.RawMessage
	SchemaName  string
	JSON        bool
	Temperature *float64
	MaxTokens   int
	Logprobs    bool
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

type jsonValue struct{ value any }

func (v jsonValue) member(path ...string) jsonValue {
	for _, name := range path {
		switch value := v.value.(type) {
		case map[string]any:
			v = jsonValue{value[name]}
		case []any:
			v = jsonValue{}
			if name == "0" && len(value) > 0 {
				v = jsonValue{value[0]}
			}
		default:
			return jsonValue{}
		}
	}
	return v
}

func (v jsonValue) items() (list []jsonValue) {
	values, _ := v.value.([]any)
	for _, value := range values {
		list = append(list, jsonValue{value})
	}
	return list
}

func (v jsonValue) text() string {
	text, _ := v.value.(string)
	return text
}

func (v jsonValue) number() int {
	number, _ := v.value.(float64)
	return int(number)
}

func (v jsonValue) joinParts() string {
	all := ""
	for _, part := range v.member("parts").items() {
		all += part.member("text").text()
	}
	return all
}

func readRequest(r *http.Request, raw []byte) Request {
	seen := Request{
		Format: formatOf(r), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
		Header: r.Header.Clone(), Body: raw,
	}
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	seen.Key = cmp.Or(bearer, r.Header.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"))
	var body jsonValue
	if json.Unmarshal(raw, &body.value) != nil {
		return seen
	}
	// Ollama streams by default. The other formats do not.
	stream, isSet := body.member("stream").value.(bool)
	seen.Model, seen.Stream = body.member("model").text(), stream || !isSet && seen.Format == Ollama
	seen.System = cmp.Or(body.member("system").text(), body.member("systemInstruction").joinParts())
	for _, m := range body.member("messages").items() {
		if role := m.member("role").text(); role == "system" || role == "developer" {
			seen.System = m.member("content").text()
		} else {
			seen.Messages = append(seen.Messages, Message{Role: role, Text: m.member("content").text()})
		}
	}
	for _, c := range body.member("contents").items() {
		role := strings.Replace(c.member("role").text(), "model", "assistant", 1)
		seen.Messages = append(seen.Messages, Message{Role: role, Text: c.joinParts()})
	}
	for _, path := range [][]string{{"temperature"}, {"options", "temperature"}, {"generationConfig", "temperature"}} {
		if temperature, ok := body.member(path...).value.(float64); ok {
			seen.Temperature = &temperature
		}
	}
	for _, path := range [][]string{
		{"max_tokens"}, {"max_completion_tokens"}, {"options", "num_predict"}, {"generationConfig", "maxOutputTokens"},
	} {
		seen.MaxTokens = max(seen.MaxTokens, body.member(path...).number())
	}
	seen.Logprobs = body.member("logprobs").value == true
	seen.readShape(body)
	if seen.Format == Gemini {
		_, model, _ := strings.Cut(seen.Path, "/models/")
		seen.Model, _, _ = strings.Cut(model, ":")
		seen.Stream = strings.HasSuffix(seen.Path, ":streamGenerateContent")
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

func (s *Request) readShape(body jsonValue) {
	s.SchemaName = cmp.Or(
		body.member("response_format", "json_schema", "name").text(), body.member("tools", "0", "name").text(),
	)
	for _, path := range [][]string{
		{"response_format", "json_schema", "schema"}, {"tools", "0", "input_schema"},
		{"output_config", "format", "schema"}, {"format"}, {"generationConfig", "responseJsonSchema"},
	} {
		if schema, ok := body.member(path...).value.(map[string]any); ok {
			s.Schema = encodeJSON(schema)
		}
	}
	kind := body.member("response_format", "type").text()
	mimeType := body.member("generationConfig", "responseMimeType").text()
	isJSON := body.member("format").text() != "" || kind == "json_object" || mimeType == "application/json"
	s.JSON = isJSON || len(s.Schema) > 0
}

var markedDecision = regexp.MustCompile(`\[([a-z_]+)\]`)

// JudgedByMark is JudgedAs with the decision in brackets in the player's message, such as "please
// [pass]". Without brackets the decision is a redirect.
func (r Request) JudgedByMark() string {
	if match := markedDecision.FindStringSubmatch(r.PlayerSaid()); match != nil {
		return r.JudgedAs(match[1])
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
