package service

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/tui/terminal"
)

// ModelAuto selects the first model server on this machine that answers.
const ModelAuto = "auto"

// Resolve sets the values that the flags omit. It takes the timeout from the settings and chooses
// the model for ModelAuto. If no model server on this machine answers, it selects the built-in
// model and prints a warning. Call Resolve before Options.
func (f *LLMFlags) Resolve(ctx context.Context, a *Access) error {
	current, err := a.LoadSettings(true)
	if err != nil {
		return err
	}
	if f.timeout, err = ReadLLMTimeout(current, f.timeout); err != nil {
		return err
	}
	if !f.usesAuto() {
		return nil
	}
	model, err := a.findModel(ctx)
	if err != nil {
		return err
	}
	for _, name := range []*string{&f.Model, &f.evaluation, &f.response, &f.summarization} {
		*name = replaceAuto(*name, model)
	}
	return nil
}

func (f *LLMFlags) usesAuto() bool {
	return slices.ContainsFunc([]string{f.Model, f.evaluation, f.response, f.summarization}, func(name string) bool { return replaceAuto(name, "") != name })
}

// replaceAuto replaces ModelAuto by model in name. name may contain two judges.
func replaceAuto(name, model string) string {
	first, second, two := strings.Cut(name, ",")
	switch {
	case !two && strings.TrimSpace(name) == ModelAuto:
		return model
	case two && strings.TrimSpace(second) == ModelAuto && model == models.ModelOffline:
		return first
	case two && strings.TrimSpace(second) == ModelAuto:
		return first + "," + model
	}
	return name
}

// findModel returns the first model on this machine that can play, or the built-in model. It prints
// the choice on stderr.
func (a *Access) findModel(ctx context.Context) (string, error) {
	model, searched, err := a.findLocalModel(ctx)
	if err == nil && model == "" {
		a.Warn("auto: no model server answers on this machine (%s): the built-in model plays", searched)
		model = models.ModelOffline
	}
	return model, err
}

// ReplaceAuto returns name. For ModelAuto it returns the first model on this machine and prints it
// on stderr. It fails if no model server on this machine answers.
func (e *Environment) ReplaceAuto(ctx context.Context, name string) (string, error) {
	if name != ModelAuto {
		return name, nil
	}
	model, searched, err := e.findLocalModel(ctx)
	if err == nil && model == "" {
		err = &cli.Failure{
			Code: cli.ExitTrouble, Err: fmt.Errorf("auto: no model server answers on this machine (%s)", searched),
			Hint: "start Ollama and get a model with `ollama pull llama3.2`, or name another model",
		}
	}
	return model, err
}

// findLocalModel returns the model for ModelAuto and prints it on stderr. If there is none, it
// returns "" and the servers that it searched.
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

// DescribeSearched names the servers that were searched, with their ports.
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

// ReadLLMTimeout returns the timeout of one call of a model. It is the value of the flag, else of
// the setting, else 0 for the default. A value out of range is a usage error.
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

// TurnTimeout returns how long a chat waits for a turn. It is twice the timeout, for a judgement
// and a reply, plus time to wait for the provider. 0 means the chat's default.
func (f *LLMFlags) TurnTimeout(s *settings.Settings) (time.Duration, error) {
	limit, err := ReadLLMTimeout(s, f.timeout)
	if err != nil || limit <= usualLimit {
		return 0, err
	}
	return 2*limit + providerPatience, nil
}

const (
	// usualLimit is the maximum timeout for which the chat's default is sufficient.
	usualLimit = 2 * time.Minute
	// providerPatience is the additional time to wait for a provider.
	providerPatience = 2 * time.Minute
)
