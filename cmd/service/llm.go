package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/tui/terminal"
)

// LLMFlags holds the flags for the models of a local server and for their recordings.
type LLMFlags struct{ models.Settings }

const (
	FlagLLM        = "llm"
	FlagLLMBaseURL = "llm-base-url"
	FlagLLMTimeout = "llm-timeout"
	FlagLLMRecord  = "llm-record"
	FlagLLMReplay  = "llm-replay"
)

// AddFlags adds the flags to a command.
func (f *LLMFlags) AddFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Model, FlagLLM, models.ModelOffline,
		"`MODEL` that plays the character: PROVIDER/MODEL such as ollama/llama3.2, "+
			"auto for a model on this machine, offline, or callers")
	flags.StringVar(&f.Evaluation, "llm-eval", "",
		"`MODEL` that judges messages (else --llm); offline is the built-in judge, "+
			"offline,MODEL asks MODEL only if the built-in judge is unsure")
	flags.StringVar(&f.EvaluationMethod, "llm-eval-method", "",
		"`METHOD` for asking the judging model: auto, decisions, letter or json (else the setting llm_eval_method)")
	flags.StringVar(&f.Response, "llm-response", "", "`MODEL` that writes replies (else --llm)")
	flags.StringVar(&f.Openings, "llm-openings", models.OpeningsAuthor,
		"`WHO` writes openings and the lines on entering a state: author (the text of the file) or model")
	flags.StringVar(&f.Summarization, "llm-summarization", "", "`MODEL` that sums up long conversations (else --llm)")
	flags.StringVar(&f.BaseURL, FlagLLMBaseURL, "",
		"OpenAI-compatible `URL` for openai/ models and models with unknown names, but not for models that callers choose")
	flags.StringVar(&f.EvaluationURL, "llm-eval-base-url", "",
		"OpenAI-compatible `URL` of --llm-eval's model, with the key in PARLEY_LLM_EVAL_API_KEY")
	flags.StringVar(&f.ResponseURL, "llm-response-base-url", "",
		"OpenAI-compatible `URL` of --llm-response's model, with the key in PARLEY_LLM_RESPONSE_API_KEY")
	flags.StringVar(&f.SummarizationURL, "llm-summarization-base-url", "",
		"OpenAI-compatible `URL` of --llm-summarization's model, with the key in PARLEY_LLM_SUMMARIZATION_API_KEY")
	AddTimeoutFlag(c, &f.Timeout)
	flags.StringVar(&f.Record, FlagLLMRecord, "", "write the models' answers to `FILE`")
	flags.StringVar(&f.Replay, FlagLLMReplay, "", "take the models' answers from `FILE`, without a network")
	for _, name := range []string{FlagLLM, "llm-eval", "llm-response", "llm-summarization"} {
		_ = c.RegisterFlagCompletionFunc(name, CompleteModel)
	}
}

// AddTimeoutFlag adds --llm-timeout.
func AddTimeoutFlag(c *cobra.Command, timeout *time.Duration) {
	c.Flags().DurationVar(timeout, FlagLLMTimeout, 0,
		"`DURATION` that a model may take to judge, and again to reply "+
			"(else the setting llm_timeout, else 60s, or 2m for a model on this machine)")
}

// AddSeedFlag adds --seed. The seed varies the lines of the offline model.
func (f *LLMFlags) AddSeedFlag(c *cobra.Command) {
	c.Flags().Uint64Var(&f.Seed, "seed", 0, "`NUMBER` that varies which of several lines the offline model says")
}

// CompleteModel completes the provider in PROVIDER/MODEL. Only the provider knows its models.
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
	c.Flags().Visit(func(flag *pflag.Flag) {
		given = given || flag.Name == "seed" || strings.HasPrefix(flag.Name, FlagLLM)
	})
	return given
}

// IsBuiltIn reports whether the built-in model does all steps.
func (f *LLMFlags) IsBuiltIn() bool {
	judge := f.Evaluation == "" || f.Evaluation == models.ModelOffline
	return f.Model == models.ModelOffline && f.Replay == "" && judge && f.Response == "" && f.Summarization == ""
}

// Options returns the options of a local server. Call Resolve first.
func (f *LLMFlags) Options(a *Access) models.Settings {
	o := f.Settings
	o.Env = a.Env
	if current, err := a.Settings(); err == nil && o.EvaluationMethod == "" {
		o.EvaluationMethod = current.Get(settings.LLMEvalMethod).Value
	}
	return o
}

// Check returns a usage error for flags that every local server rejects.
func (f *LLMFlags) Check(a *Access) error { return ExplainLLM(f.Options(a).Check()) }

// ExplainLLM converts a *models.SettingsError to a usage error. Other errors stay the same.
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

// ModelAuto selects the first model server on this machine that answers.
const ModelAuto = "auto"

// Resolve sets the timeout and replaces ModelAuto by a model on this machine or the built-in model.
func (f *LLMFlags) Resolve(ctx context.Context, a *Access) error {
	current, err := a.LoadSettings(true)
	if err != nil {
		return err
	}
	if f.Timeout, err = ReadLLMTimeout(current, f.Timeout); err != nil {
		return err
	}
	names := []*string{&f.Model, &f.Evaluation, &f.Response, &f.Summarization}
	if !slices.ContainsFunc(names, func(name *string) bool { return replaceAuto(*name, "") != *name }) {
		return nil
	}
	model, searched, err := a.findLocalModel(ctx)
	if err != nil {
		return err
	}
	if model == "" {
		a.Warn("auto: no model server answers on this machine (%s): using the built-in model", searched)
		model = models.ModelOffline
	}
	for _, name := range names {
		*name = replaceAuto(*name, model)
	}
	return nil
}

// replaceAuto also replaces the second of two judges, as in "offline,auto".
func replaceAuto(name, model string) string {
	first, second, two := strings.Cut(name, ",")
	switch {
	case !two && strings.TrimSpace(name) == ModelAuto:
		return model
	case strings.TrimSpace(second) != ModelAuto:
		return name
	case model == models.ModelOffline:
		return first
	}
	return first + "," + model
}

// ReplaceAuto returns name, or the first model on this machine for ModelAuto.
func (e *Environment) ReplaceAuto(ctx context.Context, name string) (string, error) {
	if name != ModelAuto {
		return name, nil
	}
	model, searched, err := e.findLocalModel(ctx)
	if err == nil && model == "" {
		err = &cli.Failure{
			Code: cli.ExitTrouble, Err: fmt.Errorf("auto: no model server answers on this machine (%s)", searched),
			Hint: "start Ollama and get a model with `ollama pull llama3.2`, or select another model",
		}
	}
	return model, err
}

func (e *Environment) findLocalModel(ctx context.Context) (model, searched string, err error) {
	found := models.FindLocal(ctx, models.Settings{Env: e.Env}, cli.VersionText())
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	for _, l := range found {
		if model := l.ChatModel(); model != "" {
			e.Say("auto: %s, of %s at %s", terminal.Clean(model), l.Title, terminal.Clean(l.Address))
			return model, "", nil
		}
	}
	return "", DescribeSearched(found), nil
}

// DescribeSearched returns the names and ports of servers.
func DescribeSearched(found []provider.Listing) string {
	var names []string
	for _, l := range found {
		name := l.Title
		if u, err := url.Parse(l.Address); err == nil && u.Port() != "" {
			name += " " + u.Port()
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// ReadLLMTimeout returns the timeout of one model call, or 0 for the default.
func ReadLLMTimeout(s *settings.Settings, flag time.Duration) (time.Duration, error) {
	set := s.Get(settings.LLMTimeout)
	timeout, origin := flag, "--"+FlagLLMTimeout
	if flag == 0 && set.Value != "" {
		var err error
		if timeout, err = time.ParseDuration(set.Value); err != nil {
			timeout = -1
		}
		origin = fmt.Sprintf("%s from %s", settings.LLMTimeout, set.Origin)
	}
	if timeout != 0 && (timeout < models.MinTimeout || timeout > models.MaxTimeout) {
		return 0, cli.UsageError("%s: must be a time from 1s to 10m, such as 90s", origin)
	}
	return timeout, nil
}

// TurnTimeout returns the timeout of a chat for one turn, or 0 for the chat's default.
func (f *LLMFlags) TurnTimeout(s *settings.Settings) (time.Duration, error) {
	limit, err := ReadLLMTimeout(s, f.Timeout)
	if err != nil || limit <= maxDefaultLimit {
		return 0, err
	}
	return 2*limit + providerTimeout, nil
}

const (
	maxDefaultLimit = 2 * time.Minute
	providerTimeout = 2 * time.Minute
)
