package service

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/tui/terminal"
)

// ModelAuto names the first model of this machine that answers.
const ModelAuto = "auto"

// Resolve fills in what the flags leave open: the time limit, from the settings, and the model for
// ModelAuto. If no model of this machine answers, it is the built-in one, and stderr says so. Call
// Resolve before Options.
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

// usesAuto reports whether a flag names ModelAuto.
func (f *LLMFlags) usesAuto() bool {
	for _, name := range []string{f.Model, f.evaluation, f.response, f.summarization} {
		if replaceAuto(name, "") != name {
			return true
		}
	}
	return false
}

// replaceAuto returns the name of a model, or of two judges, with a model in place of ModelAuto.
func replaceAuto(name, model string) string {
	first, second, two := strings.Cut(name, ",")
	switch {
	case !two && strings.TrimSpace(name) == ModelAuto:
		return model
	case two && strings.TrimSpace(second) == ModelAuto && model == localserver.ModelOffline:
		return first
	case two && strings.TrimSpace(second) == ModelAuto:
		return first + "," + model
	}
	return name
}

// findModel returns the first model of this machine that can play, or the built-in one, and says
// on stderr which.
func (a *Access) findModel(ctx context.Context) (string, error) {
	model, searched, err := a.findLocalModel(ctx)
	if err == nil && model == "" {
		a.Warn("auto: no model server answers on this machine (%s): the built-in model plays", searched)
		model = localserver.ModelOffline
	}
	return model, err
}

// ReplaceAuto returns the named model, or for ModelAuto the first one of this machine, which it names
// on stderr. It fails if no model server of this machine answers.
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

// findLocalModel returns the model for ModelAuto and names it on stderr; or "" and the servers that it
// searched.
func (e *Environment) findLocalModel(ctx context.Context) (model, searched string, err error) {
	found := localserver.FindLocalModels(ctx, localserver.LLM{Env: e.Env}, cli.VersionText())
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

// DescribeSearched lists the servers that were looked for, with their ports.
func DescribeSearched(found []localserver.Listing) string {
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

// ReadLLMTimeout returns the time limit of each question to a model: the flag's, else the setting's;
// 0 is the default. A time out of range is a usage error.
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
	if timeout != 0 && (timeout < localserver.MinLLMTimeout || timeout > localserver.MaxLLMTimeout) {
		return 0, cli.UsageError("%s: it takes a time from 1s to 10m, such as 90s", origin)
	}
	return timeout, nil
}

// TurnTimeout returns how long a chat waits for a turn: a judgement and a reply of the time
// limit, with room for a wait of the provider. 0 is the chat's own default.
func (f *LLMFlags) TurnTimeout(s *settings.Settings) (time.Duration, error) {
	limit, err := ReadLLMTimeout(s, f.timeout)
	if err != nil || limit <= usualLimit {
		return 0, err
	}
	return 2*limit + providerPatience, nil
}

const (
	// usualLimit is the time limit for which the chat's default is enough.
	usualLimit = 2 * time.Minute
	// providerPatience is how long a provider may be waited for besides.
	providerPatience = 2 * time.Minute
)
