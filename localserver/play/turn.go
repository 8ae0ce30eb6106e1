package play

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// TurnRequest is a request to Turn. A nil Model means the model of the service. Callbacks may be
// nil. An error of a callback ends the turn before anything is stored.
type TurnRequest struct {
	Ref
	Message string
	// SameVerdict requests another wording of a reply, with the verdict of the original player. The
	// player must have been forked directly before this message.
	SameVerdict bool
	Idempotency Idempotency
	Model       llm.Model
	// Wait is called before each wait for a model or for a concurrent equal call.
	Wait func()
	// Begin is called once before the first Emit, with a Reply without Message.
	Begin func(Reply) error
	// Emit is called with each piece of the message. A stored answer is a single piece.
	Emit func(delta string) error

	begun bool
}

// Turn sends a message and returns the reply. An empty r.Machine selects the session that was
// opened last. Turn stores the whole turn or nothing, but the summary may remain old. Of two
// concurrent turns, one fails with a Conflict. Other error kinds are NotFound, Forbidden, Finished,
// Full, NothingKept, KeyReused, TooLong, ModelDown and ModelLate.
func (s *Service) Turn(ctx context.Context, r TurnRequest) (Reply, error) {
	if r.Wait == nil {
		r.Wait = func() {}
	}
	if r.Begin == nil {
		r.Begin = func(Reply) error { return nil }
	}
	if r.Emit == nil {
		r.Emit = func(string) error { return nil }
	}
	idempotent, err := r.idempotentCall("message", r.Idempotency)
	if err != nil {
		return Reply{}, err
	}
	reply, err := answerOnce(ctx, s, idempotent, r.Wait, func() (Reply, error) {
		return s.playTurn(ctx, &r, idempotent)
	})
	if err != nil || r.begun {
		return reply, s.explainChange(ctx, r.Ref, err)
	}
	if err := r.begin(reply); err != nil {
		return reply, err
	}
	return reply, r.Emit(reply.Message)
}

func (s *Service) playTurn(ctx context.Context, r *TurnRequest, idempotent *store.IdempotentCall) (Reply, error) {
	t, err := s.loadTurn(ctx, r)
	if err != nil {
		return Reply{}, err
	}
	r.Wait()
	s.preparing.stop()
	limited, cancel := s.withTurnLimit(ctx)
	defer cancel()
	steps := []func(context.Context) error{
		t.evaluateMessage, t.prepareReply, t.speakReply, t.updateMemory, t.writeMessages,
	}
	for _, step := range steps {
		if err := step(limited); err != nil {
			return Reply{}, err
		}
	}
	reply, err := t.save(ctx, idempotent)
	isNewState := t.after.Engine.State != t.before.Session.Engine.State
	if err == nil && isNewState && !t.after.Engine.IsFinished() {
		// The model's server has not cached the instructions of the new state yet.
		s.prepareSession(
			ctx, t.model, t.machineVersion, &t.after, t.before.Vars, t.input.Recent, t.playerMessage,
			t.characterMessage,
		)
	}
	return reply, err
}

// MaxTurns is the maximum number of turns of a session.
const MaxTurns = 10_000

func (s *Service) withTurnLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.TurnLimit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.TurnLimit)
}

func (r *TurnRequest) begin(reply Reply) error {
	r.begun, reply.Message = true, ""
	return r.Begin(reply)
}

type turn struct {
	machineVersion
	service  *Service
	request  *TurnRequest
	began    time.Time
	model    llm.Model
	before   store.LoadedSession
	after    store.Session
	input    llm.Input
	repeated *store.Message

	evaluation       llm.Evaluation
	result           engine.Result
	reply            Reply
	replyReason      string // trace of the reply's text
	summaryFailure   string // why the summary was not updated
	extractionReason string // what was done because the model could not extract the variables
	costs            stepUsage
	allUnlocked      []string
	vars             map[string]string
	playerMessage    store.Message
	characterMessage store.Message
}

const notForked = "same_verdict requires a branch that was forked directly before this message: " +
	"fork at the message before it"

func (s *Service) loadTurn(ctx context.Context, r *TurnRequest) (*turn, error) {
	loaded, err := s.Store.LoadSession(ctx, r.storePlayer(), r.Machine, window)
	if err != nil {
		return nil, callerError(err)
	}
	session := &loaded.Session
	if session.Engine.IsFinished() {
		return nil, &Error{
			Kind: Finished, Message: "the machine is finished: open it, or another machine, with init-session",
		}
	}
	if session.Turn >= MaxTurns {
		return nil, &Error{Kind: Full, Message: fmt.Sprintf(
			"the session has %d turns, which is the maximum: clear it with reset, or start it again with init-session",
			MaxTurns,
		)}
	}
	machine, err := s.sessionMachine(ctx, &loaded.Persona, session)
	if err != nil {
		return nil, err
	}
	t := &turn{
		machineVersion: machine, service: s, request: r, began: s.currentTime(), model: s.chooseModel(r.Model),
		before: loaded, after: *session, costs: stepUsage{},
	}
	t.after.Turn++
	t.input = machine.newInput(session, loaded.Vars)
	if r.SameVerdict {
		reply, err := s.Store.RepeatedReply(ctx, session, r.Message)
		if errors.Is(err, store.ErrNotFound) {
			return nil, &Error{Kind: NothingKept, Message: notForked, Cause: err}
		}
		if err != nil {
			return nil, err
		}
		t.repeated, t.input.Heard = &reply, reply.Content
	}
	t.input.Recent, t.input.Message = llmMessages(loaded.Recent), r.Message
	isOwner := r.UserID != "" && r.UserID == loaded.Persona.OwnerID
	t.input.MayDirect = isOwner || s.AllMayDirect(ctx)
	return t, t.recallMessages(ctx)
}

// AllMayDirect reports whether the caller may use director's marks with every persona.
func (s *Service) AllMayDirect(ctx context.Context) bool {
	return s.MayDirect != nil && s.MayDirect(ctx)
}

func (s *Service) sessionMachine(
	ctx context.Context, persona *store.PersonaHead, session *store.Session,
) (machineVersion, error) {
	version, err := s.Store.LoadVersion(ctx, persona.ID, session.Version)
	if err != nil {
		return machineVersion{}, conflictIfGone(err)
	}
	return machineInVersion(version, persona.Machines.Keys[session.MachineID])
}

var errNoChoice = errors.New("the model twice returned a choice that the state does not have")

func (t *turn) evaluateMessage(ctx context.Context) error {
	verdict, err := t.askVerdict(ctx)
	if err != nil {
		return t.modelRefusal(ctx, err)
	}
	result, err := t.rules.Step(t.before.Session.Engine, verdict)
	t.result, t.after.Engine = result, result.Session
	return err
}

// An invalid choice of the model must not cost the player a redirect.
func (t *turn) askVerdict(ctx context.Context) (engine.Verdict, error) {
	if t.repeated != nil {
		return t.repeatVerdict()
	}
	for range 2 {
		evaluation, err := askModel(t.service, "evaluate", func() (llm.Evaluation, error) {
			return t.model.Evaluate(ctx, t.input)
		})
		t.costs.add(stepEvaluation, evaluation.Usage)
		if err != nil {
			return engine.None, err
		}
		t.evaluation = evaluation
		if verdict, ok := t.verdictOf(evaluation); ok {
			return verdict, nil
		}
	}
	return engine.None, errNoChoice
}

func (t *turn) verdictOf(evaluation llm.Evaluation) (engine.Verdict, bool) {
	if evaluation.Aside {
		return engine.Aside, !evaluation.FollowUp && len(evaluation.Matches) == 0
	}
	if evaluation.FollowUp {
		return engine.FollowUp, t.input.FollowUpAllowed && len(evaluation.Matches) == 0
	}
	holding := make([]int, len(evaluation.Matches))
	for i, match := range evaluation.Matches {
		if !slices.Contains(t.input.Outgoing, match.Transition) {
			return engine.None, false
		}
		holding[i] = match.Transition
	}
	return t.rules.Choose(t.input.State.Key, holding), true
}

func (t *turn) prepareReply(ctx context.Context) error {
	session := t.result.Session
	t.reply = Reply{SDKReply: wire.SDKReply{Unlocked: []wire.UnlockedMachine{}, Reply: wire.Reply{
		CurrentState: session.State, Score: session.Score, Outcome: textOrNull(session.Outcome),
		Decision: textOrNull(t.result.Decision),
		FollowUp: t.result.FollowUp || t.result.Aside, Aside: t.result.Aside,
		SessionID: t.after.ID, ScoringMode: string(t.machine.Mode()), MachineCompleted: t.result.IsCompleted(),
		Ending: t.result.Ending,
	}}}
	if !session.IsFinished() {
		t.reply.RedirectCount = &session.Redirects
		return nil
	}
	progress, err := t.service.Store.LoadProgress(ctx, t.request.storePlayer())
	if errors.Is(err, store.ErrNotFound) {
		return &Error{Kind: Conflict, Message: deletedMeanwhile, Cause: err}
	}
	if err != nil {
		return callerError(err)
	}
	current, err := t.service.Store.LoadVersion(ctx, progress.Persona.ID, progress.Persona.Version)
	if err != nil {
		return conflictIfGone(err)
	}
	t.addUnlocked(&progress, current)
	return nil
}

// addUnlocked omits machines that the current version no longer contains.
func (t *turn) addUnlocked(progress *store.PlayerProgress, current *store.Version) {
	ids := progress.Persona.Machines.IDs
	before := unlockedMachines(t.version, progress)
	outcome, score := t.result.Session.Outcome, t.result.Session.Score
	added := t.version.Rules.Complete(before, t.machine.Key, outcome, score)
	for _, key := range added {
		if current.Rules.Machine(key) == nil {
			continue
		}
		t.reply.Unlocked = append(t.reply.Unlocked, wire.UnlockedMachine{
			MachineID: ids[key], MachineKey: key, Name: machineTitle(t.version, key),
			IsAutoAdvance: t.version.Rules.AutoAdvance(t.machine.Key, key, outcome, score),
		})
	}
	for _, key := range slices.Concat(before, added) {
		t.allUnlocked = append(t.allUnlocked, ids[key])
	}
}

func (t *turn) speakReply(ctx context.Context) error {
	if err := t.request.begin(t.reply); err != nil {
		return err
	}
	var emitErr error
	var emitted strings.Builder
	emit := func(delta string) error {
		emitted.WriteString(delta)
		emitErr = t.request.Emit(delta)
		return emitErr
	}
	result := llm.StepResult{
		Decision: t.result.Decision, FollowUp: t.result.FollowUp, Aside: t.result.Aside,
		OfflineVerdict: t.evaluation.OfflineVerdict, Outcome: t.result.Session.Outcome,
	}
	if t.result.Session.State != t.input.State.Key {
		result.Entered = t.findState(t.result.Session.State)
	}
	speech, err := askModel(t.service, "reply", func() (llm.GeneratedText, error) {
		return t.model.Reply(ctx, t.input, result, emit)
	})
	t.costs.add(stepResponse, speech.Usage)
	switch {
	case emitErr != nil:
		return emitErr
	case err != nil:
		return t.modelRefusal(ctx, err)
	}
	t.reply.Message, t.replyReason = finalText(speech, emitted.String()), speech.Why
	return nil
}

func finalText(speech llm.GeneratedText, emitted string) string {
	if speech.Withdrawn {
		return speech.Text
	}
	return cmp.Or(emitted, speech.Text)
}

func (t *turn) modelRefusal(ctx context.Context, err error) error {
	return modelRefusal(ctx, t.request.Model, err)
}

func (t *turn) writeMessages(context.Context) error {
	t.reply.Tokens = t.costs.totalTokens()
	explanation := trace{
		Evaluation: t.evaluation.Why, Aside: t.evaluation.Aside, Transition: t.result.Transition, Reply: t.replyReason,
		Summary: t.summaryFailure, Extraction: t.extractionReason, Usage: t.costs,
		Choices: traceChoices(&t.evaluation), Method: t.evaluation.Method,
		Milliseconds: int(t.evaluation.Took.Milliseconds()),
	}
	for _, match := range t.evaluation.Matches {
		explanation.Holds = append(explanation.Holds, traceHold(match))
	}
	encoded, err := json.Marshal(explanation)
	was, is := t.before.Session.Engine, t.result.Session
	t.playerMessage = store.Message{
		ID: t.service.NewID(), Role: rolePlayer, Content: t.request.Message, State: was.State, Score: was.Score,
		At: t.began,
	}
	t.characterMessage = store.Message{
		ID: t.service.NewID(), Role: roleCharacter, Content: t.reply.Message, State: is.State, Score: is.Score,
		Decision: t.result.Decision, FollowUp: t.reply.FollowUp, Aside: t.reply.Aside, At: t.service.currentTime(),
		Trace: string(encoded),
	}
	return err
}

func (t *turn) save(ctx context.Context, idempotent *store.IdempotentCall) (Reply, error) {
	idempotent, err := withAnswer(idempotent, t.reply)
	if err != nil {
		return Reply{}, err
	}
	save := store.Turn{
		PersonaID: t.before.Persona.ID, Session: t.after, Said: t.playerMessage, Reply: t.characterMessage,
		IsSummarized: t.after.SummaryTo != t.before.Session.SummaryTo,
		Unlocked:     t.allUnlocked, Vars: t.vars, Idempotency: idempotent,
	}
	if session := t.result.Session; session.IsFinished() {
		save.Completion = &store.Completion{
			MachineID: t.after.MachineID, Outcome: session.Outcome, Score: session.Score, At: t.characterMessage.At,
		}
	}
	stored, err := t.service.Store.SaveTurn(ctx, save)
	return finalAnswer(t.reply, stored, err)
}

// More specific errors come first.
var refusals = []struct {
	err     error
	kind    Kind
	message string
}{
	{store.ErrNoMachine, NotFound, "the persona has no such machine"},
	{store.ErrNoSession, NotFound, "there is no such session: open one with init-session"},
	{store.ErrNotFound, NotFound, "there is no such persona"},
	{store.ErrNotOwn, Forbidden, "the API key reaches only published personas of its own account"},
	{store.ErrChanged, Conflict, "another call changed the session first: read its history, then send again"},
	{store.ErrNoMessage, NoMessage, noMessageText},
	{store.ErrKeyReused, KeyReused, "the Idempotency-Key was used with another body: use a new key"},
}

const noMessageText = "no message of this session has that id: " +
	"omit the parameter before to start at the newest message"

func callerError(err error) error {
	for _, refusal := range refusals {
		if errors.Is(err, refusal.err) {
			return &Error{Kind: refusal.kind, Message: refusal.message, Cause: err}
		}
	}
	return err
}

const (
	savedMeanwhile   = "the persona was saved again and again meanwhile: nothing was stored, send again"
	savedDuringWords = "the persona was saved meanwhile: nothing was stored, send again"
	deletedMeanwhile = "the persona was deleted meanwhile: nothing was stored"
)

func (s *Service) explainChange(ctx context.Context, ref Ref, err error) error {
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	_, lookupErr := s.Store.LoadPersonaSummary(ctx, ref.PersonaID, cmp.Or(ref.Space, ref.UserID))
	if !errors.Is(lookupErr, store.ErrNotFound) {
		return err
	}
	return &Error{Kind: Conflict, Message: deletedMeanwhile, Cause: err}
}

// Unusable is the message for an unusable answer of a model.
const Unusable = "the model's answer could not be used: nothing was stored and no try was used, send again"

func modelRefusal(ctx context.Context, callersModel llm.Model, err error) error {
	refusal := &Error{
		Kind: ModelDown, Message: "the model failed: nothing was stored, send the request again",
		CallersModel: callersModel != nil, Cause: err,
	}
	expansion, tooLong := errors.AsType[*llm.ExpansionError](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case tooLong:
		return &Error{Kind: TooLong, Message: "the persona cannot say this: " + expansion.Error(), Cause: err}
	case errors.Is(err, errNoChoice):
		refusal.Message = Unusable
	case isLate(ctx.Err()) || isLate(err):
		refusal.Kind = ModelLate
		refusal.Message = "the model did not answer in time: nothing was stored, send the request again"
	}
	return refusal
}

func isLate(err error) bool {
	var timed interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timed) && timed.Timeout()
}

const prepareLimit = 2 * time.Minute

type preparations struct {
	mu     sync.Mutex
	cancel context.CancelFunc
	closed bool
	ended  sync.WaitGroup
}

// The preparation outlives the request and its ctx.
func (p *preparations) start(ctx context.Context, model llm.Preparer, input llm.Input) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.cancel != nil {
		return
	}
	ctx, p.cancel = context.WithTimeout(context.WithoutCancel(ctx), prepareLimit)
	p.ended.Go(func() {
		defer p.end()
		model.Prepare(ctx, input)
	})
}

// end recovers from a panic of the model. The next request causes the same panic and logs it.
func (p *preparations) end() {
	_ = recover()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel()
	p.cancel = nil
}

func (p *preparations) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel != nil {
		p.cancel()
	}
}

// Close aborts a running preparation and waits for its end. The service then starts no more
// preparations.
func (s *Service) Close() error {
	p := &s.preparing
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.stop()
	p.ended.Wait()
	return nil
}

func (s *Service) prepareSession(
	ctx context.Context, model llm.Model, machine machineVersion, session *store.Session, vars map[string]string,
	recent []llm.Message, newMessages ...store.Message,
) {
	preparer, ok := model.(llm.Preparer)
	if !ok {
		return
	}
	input := machine.newInput(session, vars)
	input.Recent = slices.Concat(recent, llmMessages(newMessages))
	s.preparing.start(ctx, preparer, input)
}
