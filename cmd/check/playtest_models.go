package check

import (
	"context"
	"errors"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/tui/terminal"
)

// shownUnused is how many unused answers of a recording are named
// (docs/decisions/check.md, unused-answers).
const shownUnused = 5

// modelled tells whether the play-throughs are played by other models than the
// built-in one, or by a recording of them.
func (o *testOptions) modelled() bool {
	return o.llm.Replay != "" || o.llm.Model != localserver.ModelOffline
}

// checkModels finds what does not go together with rehearsals.
func (o *testOptions) checkModels() error {
	switch {
	case o.chosen && o.Server != "":
		return cli.UsageError("--llm and its kind are for a throw-away server: leave them out, the service at --server has its own")
	case o.llm.Model == localserver.ModelCallers:
		return cli.UsageError("--llm callers: play-throughs bring no models; name one, such as ollama/llama3.2")
	case o.mutate && o.modelled():
		return cli.UsageError("--mutate plays hundreds of changed personas: it takes the built-in model only, leave --llm out")
	}
	return o.llm.Check(o.Access)
}

// players is a throw-away server as players call it, who have no token. What a
// recording does not have it will not have a second time either.
func (o *testOptions) players(t *service.ThrowAwayServer) (playtest.Service, error) {
	options := client.Options{
		BaseURL: t.Address, Version: cli.VersionText(), OnRetry: o.SayRetry,
		TokenSource: func(context.Context) (string, error) { return "", nil },
	}
	if o.llm.Replay != "" {
		options.Retry.Attempts = 1
	}
	return client.New(options)
}

// sayRecording says on stderr what became of a recording. What was not asked for
// is worth a word only when all went well: a play that breaks off asks for less.
func (o *testOptions) sayRecording(v *service.TestService, whole bool) {
	if v.Local == nil {
		return
	}
	r := v.Local.Server.Recording()
	if r.Note != "" {
		o.Say("%s", terminal.Clean(r.Note))
	}
	if o.llm.Record != "" {
		o.Say("%s: %s", terminal.Clean(o.llm.Record), cli.Pluralize(r.Added, "new answer"))
	}
	if len(r.Unused) > 0 && whole {
		o.sayUnused(r.Unused)
	}
}

// checkRecording is the failure of a recording that could not be ended, or that
// lacks what no play-through needed to go on, such as a summary.
func (o *testOptions) checkRecording(v *service.TestService, closing error) error {
	if closing != nil {
		return cli.WrapTrouble(closing, "")
	}
	if v.Local == nil {
		return nil
	}
	if missed := v.Local.Server.Recording().Missed; len(missed) > 0 {
		return cli.WrapTrouble(errors.New(missed[0]), "")
	}
	return nil
}

func (o *testOptions) sayUnused(unused []string) {
	file := o.llm.Replay + o.llm.Record
	o.Say("%s of %s nobody asked for; to be rid of such, delete the file and record it again:", cli.Pluralize(len(unused), "answer"), terminal.Clean(file))
	for _, one := range unused[:min(len(unused), shownUnused)] {
		o.Say("  %s", terminal.Clean(strings.TrimSpace(one)))
	}
	if more := len(unused) - shownUnused; more > 0 {
		o.Say("  and %d more", more)
	}
}
