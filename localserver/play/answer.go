package play

import (
	"encoding/json"

	"github.com/parley-npc/parley/personas/wire"
)

// Opening is the result of Open. Tokens is the cost of this call, which is zero for a stored
// answer.
type Opening struct {
	wire.Opening
	// Replayed means that this is the stored answer to an earlier call (see Idempotency).
	Replayed bool
}

// Reply is the result of Turn in the form of the SDK API. SDKReply.Unlocked contains the unlocked
// machines as objects, and Reply.Unlocked only their ids. Tokens is the cost of this call, which is
// zero for a stored answer.
type Reply struct {
	wire.SDKReply
	// Replayed means that this is the stored answer to an earlier call (see Idempotency).
	Replayed bool
}

// These types are the encoding of stored answers. A database stores answers for a day, even across
// an update of parley, so the names of the fields must not change when the API changes.
type (
	storedOpening struct {
		Message            string
		SessionID          string
		UserSessionID      string
		PersonaName        string
		PersonaDescription *string
		PlayerName         string
		PlayerGender       string
		MachineID          string
		Tokens             wire.Tokens `json:"-"`
	}
	storedReply struct {
		Message          string
		CurrentState     string
		Score            int
		Outcome          *string
		Decision         *string
		FollowUp         bool
		Aside            bool `json:",omitempty"`
		RedirectCount    *int
		SessionID        string
		ScoringMode      string
		MachineCompleted bool                  `json:"Completed"`
		Ending           string                `json:",omitempty"`
		Unlocked         wire.UnlockedMachines `json:"-"`
		Tokens           wire.Tokens           `json:"-"`
	}
	storedMachine struct {
		MachineID     string `json:"ID"`
		MachineKey    string `json:"Key"`
		Name          string
		IsAutoAdvance bool `json:"AutoAdvance"`
	}
	storedOpeningAnswer struct {
		storedOpening
		Replayed bool
	}
	storedReplyAnswer struct {
		storedReply
		Unlocked []storedMachine
		Replayed bool
	}
)

// MarshalJSON encodes the opening in its stored form.
func (o Opening) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedOpeningAnswer{storedOpening(o.Opening), o.Replayed})
}

// UnmarshalJSON decodes a stored opening.
func (o *Opening) UnmarshalJSON(data []byte) error {
	var stored storedOpeningAnswer
	err := json.Unmarshal(data, &stored)
	*o = Opening{wire.Opening(stored.storedOpening), stored.Replayed}
	return err
}

// MarshalJSON encodes the reply in its stored form.
func (r Reply) MarshalJSON() ([]byte, error) {
	stored := storedReplyAnswer{storedReply: storedReply(r.Reply), Replayed: r.Replayed}
	for _, m := range r.Unlocked {
		stored.Unlocked = append(stored.Unlocked, storedMachine(m))
	}
	return json.Marshal(stored)
}

// UnmarshalJSON decodes a stored reply. Earlier versions stored a missing outcome or decision as an
// empty string.
func (r *Reply) UnmarshalJSON(data []byte) error {
	var stored storedReplyAnswer
	err := json.Unmarshal(data, &stored)
	reply := wire.Reply(stored.storedReply)
	reply.Outcome, reply.Decision = dropEmpty(reply.Outcome), dropEmpty(reply.Decision)
	*r = Reply{wire.SDKReply{Reply: reply, Unlocked: []wire.UnlockedMachine{}}, stored.Replayed}
	for _, m := range stored.Unlocked {
		r.addUnlocked(wire.UnlockedMachine(m))
	}
	return err
}

func (r *Reply) addUnlocked(m wire.UnlockedMachine) {
	r.Unlocked = append(r.Unlocked, m)
	r.Reply.Unlocked = append(r.Reply.Unlocked, m.MachineID)
}

func dropEmpty(text *string) *string {
	if text == nil || *text == "" {
		return nil
	}
	return text
}

// textOrNull returns nil, in JSON null, for an empty text.
func textOrNull[T ~string](text T) *string {
	if text == "" {
		return nil
	}
	return new(string(text))
}
