package draft

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/plaintext"
)

// generateText are the instructions for a draft.
//
//go:embed generate.txt
var generateText string

// generateSchema is the schema of a draft. Its members are those members of the persona document
// that a draft uses. All members are required, because the strictest providers demand that. The
// model leaves unused members empty.
//
//go:embed draft.schema.json
var generateSchema []byte

// Limits for requests to a model and its answers.
const (
	// maxTokens is the token limit of an answer. It is twice the size of a draft of two machines,
	// and within the output limit of recent models.
	maxTokens       = 8000
	maxToldFindings = 30
	maxToldMessage  = 300
)

func (b Brief) firstRequest() provider.Request {
	text := "The character:\n" + strings.TrimSpace(b.Description)
	if b.Name != "" {
		text += "\n\nIts name, exactly:\n" + b.Name
	}
	return provider.Request{
		Step: step, System: generateText,
		Messages:  []llm.Message{{Role: "user", Text: text}},
		Schema:    &provider.Schema{Name: "persona_draft", JSON: json.RawMessage(generateSchema)},
		MaxTokens: maxTokens,
	}
}

// retryRequest returns the request for the next round. It contains only the last draft and the
// faults of that draft, so that each round costs the same.
func (b Brief) retryRequest(last attempt) provider.Request {
	r := b.firstRequest()
	text := "Your draft cannot be used yet. Answer with the whole draft again, with these put right and the rest as it is:\n" + listFindings(last.findings)
	if last.text != "" {
		r.Messages = append(r.Messages, llm.Message{Role: "assistant", Text: last.text})
		r.Messages = append(r.Messages, llm.Message{Role: "user", Text: text})
		return r
	}
	r.Messages[0].Text += "\n\n" + text
	return r
}

func listFindings(findings []personas.Diagnostic) string {
	var b strings.Builder
	count := 0
	for _, severity := range []lint.Severity{lint.Error, lint.Warning, lint.Info} {
		for _, f := range findings {
			if f.Severity != severity {
				continue
			}
			if count++; count <= maxToldFindings {
				b.WriteString("- " + strings.TrimPrefix(f.Path+": ", ": ") + plaintext.ClipAfter(f.Message, maxToldMessage, plaintext.Ellipsis) + "\n")
			}
		}
	}
	if count > maxToldFindings {
		fmt.Fprintf(&b, "- and %d more of the same kind\n", count-maxToldFindings)
	}
	return b.String()
}
