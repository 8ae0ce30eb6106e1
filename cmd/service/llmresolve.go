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

// Resolve sets the timeout. If the model is ModelAuto, it also replaces it by a model of a server on
// this machine, or else by the built-in model with a warning. Call Resolve before Options.
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

// replaceAuto replaces ModelAuto by model. name may have two judges ("offline,auto").
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

// ReplaceAuto returns name, or for ModelAuto the first model on this machine, which it prints. It
// fails if no model server on this machine answers.
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

// DescribeSearched names the searched servers, with their ports.
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

// ReadLLMTimeout returns the timeout of one call of a model: the flag, else the setting, else 0 for
// the default. A value out of range is a usage error.
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

// TurnTimeout returns how long a chat waits for a turn, which has a judgement and a reply. 0 means
// the chat's default.
func (f *LLMFlags) TurnTimeout(s *settings.Settings) (time.Duration, error) {
	limit, err := ReadLLMTimeout(s, f.Timeout)
	if err != nil || limit <= usualLimit {
		return 0, err
	}
	return 2*limit + providerPatience, nil
}

const (
	// longest timeout for which the chat's default suffices
	usualLimit = 2 * time.Minute
	// additional time to wait for a provider
	providerPatience = 2 * time.Minute
)
