package localserver

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// initBody is wire.InitSession with its limits.
type initBody struct{ wire.InitSession }

// TransformSchema gives the members their limits.
func (initBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	limitText(s, "user_session_id", wire.MaxUserSessionID)
	limitText(s, "player_name", wire.MaxPlayerName)
	gender := s.Properties["player_gender"]
	for _, g := range wire.Genders {
		gender.Enum = append(gender.Enum, g)
	}
	gender.PrecomputeMessages()
	return s
}

// messageBody is wire.Message with its limits.
type messageBody struct{ wire.Message }

// TransformSchema gives the members their limits.
func (messageBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	limitText(s, "message", wire.MaxMessage)
	limitText(s, "user_session_id", wire.MaxUserSessionID)
	return s
}

// limitText makes a text one of 1 to most characters, not all of them white
// space.
func limitText(s *huma.Schema, name string, most int) {
	text := s.Properties[name]
	text.Pattern, text.MaxLength = `\S`, &most
	text.PrecomputeMessages()
}

type initInput struct {
	PersonaID string `path:"persona_id"`
	MachineID string `query:"machine_id"`
	Body      initBody
}

func (s *service) initSession(ctx context.Context, c *call, in *initInput) (wire.Opening, error) {
	model, err := s.modelOf(c)
	if err != nil {
		return wire.Opening{}, err
	}
	o, err := s.play.Open(ctx, play.OpenRequest{
		Ref:        c.ref(in.PersonaID, in.Body.UserSessionID, in.MachineID),
		PlayerName: in.Body.PlayerName, PlayerGender: in.Body.PlayerGender, Once: c.once, Model: model,
	})
	c.replayed, c.tokens = o.Replayed, o.Tokens
	return wire.Opening{
		Message: o.Message, SessionID: o.SessionID, UserSessionID: o.UserSessionID,
		PersonaName: o.PersonaName, PersonaDescription: &o.PersonaDescription,
		PlayerName: o.PlayerName, PlayerGender: o.PlayerGender, MachineID: o.MachineID,
	}, err
}

type messageInput struct {
	PersonaID string `path:"persona_id"`
	MachineID string `query:"machine_id"`
	Body      messageBody
}

func (s *service) message(ctx context.Context, c *call, in *messageInput) (wire.Reply, error) {
	r, err := s.turn(ctx, c, in)
	return reply(&r), err
}

func (s *service) turn(ctx context.Context, c *call, in *messageInput) (play.Reply, error) {
	request, err := s.turnRequest(c, in)
	if err != nil {
		return play.Reply{}, err
	}
	r, err := s.playTurn(ctx, request)
	c.replayed, c.tokens = r.Replayed, r.Tokens
	return r, err
}

func (s *service) turnRequest(c *call, in *messageInput) (play.TurnRequest, error) {
	model, err := s.modelOf(c)
	return play.TurnRequest{
		Ref:     c.ref(in.PersonaID, in.Body.UserSessionID, in.MachineID),
		Message: in.Body.Message.Message, Once: c.once, Model: model,
	}, err
}

func reply(r *play.Reply) wire.Reply {
	unlocked := make(wire.UnlockedMachines, len(r.Unlocked))
	for i, m := range r.Unlocked {
		unlocked[i] = m.ID
	}
	return wire.Reply{
		Message: r.Message, CurrentState: r.CurrentState, Score: r.Score,
		Outcome: outcome(r.Outcome), Decision: decision(r.Decision),
		FollowUp: r.FollowUp, RedirectCount: r.RedirectCount, SessionID: r.SessionID,
		ScoringMode: string(r.ScoringMode), MachineCompleted: r.Completed, Unlocked: unlocked,
	}
}

// sessionInput names the sessions of a player: the one of a machine, or all.
type sessionInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
	MachineID     string `query:"machine_id"`
}

func (s *service) history(ctx context.Context, c *call, in *sessionInput) (wire.History, error) {
	h, err := s.play.History(ctx, c.ref(in.PersonaID, in.UserSessionID, in.MachineID))
	messages := make([]wire.HistoryMessage, len(h.Messages))
	for i, m := range h.Messages {
		messages[i] = wire.HistoryMessage{
			ID: m.ID, Role: m.Role, Content: m.Content, StateKeyAtTime: m.State, ScoreAtTime: m.Score,
			Decision: decision(m.Decision), FollowUpTriggered: m.FollowUp, CreatedAt: wire.Time{Time: m.At},
		}
	}
	return wire.History{
		SessionID: h.SessionID, PersonaID: h.PersonaID, Messages: messages,
		CurrentState: h.CurrentState, Score: h.Score, Outcome: outcome(h.Outcome),
		PlayerName: h.PlayerName, PlayerGender: h.PlayerGender,
		StartedAt: wire.Time{Time: h.StartedAt}, LastMessageAt: wire.Time{Time: h.LastMessageAt},
	}, err
}

func (s *service) reset(ctx context.Context, c *call, in *sessionInput) (wire.ResetDone, error) {
	r, err := s.play.Reset(ctx, c.ref(in.PersonaID, in.UserSessionID, in.MachineID))
	return wire.ResetDone{SessionID: r.SessionID, Message: r.Message}, err
}

// ref names whom a call is about. The SDK side has a space of its own for each
// owner of keys, and no users in it.
func (c *call) ref(personaID, userSessionID, machine string) play.Ref {
	return play.Ref{
		Space: c.key.OwnerID, PersonaID: personaID, UserID: c.user.ID, UserSessionID: userSessionID, Machine: machine,
	}
}

func outcome(o personas.Outcome) *string { return orNull(string(o)) }

func decision(d personas.Decision) *string { return orNull(string(d)) }

// orNull is null on the wire for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
