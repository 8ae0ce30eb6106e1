package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/plaintext"
)

const maxModelNames = 200 // characters

// examineModels reports the models that --llm can select. These are the models of servers on this
// machine, and of providers with a key in the environment. It connects to no other machine.
func (o *doctorOptions) examineModels(ctx context.Context) []doctorResult {
	servers := models.FindLocal(ctx, models.Settings{Env: o.Env}, cli.VersionText())
	var list []doctorResult
	for _, l := range servers {
		if l.Reached {
			list = append(list, examineModelServer(&l))
		}
	}
	var keys []string
	for _, p := range provider.Providers {
		for _, variable := range p.KeyVariables {
			if !p.Local && o.Env(variable) != "" {
				keys = append(keys, fmt.Sprintf("%s by %s", p.Title, variable))
				break
			}
		}
	}
	if o.Env(models.EnvKey) != "" {
		keys = append(keys, "any model of --llm, with the key in "+models.EnvKey)
	}
	if len(keys) > 0 {
		list = append(list, foundOK("models", "%s", strings.Join(keys, "; ")))
	}
	if len(list) == 0 {
		found := foundOK("models", "the built-in offline model; no model server answers on this machine (%s)", service.DescribeSearched(servers))
		found.Remedy = "for other models see `parley help environment`"
		return []doctorResult{found}
	}
	return list
}

func examineModelServer(l *provider.Listing) doctorResult {
	model := l.ChatModel()
	switch {
	case l.Err != nil:
		return foundOK("models", "%s", l.Err).warn("check the program at " + l.Address)
	case model == "":
		return foundOK("models", "%s at %s has no model that generates text", l.Title, l.Address).warn("load such a model there")
	}
	names := plaintext.ClipAfter(strings.Join(l.Models, ", "), maxModelNames, plaintext.Ellipsis)
	found := foundOK("models", "%s at %s has %s that can judge by %s", l.Title, l.Address, names, strings.Join(l.Judges, " or "))
	found.Remedy = "parley chat --local --llm " + plaintext.ShellWord(model)
	return found
}
