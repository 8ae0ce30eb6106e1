package localservercmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/tui/terminal"
)

type modelsOptions struct {
	*service.Environment
	all     bool
	baseURL string
	timeout time.Duration
	json    cli.JSONFlag
}

// A ListedProvider is a provider in the output of `localserver models --json`.
type ListedProvider struct {
	Provider string `json:"provider"`
	Title    string `json:"title"`
	Local    bool   `json:"local"`
	// KeyVariable contains the API key, or is null.
	KeyVariable  *string  `json:"key_variable"`
	KeyVariables []string `json:"key_variables"`
	Address      string   `json:"address"`
	// Asked reports a request for the list of models. Reached reports a response.
	Asked   bool     `json:"asked"`
	Reached bool     `json:"reached"`
	Models  []string `json:"models"`
	Error   *string  `json:"error"`
}

func newModelsCmd(env *service.Environment) *cobra.Command {
	o := &modelsOptions{Environment: env}
	c := &cobra.Command{
		Use:   "models [MODEL ...]",
		Short: "List the models that --llm accepts",
		Long: `List the models that --llm can name: those of servers on this machine, such as
Ollama, and of providers with a key in the environment. Providers are asked over the
network only with --all, which also lists those without a key. Each named MODEL is
tried with a small question, to show by which method it can judge.`,
		Example: "  parley localserver models\n  parley localserver models --all --json\n  parley localserver models ollama/llama3.2",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return tryModels(c.Context(), o, args)
			}
			return runModels(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.all, "all", false, "also ask the providers with a key, and show the providers without a key")
	c.Flags().StringVar(&o.baseURL, service.FlagLLMBaseURL, "", "OpenAI-compatible `URL` to ask for the openai/ models")
	service.AddTimeoutFlag(c, &o.timeout)
	o.json.AddFlags(c, ListedProvider{})
	return c
}

func runModels(ctx context.Context, o *modelsOptions) error {
	settings := models.Settings{BaseURL: o.baseURL, Env: o.Env}
	listings := models.ListModels(ctx, settings, cli.VersionText(), o.all)
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.json.On {
		return o.PrintJSON(o.json, toListedProviders(listings))
	}
	found := false
	for _, l := range listings {
		hasKey := l.KeyVariable != "" && !l.Local
		found = found || hasKey || len(l.Models) > 0
		if err := o.printListing(l); err != nil {
			return err
		}
	}
	if !found {
		o.Say("no model was found: start Ollama, or set the key of a provider and use --all (`parley help environment` lists the keys)")
	}
	return nil
}

func tryModels(ctx context.Context, o *modelsOptions, names []string) error {
	current, err := o.LoadSettings(true)
	if err != nil {
		return err
	}
	timeout, err := service.ReadLLMTimeout(current, o.timeout)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name, err = o.ReplaceAuto(ctx, name); err != nil {
			return err
		}
		attempts, err := models.TryMethods(ctx,
			models.Settings{Model: name, BaseURL: o.baseURL, Timeout: timeout, Env: o.Env}, cli.VersionText())
		if err != nil {
			return service.ExplainLLM(err)
		}
		line, works := name+": ", false
		for i, a := range attempts {
			switch {
			case a.Err == nil:
				line, works = line+a.Method, true
			case i == len(attempts)-1:
				return &cli.Failure{Code: cli.ExitTrouble, Err: fmt.Errorf("%s cannot judge: %w", name, a.Err)}
			default:
				o.Say("%s: %s failed: %s", name, a.Method, terminal.Clean(a.Err.Error()))
			}
		}
		if !works {
			return ctx.Err()
		}
		if _, err := fmt.Fprintln(o.Out, terminal.Clean(line)); err != nil {
			return err
		}
	}
	return nil
}

func (o *modelsOptions) printListing(l provider.Listing) error {
	for _, model := range l.Models {
		if _, err := fmt.Fprintln(o.Out, terminal.Clean(model)); err != nil {
			return err
		}
	}
	switch {
	case l.Err != nil && (o.all || !l.Local):
		o.Warn("%s", terminal.Clean(l.Err.Error()))
	case l.KeyVariable != "" && !l.Asked:
		o.Say("%s: the key in %s is set; list its models with --all, or use one as %s/MODEL", l.Title,
			l.KeyVariable, l.Provider)
	case !l.Asked && o.all:
		o.Say("%s: no key in %s", l.Title, strings.Join(l.Variables, " or "))
	}
	return nil
}

func toListedProviders(listings []provider.Listing) []ListedProvider {
	list := make([]ListedProvider, len(listings))
	for i, l := range listings {
		list[i] = ListedProvider{
			Provider: l.Provider, Title: l.Title, Local: l.Local, KeyVariables: l.Variables, Address: l.Address,
			Asked: l.Asked, Reached: l.Reached, Models: append([]string{}, l.Models...),
		}
		if l.KeyVariable != "" {
			list[i].KeyVariable = &l.KeyVariable
		}
		if l.Err != nil {
			list[i].Error = new(l.Err.Error())
		}
	}
	return list
}
