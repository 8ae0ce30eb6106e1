// Package prompt builds the requests to a provider's model for each step of a turn, and decodes the
// answers. It does not call models and stores nothing.
//
// The texts of the requests are templates in this directory. The code inserts the author's texts
// into them. A player's words are only in messages with the role user. Instructions contain a mark
// instead, such as «player_name».
package prompt

import (
	"embed"
	"encoding/json"
	"strings"
	"text/template"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

//go:embed *.md
var files embed.FS

// asidesSource contains examples of asides for every persona, by language.
//
//go:embed asides.json
var asidesSource []byte

const (
	responseTokens  = 1200
	summaryTokens   = 1500
	jsonTokens      = 30 // The object has ten tokens, but some servers also count tokens that they do not return.
	judgingTokens   = 500
	valueTokens     = 200
	maxAnswerTokens = 8000
)

// The names of the steps in traces, metrics and recordings.
const (
	StepOpen          = "open"
	StepEvaluation    = "evaluation"
	StepResponse      = "response"
	StepSummarization = "summarization"
	StepExtraction    = "extraction"
	// StepPrepare is the step of a request that fills the cache of the model's server
	// (llm.Preparer). Its answer is ignored and not recorded.
	StepPrepare = "prepare"
)

// Builder builds the requests of all steps. It is safe for concurrent use.
type Builder struct {
	pages  *template.Template
	asides map[string][]string
}

// New parses the built-in prompts.
func New() *Builder {
	b := &Builder{pages: template.Must(template.ParseFS(files, "*.md"))}
	if err := json.Unmarshal(asidesSource, &b.asides); err != nil {
		panic(err) // The file is built in, so this is a bug.
	}
	return b
}

// BuildOpening returns the request for a machine's opening line.
func (b *Builder) BuildOpening(input llm.Input) (provider.Request, error) {
	input.Recent, input.Message = nil, ""
	p := newPage(input)
	return b.buildRequest(StepOpen, p, responseTokens, p.buildMessages)
}

// BuildReply returns the request for the character's reply to a step.
func (b *Builder) BuildReply(input llm.Input, result llm.StepResult) (provider.Request, error) {
	p := newPage(input)
	p.addStepResult(result)
	return b.buildRequest(StepResponse, p, responseTokens, p.buildMessages)
}

// BuildSummary returns the request for a summary of the previous summary and messages.
func (b *Builder) BuildSummary(input llm.Input, messages []llm.Message) (provider.Request, error) {
	p := newPage(input)
	p.Limit = MaxSummary
	return b.buildDataRequest(StepSummarization, p, summaryTokens, messages)
}

// BuildExtraction returns the request for the machine's output variables.
func (b *Builder) BuildExtraction(input llm.Input, conversation []llm.Message) (provider.Request, error) {
	p := newPage(input)
	p.addVariables()
	maxTokens := min(judgingTokens+valueTokens*len(p.Variables), maxAnswerTokens)
	r, err := b.buildDataRequest(StepExtraction, p, maxTokens, conversation)
	r.Schema, r.Temperature = valuesSchema(p.Variables), new(0.0)
	return r, err
}

// The instructions are built first, because the notes contain the values of their marks.
func (b *Builder) buildRequest(
	step string, p *page, maxTokens int, messages func() []llm.Message,
) (provider.Request, error) {
	system, err := b.executeTemplate(step, p)
	if p.fault != nil {
		return provider.Request{}, p.fault
	}
	return provider.Request{Step: step, System: system, Messages: messages(), MaxTokens: maxTokens}, err
}

func (b *Builder) buildDataRequest(
	step string, p *page, maxTokens int, conversation []llm.Message,
) (provider.Request, error) {
	fence := provider.DrawName("«fence»")
	p.Fence, p.drawn = fence.Name, append(p.drawn, fence)
	r, err := b.buildRequest(step, p, maxTokens, func() []llm.Message { return p.buildTranscript(conversation) })
	r.Drawn = p.drawn
	return r, err
}

// AnswerFault is a fault of an answer. Its values are fixed texts, because the next request
// contains the fault.
type AnswerFault string

// The faults.
const (
	// NoFault means that the answer is valid.
	NoFault AnswerFault = ""
	// EmptyAnswer means that the answer contains no word.
	EmptyAnswer AnswerFault = "empty"
	// WrongShape means that the answer is not the requested JSON.
	WrongShape AnswerFault = "shape"
	// UnknownChoice means that the answer contains an unknown choice.
	UnknownChoice AnswerFault = "choice"
)

// BuildRetry returns a second request after a faulty answer, with newly drawn names. BuildRetry
// omits the faulty answer, because the answer may contain the player's words.
func (b *Builder) BuildRetry(r provider.Request, f AnswerFault) (provider.Request, error) {
	more, err := b.executeTemplate("again", f)
	r.System += "\n\n" + more
	return r.DrawAnew(), err
}

func (b *Builder) executeTemplate(name string, data any) (string, error) {
	var out strings.Builder
	tmpl := b.pages.Lookup(name + ".md")
	if defined := b.pages.Lookup(name); defined != nil {
		tmpl = defined
	}
	err := tmpl.Execute(&out, data)
	return strings.TrimSpace(out.String()), err
}
