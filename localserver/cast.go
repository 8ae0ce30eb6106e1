package localserver

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/cassette"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// cast is who speaks for the characters of a server, and what ends with it.
type cast struct {
	model llm.Model
	// writer is who drafts personas: the main model; nil where there is none.
	writer    provider.Asker
	recording func() Recording
	close     func() error
}

// Recording is how the file of LLM.Record or LLM.Replay stands.
type Recording struct {
	// Note is a sentence about the file that its user should read; "" is none.
	Note string
	// Unused describes the answers that nobody has asked for up to now.
	Unused []string
	// Missed are sentences about what was asked and is not in the file, also where
	// the play went on without an answer.
	Missed []string
	// Added is how many answers were new up to now.
	Added int
}

// cast makes of the settings who speaks, counted by t. It opens the recording, and
// no connection. A setting that cannot be meant is a *LLMError.
func (l LLM) cast(t *telemetry, version string) (cast, error) {
	if err := l.consistent(); err != nil {
		return cast{}, err
	}
	switch {
	case l.Replay != "":
		return l.replayed()
	case !l.asks():
		return cast{model: llm.NewOffline(), recording: noRecording, close: func() error { return nil }}, nil
	}
	return l.lively(t, version)
}

func noRecording() Recording { return Recording{} }

// replayed is a cast that plays from a recording: everybody, whatever keys and
// models callers bring.
func (l LLM) replayed() (cast, error) {
	player, err := cassette.Load(l.Replay)
	if err != nil {
		return cast{}, err
	}
	var askers [4]provider.Asker
	for i, name := range l.names() {
		if name != "" || i == 0 {
			askers[i] = player.Asker(canonical(name))
		}
	}
	recording := func() Recording {
		return Recording{Note: player.Note(), Unused: player.Unused(), Missed: player.Missed()}
	}
	return cast{model: threefold(askers, newTools()), writer: askers[0], recording: recording, close: func() error { return nil }}, nil
}

// canonical is a model's name as provider/model, where it is known to be one.
func canonical(name string) string {
	if t, err := provider.Parse(name); err == nil {
		return t.String()
	}
	return name
}

// tools are what models are played with. Making them takes longer than a turn of
// the offline model, so all share them.
type tools struct {
	book       *prompt.Book
	understudy llm.Model
}

func newTools() tools { return tools{prompt.New(), llm.NewOffline()} }

// lively is a cast that asks providers.
func (l LLM) lively(t *telemetry, version string) (cast, error) {
	client := l.client(version)
	askers, err := l.own(client)
	if err != nil {
		return cast{}, err
	}
	tape, err := l.record(version)
	if err != nil {
		return cast{}, err
	}
	p := &lending{Client: client, telemetry: t, tape: tape}
	for i, a := range askers {
		if a != nil {
			askers[i] = p.dress(a)
		}
	}
	tools := newTools()
	model := tools.understudy
	if l.isModel() {
		model = threefold(askers, tools)
	}
	names := l.names()
	lender := hosted.Lender{
		Model: model, Providers: p, Understudy: tools.understudy, Prompts: tools.book,
		Own: hosted.Names{Main: names[0], Evaluation: names[1], Response: names[2], Summarization: names[3]},
	}
	return cast{model: lender, writer: askers[0], recording: tape.stand, close: func() error { client.Close(); return tape.close() }}, nil
}

// threefold is a model of three that are asked; the first stands for those that
// are not named.
func threefold(askers [4]provider.Asker, t tools) llm.Model {
	step := func(a provider.Asker) provider.Asker {
		if a == nil {
			return askers[0]
		}
		return a
	}
	return hosted.New(hosted.Steps{
		Evaluation: step(askers[1]), Response: step(askers[2]), Summarization: step(askers[3]),
		Understudy: t.understudy, Prompts: t.book,
	})
}

// tape is a recording that is being made; the zero tape is none.
type tape struct{ recorder *cassette.Recorder }

func (l LLM) record(version string) (tape, error) {
	if l.Record == "" {
		return tape{}, nil
	}
	recorder, err := cassette.Open(l.Record, cassette.Options{MadeBy: "parley " + version, Secrets: l.keys()})
	return tape{recorder}, err
}

// keys are all keys that are set, whosever they are.
func (l LLM) keys() []llm.Secret {
	env := l.env()
	secrets := []llm.Secret{llm.NewSecret(env(EnvKey))}
	for _, p := range provider.Providers {
		for _, name := range p.KeyVariables {
			secrets = append(secrets, llm.NewSecret(env(name)))
		}
	}
	return secrets
}

func (r tape) stand() Recording {
	if r.recorder == nil {
		return Recording{}
	}
	return Recording{Note: r.recorder.Note(), Unused: r.recorder.Unused(), Added: r.recorder.Added()}
}

func (r tape) close() error {
	if r.recorder == nil {
		return nil
	}
	return r.recorder.Close()
}

// wrap is an asker whose answers are kept, where there is a recording; the keys
// are kept out of it.
func (r tape) wrap(a provider.Asker, keys ...llm.Secret) provider.Asker {
	if r.recorder == nil {
		return a
	}
	return r.recorder.Wrap(a, keys...)
}

// lending finds models for callers, counted and recorded as the server's own.
type lending struct {
	*provider.Client
	telemetry *telemetry
	tape      tape
}

// dressed is an asker as it plays, and as it is without all that.
type dressed struct {
	provider.Asker
	bare provider.Asker
}

// dress counts what really goes to a provider: what the recording has already
// costs nothing.
func (p *lending) dress(a provider.Asker, keys ...llm.Secret) provider.Asker {
	return &dressed{Asker: p.tape.wrap(p.telemetry.counted(a), keys...), bare: a}
}

// Lent is the client's, counted and recorded.
func (p *lending) Lent(name string, key llm.Secret) (provider.Asker, error) {
	a, err := p.Client.Lent(name, key)
	if err != nil {
		return nil, err
	}
	return p.dress(a, key), nil
}

// OwnWith is the client's, counted and recorded.
func (p *lending) OwnWith(name string, key llm.Secret) (provider.Asker, error) {
	a, err := p.Client.OwnWith(name, key)
	if err != nil {
		return nil, err
	}
	return p.dress(a, key), nil
}

// Check is the client's.
func (p *lending) Check(ctx context.Context, who provider.Asker) error {
	if d, ok := who.(*dressed); ok {
		who = d.bare
	}
	return p.Client.Check(ctx, who)
}

var _ hosted.Providers = (*lending)(nil)
