package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/localserver"
)

// llmFlags say who plays the characters on a local server.
type llmFlags struct {
	model, evaluation, response, summarization string
	baseURL                                    string
	record, replay                             string
}

// The names of the flags.
const (
	flagLLM              = "llm"
	flagLLMEval          = "llm-eval"
	flagLLMResponse      = "llm-response"
	flagLLMSummarization = "llm-summarization"
	flagLLMBaseURL       = "llm-base-url"
	flagLLMRecord        = "llm-record"
	flagLLMReplay        = "llm-replay"
)

// llmFlagNames are all of them.
var llmFlagNames = []string{flagLLM, flagLLMEval, flagLLMResponse, flagLLMSummarization, flagLLMBaseURL, flagLLMRecord, flagLLMReplay}

func (f *llmFlags) AddFlags(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.model, flagLLM, localserver.ModelOffline, "`MODEL` that plays, such as openai/gpt-4o or ollama/llama3.2; offline, or callers")
	s.StringVar(&f.evaluation, flagLLMEval, "", "`MODEL` that judges messages (else --llm)")
	s.StringVar(&f.response, flagLLMResponse, "", "`MODEL` that writes replies (else --llm)")
	s.StringVar(&f.summarization, flagLLMSummarization, "", "`MODEL` that sums up long conversations (else --llm)")
	s.StringVar(&f.baseURL, flagLLMBaseURL, "", "OpenAI-compatible `URL` at which openai/ models and unknown names are asked")
	s.StringVar(&f.record, flagLLMRecord, "", "`FILE` in which what the models answer is kept")
	s.StringVar(&f.replay, flagLLMReplay, "", "`FILE` from which the models' answers are taken, without any connection")
	for _, name := range []string{flagLLM, flagLLMEval, flagLLMResponse, flagLLMSummarization} {
		// The flag is there: the error cannot happen.
		_ = c.RegisterFlagCompletionFunc(name, completeModel)
	}
}

// completeModel completes what stands before the slash of provider/model. What
// stands behind it only the provider knows, and completion asks nobody.
func completeModel(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, word := range []string{localserver.ModelOffline, localserver.ModelCallers} {
		if strings.HasPrefix(word, typed) {
			names = append(names, word)
		}
	}
	for _, p := range localserver.Providers() {
		if prefix := p.Name + "/"; strings.HasPrefix(prefix, typed) {
			names = append(names, prefix+"\t"+p.Title)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// IsGiven tells whether any of the flags was set.
func (f *llmFlags) IsGiven(c *cobra.Command) bool {
	for _, name := range llmFlagNames {
		if c.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// Options makes what the server wants of the flags. Keys and addresses of providers
// come from the environment.
func (f *llmFlags) Options(a *Access) localserver.LLM {
	return localserver.LLM{
		Model: f.model, Evaluation: f.evaluation, Response: f.response, Summarization: f.summarization,
		BaseURL: f.baseURL, Record: f.record, Replay: f.replay, Env: a.Env,
	}
}

// check finds what cannot be meant, before anything is opened.
func (f *llmFlags) check(a *Access) error { return ExplainLLM(f.Options(a).Check()) }

// ExplainLLM makes a usage error of a model that cannot be as it was named.
func ExplainLLM(err error) error {
	if _, ok := errors.AsType[*localserver.LLMError](err); ok {
		return UsageError("%w", err)
	}
	return err
}

// llmHelp explains the flags.
const llmHelp = `Characters are played by the built-in offline model unless --llm names another one, as
PROVIDER/MODEL. Its key is read from the provider's usual environment variable, which
` + "`parley help environment`" + ` lists; Ollama and other servers on this machine need none.`
