package cmd_test

import (
	"errors"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/wire"
)

// These steps of the contract play through the SDK side, and hear streams.

func (c *contract) listKeys() error {
	keys, err := c.owner.Keys(c.Context())
	_, stranger := c.anyone.Keys(c.Context())
	return errors.Join(err, must(len(keys) == 1 && keys[0].ID == c.key.ID && keys[0].Name == "my game" && keys[0].KeyPrefix == c.key.KeyPrefix && keys[0].LastUsedAt == nil, keys),
		refused(stranger, 401, wire.CodeUnauthenticated))
}

func (c *contract) gamePersonas() (err error) {
	llm := client.LLM{Key: "sk-mine", Model: "any/model"}
	if c.game, err = c.owner.SDK(client.SDKOptions{APIKey: c.key.Key, LLM: llm}); err != nil {
		return err
	}
	personas, err := c.game.Personas(c.Context())
	other, err2 := c.owner.SDK(client.SDKOptions{APIKey: "pk_live_" + strings.Repeat("0", 32), LLM: llm})
	_, stranger := other.Personas(c.Context())
	return errors.Join(err, err2, must(len(personas) == 1 && personas[0].ID == c.id && personas[0].Name == "Keeper" && !personas[0].UpdatedAt.IsZero(), personas),
		refused(stranger, 401, wire.CodeUnauthenticated))
}

func (c *contract) gameValidate() error {
	answer, err := c.game.ValidateLLMKey(c.Context(), "")
	return errors.Join(err, must(answer.Valid && answer.Model == "offline" && answer.Error == nil, answer))
}

func (c *contract) gameInit() error {
	who := wire.InitSession{UserSessionID: visitor, PlayerName: "Ada", PlayerGender: "female"}
	opening, err := c.game.InitSession(c.Context(), c.id, "", who)
	keyless, err2 := c.owner.SDK(client.SDKOptions{APIKey: c.key.Key})
	_, none := keyless.InitSession(c.Context(), c.id, "", who)
	_, locked := c.game.InitSession(c.Context(), c.id, "inner", who)
	_, unknown := c.game.InitSession(c.Context(), "nobody", "", who)
	return errors.Join(err, err2, must(opening.Message == "Halt, Ada, in Low Marrow." && opening.UserSessionID == visitor, opening),
		refused(none, 400, wire.CodeBadRequest), refused(locked, 403, wire.CodeMachineLocked), refused(unknown, 404, wire.CodeNotFound))
}

func (c *contract) gameMachines() error {
	machines, err := c.game.Machines(c.Context(), c.id, visitor)
	return errors.Join(err, must(len(machines) == 1 && machines[0].MachineKey == "outer" && machines[0].HasSession, machines))
}

func (c *contract) gamePlay() error {
	reply, err := c.game.SendMessage(c.Context(), c.id, "", wire.Message{Message: "Fine day. [[redirect]]", UserSessionID: visitor})
	return errors.Join(err, must(reply.CurrentState == "closed" && *reply.RedirectCount == 1 && len(reply.Unlocked) == 0, reply))
}

func (c *contract) gameStream() error {
	var heard strings.Builder
	say := wire.Message{Message: "The word. [[pass]]", UserSessionID: visitor, Key: "game-turn"}
	listen := func(text string) error { _, err := heard.WriteString(text); return err }
	reply, err := c.game.StreamMessage(c.Context(), c.id, "", say, listen)
	once := heard.String()
	again, err2 := c.game.SendMessage(c.Context(), c.id, "", say)
	say.Key = ""
	_, finished := c.game.StreamMessage(c.Context(), c.id, "", say, listen)
	return errors.Join(err, err2, must(once != "" && once == reply.Message && reply.MachineCompleted && *reply.Outcome == "ACCEPT", reply),
		must(len(reply.Unlocked) == 1 && reply.Unlocked[0] == wire.UnlockedMachine{MachineID: c.inner, MachineKey: "inner", Name: "Inner door"}, reply),
		must(again.Message == reply.Message, again), refused(finished, 409, wire.CodeFinished))
}

func (c *contract) gameSession() error {
	session, err := c.game.Session(c.Context(), c.id, visitor, "")
	_, none := c.game.Session(c.Context(), c.id, visitor, "inner")
	return errors.Join(err, must(session.CurrentState == "open" && session.Score == 2 && *session.Outcome == "ACCEPT" && session.PlayerName == "Ada" && session.MachineID != "", session),
		refused(none, 404, wire.CodeNotFound))
}

func (c *contract) gameHistory() error {
	history, err := c.game.History(c.Context(), c.id, visitor, "outer")
	_, web := c.owner.History(c.Context(), c.id, visitor, "outer")
	return errors.Join(err, must(len(history.Messages) == 5 && history.Messages[3].Role == wire.RoleUser, history), refused(web, 404, wire.CodeNotFound))
}

func (c *contract) gameReset() error {
	done, err := c.game.ResetSession(c.Context(), c.id, visitor, "outer")
	return errors.Join(err, must(done.Message == "Halt, Ada, in Low Marrow.", done))
}

// stream hears a reply on the web side.
func (c *contract) stream() error {
	_, err := c.anyone.InitSession(c.Context(), c.id, "", wire.InitSession{UserSessionID: "listener", PlayerName: "Ada", PlayerGender: "female"})
	var heard strings.Builder
	say := wire.Message{Message: "The word. [[pass]]", UserSessionID: "listener"}
	reply, err2 := c.anyone.StreamMessage(c.Context(), c.id, "outer", say, func(text string) error { _, err := heard.WriteString(text); return err })
	_, finished := c.anyone.StreamMessage(c.Context(), c.id, "outer", say, nil)
	return errors.Join(err, err2, must(heard.String() == reply.Message && reply.Message != "" && len(reply.Unlocked) == 1 && reply.Unlocked[0] == c.inner, reply),
		refused(finished, 409, wire.CodeFinished))
}

// revokeKey revokes the key, and finds it refused.
func (c *contract) revokeKey() error {
	stranger := c.anyone.RevokeKey(c.Context(), c.key.ID)
	used, err := c.owner.Keys(c.Context())
	err2 := c.owner.RevokeKey(c.Context(), c.key.ID)
	again := c.owner.RevokeKey(c.Context(), c.key.ID)
	_, gone := c.game.Personas(c.Context())
	return errors.Join(err, err2, must(len(used) == 1 && used[0].LastUsedAt != nil, used), refused(stranger, 401, wire.CodeUnauthenticated),
		refused(again, 404, wire.CodeNotFound), refused(gone, 401, wire.CodeUnauthenticated))
}
