// Package prompt is what a provider's model is sent in each step of a turn, and
// what its answers mean. The words stand in the text files beside the code, as
// prose that a writer can read and change; the code puts the author's texts into
// them. Nothing that a player wrote, or that came of a player's words, ever gets
// into the instructions: it stands in messages of the user, and where the author's
// texts want it, a mark like «player_name» stands in its place. The package asks
// nobody and keeps nothing.
package prompt

import (
	"embed"
	"strings"
	"text/template"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

//go:embed *.md
var files embed.FS

// The most tokens of an answer in each step. They bound what an answer can cost
// and are well over what a good one needs.
const (
	responseTokens  = 1200
	summaryTokens   = 1500
	judgingTokens   = 500
	choiceTokens    = 100
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

// Book is all the prompts. It is safe for concurrent use.
type Book struct{ pages *template.Template }

// New reads the prompts that are built in.
func New() *Book { return &Book{pages: template.Must(template.ParseFS(files, "*.md"))} }

// Open asks for a machine's opening line.
func (b *Book) Open(scene llm.Scene) (provider.Request, error) {
	scene.Recent, scene.Message = nil, ""
	p := newPage(scene)
	return b.request(StepOpen, p, responseTokens, p.messages)
}

// Evaluation asks which of the choices the message fulfils.
func (b *Book) Evaluation(scene llm.Scene, choices Choices) (provider.Request, error) {
	p := newPage(scene)
	p.judge(choices)
	most := min(judgingTokens+choiceTokens*len(p.Choices), maxAnswerTokens)
	r, err := b.request(StepEvaluation, p, most, p.messages)
	r.Schema, r.Temperature = choices.schema(), new(0.0)
	return r, err
}

// Reply asks for the character's answer to what has just happened.
func (b *Book) Reply(scene llm.Scene, beat llm.Beat) (provider.Request, error) {
	p := newPage(scene)
	p.happen(beat)
	return b.request(StepResponse, p, responseTokens, p.messages)
}

// Summary asks for the summary brought up to date with messages.
func (b *Book) Summary(scene llm.Scene, messages []llm.Message) (provider.Request, error) {
	p := newPage(scene)
	p.Limit = MaxSummary
	return b.request(StepSummarization, p, summaryTokens, func() []llm.Message { return p.transcript(messages) })
}

// Extraction asks for the machine's output variables.
func (b *Book) Extraction(scene llm.Scene, conversation []llm.Message) (provider.Request, error) {
	p := newPage(scene)
	p.ask()
	most := min(judgingTokens+valueTokens*len(p.Asked), maxAnswerTokens)
	r, err := b.request(StepExtraction, p, most, func() []llm.Message { return p.transcript(conversation) })
	r.Schema, r.Temperature = valuesSchema(p.Asked), new(0.0)
	return r, err
}

// request writes the instructions, and then the messages: they have the values of
// the marks in the instructions.
func (b *Book) request(step string, p *page, most int, messages func() []llm.Message) (provider.Request, error) {
	system, err := b.write(step, p)
	return provider.Request{Step: step, System: system, Messages: messages(), MaxTokens: most}, err
}

// Fault is what was wrong with an answer. It is one of a few fixed words, since it
// decides on what the instructions say next.
type Fault string

// The faults.
const (
	// Sound is no fault.
	Sound Fault = ""
	// Empty is an answer without a word.
	Empty Fault = "empty"
	// Shapeless is an answer that is not the JSON that was asked for.
	Shapeless Fault = "shape"
	// NoChoice is an answer that names what is no choice.
	NoChoice Fault = "choice"
	// NotAlone is a follow-up together with other choices.
	NotAlone Fault = "alone"
)

// Again is a request made once more, with what was wrong with the first answer.
// The first answer itself is not repeated: it may hold the player's words.
func (b *Book) Again(r provider.Request, f Fault) (provider.Request, error) {
	more, err := b.write("again", f)
	r.System += "\n\n" + more
	return r, err
}

// write executes a page: a file by its step's name, or what a file defines.
func (b *Book) write(name string, data any) (string, error) {
	var out strings.Builder
	page := b.pages.Lookup(name + ".md")
	if defined := b.pages.Lookup(name); defined != nil {
		page = defined
	}
	err := page.Execute(&out, data)
	return strings.TrimSpace(out.String()), err
}
