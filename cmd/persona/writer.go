package persona

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type writerFlags struct {
	model, baseURL, record, replay string
	timeout                        time.Duration
}

func (f *writerFlags) addWriterFlags(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.model, service.FlagLLM, "", "`MODEL` that writes the persona, such as ollama/llama3.2 or "+
		"openai/gpt-4o, or auto for a model on this machine (else PARLEY_LLM_MODEL, the setting llm_model)")
	s.StringVar(&f.baseURL, service.FlagLLMBaseURL, "",
		"OpenAI-compatible `URL` for openai/ models and models with unknown names")
	s.DurationVar(&f.timeout, service.FlagLLMTimeout, 0,
		"`DURATION` that the model may take for one answer (else the setting llm_timeout, else 5m)")
	s.StringVar(&f.record, service.FlagLLMRecord, "", "write the model's answers to `FILE`")
	s.StringVar(&f.replay, service.FlagLLMReplay, "", "take the model's answers from `FILE` instead of the network")
	_ = c.RegisterFlagCompletionFunc(service.FlagLLM, service.CompleteModel)
}

const noWriter = "no model is selected: set one with --llm, PARLEY_LLM_MODEL or the setting llm_model"

const noWriterHint = `such as --llm openai/gpt-4o, with its key in OPENAI_API_KEY (` + "`parley help environment`" + ` lists all);
  without a key: install Ollama, get a model with ` + "`ollama pull llama3.2`" + `, and use --llm ollama/llama3.2`

func (f *writerFlags) newDrafter(ctx context.Context, env *service.Environment) (*models.Drafter, error) {
	current, err := env.Settings()
	if err != nil {
		return nil, err
	}
	timeout, err := service.ReadLLMTimeout(current, f.timeout)
	if err != nil {
		return nil, err
	}
	named := current.Get(settings.LLMModel)
	if f.model != "" {
		named = settings.Setting{Value: f.model, Origin: "--" + service.FlagLLM}
	}
	switch named.Value {
	case "":
		if f.replay == "" {
			return nil, &cli.Failure{Code: cli.ExitUsage, Err: errors.New(noWriter), Hint: noWriterHint}
		}
	case models.ModelOffline, models.ModelCallers:
		err := fmt.Errorf("%s %q: the built-in model plays characters but cannot write them", named.Origin, named.Value)
		return nil, &cli.Failure{Code: cli.ExitUsage, Err: err, Hint: noWriterHint}
	}
	model, err := env.ReplaceAuto(ctx, named.Value)
	if err != nil {
		return nil, err
	}
	llm := models.Settings{
		Model: model, Timeout: timeout, BaseURL: f.baseURL, Record: f.record, Replay: f.replay,
		Env: modelEnvironment(env.Streams, named),
	}
	d, err := models.NewDrafter(llm, cli.VersionText())
	return d, service.ExplainLLM(err)
}

// modelEnvironment hides PARLEY_LLM_API_KEY from a model in a project's settings file. A stranger
// may have written that file.
func modelEnvironment(streams *cli.Streams, named settings.Setting) func(string) string {
	if named.Source != settings.FromProject {
		return streams.Env
	}
	return func(name string) string {
		if name == models.EnvKey {
			return ""
		}
		return streams.Env(name)
	}
}

func tellWaits(ctx context.Context, streams *cli.Streams) context.Context {
	return wire.WithWaitNotice(ctx, func(n wire.WaitNotice) {
		wait := n.Wait().Round(time.Second)
		text := fmt.Sprintf("%s; next attempt in %s (Ctrl-C cancels)", n.Sentence(), wait)
		streams.Say("%s", streams.Style.Faint(text))
	})
}

func finishWriting(streams *cli.Streams, d *models.Drafter, u llm.Usage, err error) error {
	note := d.Recording().Note
	err = errors.Join(err, d.Close())
	if u.In+u.Out > 0 {
		streams.Say("%s",
			streams.Style.Faint(terminal.Clean(fmt.Sprintf("%s: %d tokens read, %d written", u.Model, u.In, u.Out))))
	}
	if note != "" {
		streams.Say("%s", terminal.Clean(note))
	}
	switch {
	case err == nil:
		return nil
	case models.IsBadWish(err):
		return cli.UsageError("%w", err)
	case models.IsUnusable(err):
		return &cli.Failure{Code: cli.ExitNo, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return cli.WrapTrouble(err, "--"+service.FlagLLMTimeout+" sets how long a model may take for one answer")
	}
	return cli.WrapTrouble(err, "")
}
