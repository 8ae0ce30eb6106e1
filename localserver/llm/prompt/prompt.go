// Package prompt writes the requests to a provider's model in each step of a turn, and reads its
// answers. The words are in text files next to the code, as prose that a writer can read and
// change; the code inserts the author's texts. Text of a player, or derived from it, is never in
// the instructions: it is in messages of the user, and if the author's texts refer to it, a mark
// like «player_name» replaces it. The package asks no models and stores nothing.
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

// asidesSource contains examples of messages outside of any matter, by language.
//
//go:embed asides.json
var asidesSource []byte

// The most tokens of an answer in each step. They bound what an answer can cost
// and are well over what a good one needs.
const (
	responseTokens  = 1200
	summaryTokens   = 1500
	jsonTokens      = 30 // The object has ten; some servers count what they leave out.
	judgingTokens   = 500
	valueTokens     = 200
	maxAnswerTokens = 8000
)

// The names of the steps, as traces, metrics and recordings have them.
const (
	StepOpen          = "open"
	StepEvaluation    = "evaluation"
	StepResponse      = "response"
	StepSummarization = "summarization"
	StepExtraction    = "extraction"
)

// Builder builds the requests of all steps. It is safe for concurrent use.
type Builder struct {
	pages  *template.Template
	asides map[string][]string
}

// New reads the prompts that are built in.
func New() *Builder {
	b := &Builder{pages: template.Must(template.ParseFS(files, "*.md"))}
	if err := json.Unmarshal(asidesSource, &b.asides); err != nil {
		panic(err) // The file is built in.
	}
	return b
}

// BuildOpening asks for a machine's opening line.
func (b *Builder) BuildOpening(input llm.Input) (provider.Request, error) {
	input.Recent, input.Message = nil, ""
	p := newPage(input)
	r, err := b.buildRequest(StepOpen, p, responseTokens, p.buildMessages)
	r.Stop = stopSequences(input)
	return r, err
}

// BuildReply asks for the character's answer to the latest step.
func (b *Builder) BuildReply(input llm.Input, result llm.StepResult) (provider.Request, error) {
	p := newPage(input)
	p.addStepResult(result)
	r, err := b.buildRequest(StepResponse, p, responseTokens, p.buildMessages)
	r.Stop = stopSequences(input)
	return r, err
}

// BuildSummary asks for the summary brought up to date with messages.
func (b *Builder) BuildSummary(input llm.Input, messages []llm.Message) (provider.Request, error) {
	p := newPage(input)
	p.Limit = MaxSummary
	return b.buildDataRequest(StepSummarization, p, summaryTokens, messages)
}

// BuildExtraction asks for the machine's output variables.
func (b *Builder) BuildExtraction(input llm.Input, conversation []llm.Message) (provider.Request, error) {
	p := newPage(input)
	p.addVariables()
	most := min(judgingTokens+valueTokens*len(p.Variables), maxAnswerTokens)
	r, err := b.buildDataRequest(StepExtraction, p, most, conversation)
	r.Schema, r.Temperature = valuesSchema(p.Variables), new(0.0)
	return r, err
}

// buildRequest writes the instructions first and then the messages, which hold
// the values of the marks in the instructions.
func (b *Builder) buildRequest(step string, p *page, most int, messages func() []llm.Message) (provider.Request, error) {
	system, err := b.executeTemplate(step, p)
	if p.fault != nil {
		return provider.Request{}, p.fault
	}
	return provider.Request{Step: step, System: system, Messages: messages(), MaxTokens: most}, err
}

// buildDataRequest builds a request that contains a conversation as data behind a fence.
func (b *Builder) buildDataRequest(step string, p *page, most int, conversation []llm.Message) (provider.Request, error) {
	p.drawFence()
	r, err := b.buildRequest(step, p, most, func() []llm.Message { return p.buildTranscript(conversation) })
	r.Drawn = p.drawn
	return r, err
}

// AnswerFault is the fault of an answer. It is one of a few fixed words, because it determines the
// next instructions.
type AnswerFault string

// The faults.
const (
	// NoFault means that the answer is valid.
	NoFault AnswerFault = ""
	// EmptyAnswer is an answer without a word.
	EmptyAnswer AnswerFault = "empty"
	// WrongShape is an answer that is not the JSON that was asked for.
	WrongShape AnswerFault = "shape"
	// UnknownChoice means that the answer names an unknown choice.
	UnknownChoice AnswerFault = "choice"
)

// BuildRetry returns a second request with the fault of the first answer and new drawn names. It
// does not repeat the first answer, because that may contain the player's words.
func (b *Builder) BuildRetry(r provider.Request, f AnswerFault) (provider.Request, error) {
	more, err := b.executeTemplate("again", f)
	r.System += "\n\n" + more
	return r.DrawAnew(), err
}

// executeTemplate executes a template: a file by its step's name, or a template defined in a file.
func (b *Builder) executeTemplate(name string, data any) (string, error) {
	var out strings.Builder
	tmpl := b.pages.Lookup(name + ".md")
	if defined := b.pages.Lookup(name); defined != nil {
		tmpl = defined
	}
	err := tmpl.Execute(&out, data)
	return strings.TrimSpace(out.String()), err
}
