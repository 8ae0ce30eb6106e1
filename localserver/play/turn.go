package play

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// TurnRequest is what Turn is asked. Model is nil for the service's own. Both
// hooks may be nil; an error of theirs ends the turn, and nothing of it is kept.
type TurnRequest struct {
	Ref
	Message     string
	Idempotency Idempotency
	Model       llm.Model
	// Begin is called once, before the first piece of text, with the reply but for
	// its message.
	Begin func(Reply) error
	// Emit is called with each piece of the text as it comes; the pieces together
	// are the reply's message. A stored answer comes as one piece.
	Emit func(delta string) error

	begun bool
}

// Turn says a message to the machine named, or else to the one whose session was
// opened last, and gives the character's reply. Nothing is kept unless all of it
// is: both messages, the machine's step, and on completion the outcome, what it
// unlocked and the variables that it left. No lock is held while the model
// thinks, so of two turns at once one is refused. Only the running summary may fail
// without undoing the turn. It refuses NotFound, Forbidden, Finished, Conflict,
// KeyReused, ModelDown and ModelLate.
func (s *Service) Turn(ctx context.Context, r TurnRequest) (Reply, error) {
	once, err := r.once("message", r.Idempotency)
	if err != nil {
		return Reply{}, err
	}
	reply, err := atMostOnce(ctx, s.Store, once, func() (Reply, error) { return s.turn(ctx, &r, once) })
	if err != nil || r.begun {
		return reply, err
	}
	return reply, r.repeat(reply)
}

func (s *Service) turn(ctx context.Context, r *TurnRequest, once *store.Once) (Reply, error) {
	t, err := s.prepare(ctx, r)
	if err != nil {
		return Reply{}, err
	}
	if err := t.run(ctx); err != nil {
		return Reply{}, err
	}
	return t.save(ctx, once)
}

// limited is a context in which models are asked: the time of a turn is bounded
// as a whole, however many calls it makes. What is kept afterwards is kept in the
// caller's own.
func (s *Service) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.TurnLimit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.TurnLimit)
}

// repeat speaks a reply that was stored before.
func (r *TurnRequest) repeat(reply Reply) error {
	if err := r.begin(reply); err != nil {
		return err
	}
	return r.emit(reply.Message)
}

func (r *TurnRequest) begin(reply Reply) error {
	r.begun = true
	if r.Begin == nil {
		return nil
	}
	reply.Message = ""
	return r.Begin(reply)
}

func (r *TurnRequest) emit(delta string) error {
	if r.Emit == nil {
		return nil
	}
	return r.Emit(delta)
}

// turn is one turn on its way.
type turn struct {
	part
	service *Service
	request *TurnRequest
	began   time.Time
	model   llm.Model
	before  store.Loaded
	after   store.Session
	scene   llm.Scene

	evaluation llm.Evaluation
	result     engine.Result
	reply      Reply
	why        string // of the reply's text
	unread     string // why the summary was not brought up to date
	costs      stepUsage
	unlocked   []string
	vars       map[string]string
	said       store.Message
	answer     store.Message
}

func (s *Service) prepare(ctx context.Context, r *TurnRequest) (*turn, error) {
	loaded, err := s.Store.Load(ctx, r.who(), r.Machine, window)
	if err != nil {
		return nil, refused(err)
	}
	n := &loaded.Session
	if n.Engine.Finished() {
		return nil, &Error{Kind: Finished, Message: "the machine is finished: open it again with init-session, or another one"}
	}
	p, err := s.partOf(ctx, &loaded.Persona, n)
	if err != nil {
		return nil, err
	}
	t := &turn{part: p, service: s, request: r, began: s.now(), model: s.model(r.Model), before: loaded, after: *n, costs: stepUsage{}}
	t.after.Turn++
	t.scene = p.scene(n, loaded.Vars, t.after.Turn)
	t.scene.Recent, t.scene.Message = spoken(loaded.Recent), r.Message
	return t, t.recall(ctx)
}

// partOf is what a session plays: the version in which it began. The version is
// gone only when the session has been replaced since it was loaded.
func (s *Service) partOf(ctx context.Context, persona *store.Head, n *store.Session) (part, error) {
	sc, err := s.script(ctx, persona.ID, n.Version)
	if err != nil {
		return part{}, replaced(err)
	}
	return sc.part(persona.Machines.Keys[n.MachineID])
}

func (t *turn) run(ctx context.Context) error {
	ctx, cancel := t.service.limited(ctx)
	defer cancel()
	steps := []func(context.Context) error{t.evaluate, t.settle, t.speak, t.remember, t.write}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// evaluate asks the model what the message satisfies and steps the machine. An
// answer that is no choice of the state is asked for once more, and then counts
// as none.
func (t *turn) evaluate(ctx context.Context) error {
	verdict := engine.None
	for range 2 {
		found, err := t.model.Evaluate(ctx, t.scene)
		t.costs.addStep(stepEvaluation, found.Usage)
		if err != nil {
			return t.modelFailed(ctx, err)
		}
		t.evaluation = found
		if v, ok := t.choice(found); ok {
			verdict = v
			break
		}
	}
	result, err := t.rules.Step(t.before.Session.Engine, verdict)
	t.result, t.after.Engine = result, result.Session
	return err
}

// choice makes a verdict of an evaluation; ok is false when it is none of the
// choices that the state gives.
func (t *turn) choice(e llm.Evaluation) (engine.Verdict, bool) {
	if e.FollowUp {
		return engine.FollowUp, t.scene.FollowUpAllowed && len(e.Holds) == 0
	}
	holding := make([]int, len(e.Holds))
	for i, h := range e.Holds {
		if !slices.Contains(t.scene.Outgoing, h.Transition) {
			return engine.None, false
		}
		holding[i] = h.Transition
	}
	return t.rules.Choose(t.scene.State.Key, holding), true
}

// settle makes the reply but for its text: what the step did, and what a
// completion unlocks.
func (t *turn) settle(ctx context.Context) error {
	n := t.result.Session
	t.reply = Reply{SDKReply: wire.SDKReply{Unlocked: []wire.UnlockedMachine{}, Reply: wire.Reply{
		CurrentState: n.State, Score: n.Score, Outcome: textOrNull(n.Outcome), Decision: textOrNull(t.result.Decision), FollowUp: t.result.FollowUp,
		SessionID: t.after.ID, ScoringMode: string(t.machine.Mode()), MachineCompleted: t.result.Completed(),
	}}}
	if !n.Finished() {
		t.reply.RedirectCount = &n.Redirects
		return nil
	}
	stand, err := t.service.Store.Standing(ctx, t.request.who())
	if err != nil {
		return refused(err)
	}
	current, err := t.service.script(ctx, stand.Persona.ID, stand.Persona.Version)
	if err != nil {
		return replaced(err)
	}
	t.unlock(&stand, current)
	return nil
}

// unlock notes what the player had unlocked before and what this completion adds.
// What a newer version of the persona no longer has cannot be opened, so the
// reply does not name it.
func (t *turn) unlock(stand *store.Standing, current *script) {
	ids := stand.Persona.Machines.IDs
	before := unlocked(t.script, stand)
	n := t.result.Session
	added := t.script.rules.Complete(before, t.machine.Key, n.Outcome, n.Score)
	for _, key := range added {
		if current.rules.Machine(key) == nil {
			continue
		}
		t.reply.addUnlocked(wire.UnlockedMachine{
			MachineID: ids[key], MachineKey: key, Name: t.script.title(key),
			IsAutoAdvance: t.script.rules.AutoAdvance(t.machine.Key, key, n.Outcome, n.Score),
		})
	}
	for _, key := range slices.Concat(before, added) {
		t.unlocked = append(t.unlocked, ids[key])
	}
}

// speak lets the character answer what happened. Where the answer came in pieces,
// the pieces are the message, so that what was shown is what is kept.
func (t *turn) speak(ctx context.Context) error {
	if err := t.request.begin(t.reply); err != nil {
		return err
	}
	var gone error
	var shown strings.Builder
	emit := func(delta string) error {
		shown.WriteString(delta)
		gone = t.request.emit(delta)
		return gone
	}
	speech, err := t.model.Reply(ctx, t.scene, t.beat(), emit)
	t.costs.addStep(stepResponse, speech.Usage)
	switch {
	case gone != nil:
		return gone
	case err != nil:
		return t.modelFailed(ctx, err)
	}
	t.reply.Message, t.why = cmp.Or(shown.String(), speech.Text), speech.Why
	return nil
}

func (t *turn) modelFailed(ctx context.Context, err error) error {
	return modelFailed(ctx, t.request.Model, err)
}

func (t *turn) beat() llm.Beat {
	b := llm.Beat{Decision: t.result.Decision, FollowUp: t.result.FollowUp, Outcome: t.result.Session.Outcome}
	if t.result.Session.State != t.scene.State.Key {
		b.Entered = t.state(t.result.Session.State)
	}
	return b
}

// write makes the turn's two messages.
func (t *turn) write(context.Context) error {
	t.reply.Tokens = t.costs.totalTokens()
	w := trace{Evaluation: t.evaluation.Why, Transition: t.result.Transition, Reply: t.why, Summary: t.unread, Usage: t.costs}
	for _, h := range t.evaluation.Holds {
		w.Holds = append(w.Holds, traceHold(h))
	}
	why, err := json.Marshal(w)
	was, is := t.before.Session.Engine, t.result.Session
	t.said = store.Message{
		ID: t.service.NewID(), Role: rolePlayer, Content: t.request.Message, State: was.State, Score: was.Score, At: t.began,
	}
	t.answer = store.Message{
		ID: t.service.NewID(), Role: roleCharacter, Content: t.reply.Message, State: is.State, Score: is.Score,
		Decision: t.result.Decision, FollowUp: t.result.FollowUp, At: t.service.now(), Trace: string(why),
	}
	return err
}

func (t *turn) save(ctx context.Context, once *store.Once) (Reply, error) {
	again := t.reply
	again.Replayed = true
	once, err := answering(once, again)
	if err != nil {
		return Reply{}, err
	}
	save := store.Turn{
		PersonaID: t.before.Persona.ID, Session: t.after, Said: t.said, Reply: t.answer,
		Unlocked: t.unlocked, Vars: t.vars, Once: once,
	}
	if n := t.result.Session; n.Finished() {
		save.Completion = &store.Completion{
			MachineID: t.after.MachineID, Outcome: n.Outcome, Score: n.Score, At: t.answer.At,
		}
	}
	stored, err := t.service.Store.SaveTurn(ctx, save)
	return settled(t.reply, stored, err)
}
