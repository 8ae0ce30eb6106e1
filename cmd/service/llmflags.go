package service

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
)

// LLMFlags holds the flags that select the models for a local server, and their recordings.
type LLMFlags struct{ models.Settings }

// Names of the flags, for messages.
const (
	FlagLLM        = "llm"
	FlagLLMBaseURL = "llm-base-url"
	FlagLLMTimeout = "llm-timeout"
	FlagLLMRecord  = "llm-record"
	FlagLLMReplay  = "llm-replay"
)

// AddFlags adds the flags to a command.
func (f *LLMFlags) AddFlags(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.Model, FlagLLM, models.ModelOffline, "`MODEL` that plays the character: PROVIDER/MODEL such as ollama/llama3.2, auto for a model on this machine, offline, or callers")
	s.StringVar(&f.Evaluation, "llm-eval", "", "`MODEL` that judges messages (else --llm); offline is the built-in judge, offline,MODEL asks MODEL only if the built-in judge is unsure")
	s.StringVar(&f.EvaluationMethod, "llm-eval-method", "", "`METHOD` for asking the judging model: auto, decisions, letter or json (else the setting llm_eval_method)")
	s.StringVar(&f.Response, "llm-response", "", "`MODEL` that writes replies (else --llm)")
	s.StringVar(&f.Openings, "llm-openings", models.OpeningsAuthor, "`WHO` writes openings and the lines on entering a state: author (the text of the file) or model")
	s.StringVar(&f.Summarization, "llm-summarization", "", "`MODEL` that sums up long conversations (else --llm)")
	s.StringVar(&f.BaseURL, FlagLLMBaseURL, "", "OpenAI-compatible `URL` for openai/ models and models with unknown names, but not for models that callers choose")
	s.StringVar(&f.EvaluationURL, "llm-eval-base-url", "", "OpenAI-compatible `URL` of --llm-eval's model, with the key in PARLEY_LLM_EVAL_API_KEY")
	s.StringVar(&f.ResponseURL, "llm-response-base-url", "", "OpenAI-compatible `URL` of --llm-response's model, with the key in PARLEY_LLM_RESPONSE_API_KEY")
	s.StringVar(&f.SummarizationURL, "llm-summarization-base-url", "", "OpenAI-compatible `URL` of --llm-summarization's model, with the key in PARLEY_LLM_SUMMARIZATION_API_KEY")
	AddTimeoutFlag(c, &f.Timeout)
	s.StringVar(&f.Record, FlagLLMRecord, "", "write the models' answers to `FILE`")
	s.StringVar(&f.Replay, FlagLLMReplay, "", "take the models' answers from `FILE`, without a network")
	for _, name := range []string{FlagLLM, "llm-eval", "llm-response", "llm-summarization"} {
		// Ignore the error, because the flag exists.
		_ = c.RegisterFlagCompletionFunc(name, CompleteModel)
	}
}

// AddTimeoutFlag adds --llm-timeout.
func AddTimeoutFlag(c *cobra.Command, timeout *time.Duration) {
	c.Flags().DurationVar(timeout, FlagLLMTimeout, 0, "`DURATION` that a model may take to judge, and again to reply (else the setting llm_timeout, else 60s, or 2m for a model on this machine)")
}

// AddSeedFlag adds --seed, which varies what the offline model says.
func (f *LLMFlags) AddSeedFlag(c *cobra.Command) {
	c.Flags().Uint64Var(&f.Seed, "seed", 0, "`NUMBER` that varies which of several lines the offline model says")
}

// CompleteModel completes the provider in PROVIDER/MODEL, because only the provider knows the
// models.
func CompleteModel(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, word := range []string{ModelAuto, models.ModelOffline, models.ModelCallers} {
		if strings.HasPrefix(word, typed) {
			names = append(names, word)
		}
	}
	for _, p := range provider.Providers {
		if prefix := p.Name + "/"; strings.HasPrefix(prefix, typed) {
			names = append(names, prefix+"\t"+p.Title)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// IsGiven reports whether any of the flags was set.
func (f *LLMFlags) IsGiven(c *cobra.Command) bool {
	given := false
	c.Flags().Visit(func(flag *pflag.Flag) { given = given || flag.Name == "seed" || strings.HasPrefix(flag.Name, FlagLLM) })
	return given
}

// IsBuiltIn reports whether the built-in model does all steps.
func (f *LLMFlags) IsBuiltIn() bool {
	judge := f.Evaluation == "" || f.Evaluation == models.ModelOffline
	return f.Model == models.ModelOffline && f.Replay == "" && judge && f.Response == "" && f.Summarization == ""
}

// Options returns the flags as options of a local server, with API keys from the environment. Call
// Resolve first.
func (f *LLMFlags) Options(a *Access) models.Settings {
	o := f.Settings
	o.Env = a.Env
	if current, err := a.Settings(); err == nil && o.EvaluationMethod == "" {
		o.EvaluationMethod = current.Get(settings.LLMEvalMethod).Value
	}
	return o
}

// Check returns a usage error for flags with which no server could start.
func (f *LLMFlags) Check(a *Access) error { return ExplainLLM(f.Options(a).Check()) }

// ExplainLLM converts a *models.SettingsError to a usage error. It returns other errors unchanged.
func ExplainLLM(err error) error {
	if _, ok := errors.AsType[*models.SettingsError](err); ok {
		return cli.UsageError("%w", err)
	}
	return err
}

// LLMHelp explains the flags in the help of commands.
const LLMHelp = `The built-in offline model plays, unless --llm names another one as PROVIDER/MODEL. Its
key comes from the provider's usual environment variable (see
` + "`parley help environment`" + `); Ollama and other servers on this machine need none.
--llm auto takes the first of these that answers.`
