package models

import (
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/cassette"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/llm/scripted"
)

// Set contains the models of a server and their recording.
type Set struct {
	Model llm.Model
	// Writer drafts personas. It may be nil.
	Writer provider.Asker
	// TurnLimit limits the evaluation and the reply together. It is 0 without hosted models.
	TurnLimit time.Duration
	recording func() Recording
	close     func() error
}

// Recording returns the state of the recording. It is zero without a recording.
func (s *Set) Recording() Recording {
	if s.recording == nil {
		return Recording{}
	}
	return s.recording()
}

// Close closes the connections and the recording.
func (s *Set) Close() error {
	if s.close == nil {
		return nil
	}
	if err := s.close(); err != nil {
		return fmt.Errorf("close the recording: %w", err)
	}
	return nil
}

// Recording is the state of the file Settings.Record or Settings.Replay.
type Recording struct {
	// Note is a message for the user, or "".
	Note string
	// Unused describes the recorded responses that were not used so far.
	Unused []string
	// Missed describes the requests without a recorded response.
	Missed []string
	// Added is the number of added responses.
	Added int
}

// OpenModels opens the recording, but no connections. t counts the requests. The error is a
// *SettingsError for invalid settings.
func (s Settings) OpenModels(t *api.Telemetry, version string) (*Set, error) {
	if err := s.checkTogether(); err != nil {
		return nil, err
	}
	switch {
	case s.Replay != "":
		return s.openReplay()
	case !s.needsProviders():
		return &Set{Model: s.newOffline()}, nil
	}
	return s.openProviders(t, version)
}

func (s Settings) openReplay() (*Set, error) {
	player, err := cassette.Load(s.Replay)
	if err != nil {
		return nil, err
	}
	var askers [4]provider.Asker
	for i, name := range s.stepNames() {
		// Without any model in the settings, the main model plays back every step.
		if name != "" || i == 0 && !s.isAnyModel() {
			askers[i] = player.Asker(fullName(name))
		}
	}
	recording := func() Recording {
		return Recording{Note: player.Note(), Unused: player.UnusedAnswers(), Missed: player.MissingQuestions()}
	}
	model := s.newHosted(askers, s.newOptions())
	return &Set{Model: model, Writer: askers[0], TurnLimit: turnLimit(model), recording: recording}, nil
}

func fullName(name string) string {
	if t, err := provider.ParseModelName(name); err == nil {
		return t.String()
	}
	return name
}

// newOptions returns options for all hosted models of a server. Creating the options takes longer
// than a turn of the offline model.
func (s Settings) newOptions() hosted.Options {
	method, _ := hosted.ParseMethod(s.EvaluationMethod) // validated by checkTogether
	return hosted.Options{
		Fallback: s.newOffline(), Prompts: prompt.New(), Method: method, Methods: hosted.NewMethods(),
		AskOpenings: s.Openings == OpeningsModel, Limits: s.limits(),
	}
}

func (s Settings) newOffline() llm.Model { return scripted.New().WithSeed(s.Seed) }

func (s Settings) openProviders(t *api.Telemetry, version string) (*Set, error) {
	client := s.newClient(version)
	askers, err := s.ownAskers(client)
	if err != nil {
		return nil, err
	}
	set := &Set{close: func() error { client.Close(); return nil }}
	observe := func(a provider.Asker, _ llm.Secret) provider.Asker { return t.CountAsker(a) }
	if s.Record != "" {
		recorder, err := s.openRecorder(version)
		if err != nil {
			return nil, err
		}
		// Wrap counts only requests that reach the provider.
		observe = func(a provider.Asker, key llm.Secret) provider.Asker { return recorder.Wrap(t.CountAsker(a), key) }
		set.recording = func() Recording {
			return Recording{Note: recorder.Note(), Unused: recorder.UnusedAnswers(), Added: recorder.AddedCount()}
		}
		set.close = func() error { client.Close(); return recorder.Close() }
	}
	for i, a := range askers {
		if a != nil {
			askers[i] = observe(a, llm.Secret{})
		}
	}
	shared := s.newOptions()
	hostedModel := s.newHosted(askers, shared) // Callers' models have the same time limits.
	model := shared.Fallback
	if s.isAnyModel() {
		model = hostedModel
	}
	names, addresses := s.stepNames(), s.addresses()
	set.Writer, set.TurnLimit = askers[0], turnLimit(hostedModel)
	set.Model = hosted.CallerModels{
		Model: model, Providers: client, Observe: observe, Judges: s.Evaluation, Options: shared,
		Operator:  hosted.ModelNames{Main: names[0], Evaluation: names[1], Response: names[2], Summarization: names[3]},
		Addresses: hosted.StepAddresses{Evaluation: addresses[1], Response: addresses[2], Summarization: addresses[3]},
	}
	return set, nil
}

func (s Settings) newHosted(askers [4]provider.Asker, options hosted.Options) *hosted.Model {
	step := func(a provider.Asker) provider.Asker {
		if a == nil {
			return askers[0]
		}
		return a
	}
	options.Evaluation, options.Response, options.Summarization = step(askers[1]), step(askers[2]), step(askers[3])
	options.Prepares = s.Prepares
	builtIn, second := hosted.SplitJudges(s.Evaluation)
	if builtIn && second == "" {
		options.Evaluation = nil
	}
	options.BuiltInFirst = builtIn
	return hosted.New(options)
}

func turnLimit(m *hosted.Model) time.Duration { return m.Limits().Evaluation + m.Limits().Response }

func (s Settings) openRecorder(version string) (*cassette.Recorder, error) {
	names := KeyVariables()
	for _, p := range provider.Providers {
		names = append(names, p.KeyVariables...)
	}
	env, secrets := s.variableLookup(), make([]llm.Secret, len(names))
	for i, name := range names {
		secrets[i] = llm.NewSecret(env(name))
	}
	return cassette.Open(s.Record, cassette.Options{MadeBy: "parley " + version, Secrets: secrets})
}

// IsBadWish reports whether an error of a Drafter means an invalid brief. No request was sent then.
func IsBadWish(err error) bool {
	_, ok := errors.AsType[*draft.InvalidBrief](err)
	return ok
}

// IsUnusable reports whether an error of a Drafter means an unusable response of the model.
func IsUnusable(err error) bool {
	_, unfit := errors.AsType[*draft.UnusableRewrite](err)
	return unfit || errors.Is(err, draft.ErrDeclined)
}

// Drafter writes personas and single texts with a model.
type Drafter struct {
	*draft.Drafter
	models *Set
}

// NewDrafter returns a drafter. It opens the recording, but no connections. The error is a
// *SettingsError for invalid settings.
func NewDrafter(s Settings, version string) (*Drafter, error) {
	set, err := s.OpenModels(api.NewTelemetry(version), version)
	if err != nil {
		return nil, err
	}
	if set.Writer == nil {
		return nil, errors.Join(&SettingsError{errors.New("no model that can write is configured")}, set.Close())
	}
	return &Drafter{draft.New(set.Writer), set}, nil
}

// Recording returns the state of the recording. It is zero without a recording.
func (d *Drafter) Recording() Recording { return d.models.Recording() }

// Close closes the connections and the recording.
func (d *Drafter) Close() error { return d.models.Close() }
