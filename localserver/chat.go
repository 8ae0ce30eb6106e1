package localserver

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/play"
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
		PlayerName: in.Body.PlayerName, PlayerGender: in.Body.PlayerGender, Idempotency: c.idempotency, Model: model,
	})
	c.replayed, c.tokens = o.Replayed, o.Tokens
	return o.Opening, err
}

type messageInput struct {
	PersonaID string `path:"persona_id"`
	MachineID string `query:"machine_id"`
	Body      messageBody
}

func (s *service) message(ctx context.Context, c *call, in *messageInput) (wire.Reply, error) {
	r, err := s.turn(ctx, c, in)
	return r.Reply, err
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
		Message: in.Body.Message.Message, Idempotency: c.idempotency, Model: model,
	}, err
}

// sessionInput names the sessions of a player: the one of a machine, or all.
type sessionInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
	MachineID     string `query:"machine_id"`
}

func (s *service) history(ctx context.Context, c *call, in *sessionInput) (wire.History, error) {
	return s.play.History(ctx, c.ref(in.PersonaID, in.UserSessionID, in.MachineID))
}

func (s *service) reset(ctx context.Context, c *call, in *sessionInput) (wire.ResetDone, error) {
	return s.play.Reset(ctx, c.ref(in.PersonaID, in.UserSessionID, in.MachineID))
}

// ref names whom a call is about. The SDK side has a space of its own for each
// owner of keys, and no users in it.
func (c *call) ref(personaID, userSessionID, machine string) play.Ref {
	return play.Ref{
		Space: c.key.OwnerID, PersonaID: personaID, UserID: c.user.ID, UserSessionID: userSessionID, Machine: machine,
	}
}
