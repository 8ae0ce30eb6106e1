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

// maxUnusedShown is how many unused answers of a recording are named.
const maxUnusedShown = 5

// usesOtherModel reports whether the play-throughs are played by other models than the
// built-in one, or by a recording of them.
func (o *testOptions) usesOtherModel() bool {
	return !o.llm.IsBuiltIn()
}

// checkModels refuses models with which play-throughs cannot be played.
func (o *testOptions) checkModels(ctx context.Context) error {
	if o.modelGiven && o.Server != "" {
		return cli.UsageError("--llm and its kind are for a throw-away server: leave them out, the service at --server has its own")
	}
	if err := o.llm.Resolve(ctx, o.Access); err != nil {
		return err
	}
	switch {
	case o.llm.Model == localserver.ModelCallers:
		return cli.UsageError("--llm callers: play-throughs bring no models; name one, such as ollama/llama3.2")
	case o.mutate && o.usesOtherModel():
		return cli.UsageError("--mutate plays hundreds of changed personas: it takes the built-in model only, leave --llm out")
	}
	return o.llm.Check(o.Access)
}

// newPlayerClient calls a throw-away server as players do, without a token. With
// --llm-replay it asks once: an answer that the recording lacks will not come later.
func (o *testOptions) newPlayerClient(t *service.OwnServer) (playtest.Service, error) {
	options := client.Options{
		BaseURL: t.Address, Version: cli.VersionText(), OnRetry: o.SayRetry,
		TokenSource: func(context.Context) (string, error) { return "", nil },
	}
	if o.llm.Replay != "" {
		options.Retry.Attempts = 1
	}
	return client.New(options)
}

// sayRecording reports the result of a recording on stderr. Unused answers are only listed if
// everything was played (whole), because an interrupted run asks for less.
func (o *testOptions) sayRecording(target *service.TestService, whole bool) {
	if target.Local == nil {
		return
	}
	r := target.Local.Server.Recording()
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

// checkRecording fails when a recording could not be closed, and when it lacks an answer
// without which the play-throughs could go on, such as a summary.
func (o *testOptions) checkRecording(target *service.TestService, closeErr error) error {
	if closeErr != nil {
		return cli.WrapTrouble(closeErr, "")
	}
	if target.Local == nil {
		return nil
	}
	if missed := target.Local.Server.Recording().Missed; len(missed) > 0 {
		return cli.WrapTrouble(errors.New(missed[0]), "")
	}
	return nil
}

// sayUnused names the first answers of a recording that nobody asked for.
func (o *testOptions) sayUnused(unused []string) {
	file := o.llm.Replay + o.llm.Record
	o.Say("%s of %s nobody asked for; to be rid of such, delete the file and record it again:", cli.Pluralize(len(unused), "answer"), terminal.Clean(file))
	for _, one := range unused[:min(len(unused), maxUnusedShown)] {
		o.Say("  %s", terminal.Clean(strings.TrimSpace(one)))
	}
	if more := len(unused) - maxUnusedShown; more > 0 {
		o.Say("  and %d more", more)
	}
}
