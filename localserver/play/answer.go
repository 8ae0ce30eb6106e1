package play

import (
	"encoding/json"

	"github.com/parley-npc/parley/personas/wire"
)

// Opening is the result of Open. Tokens is the cost of this call; a stored answer costs nothing.
type Opening struct {
	wire.Opening
	// Replayed means that this is the stored answer of an earlier call (Idempotency).
	Replayed bool
}

// Reply is the result of Turn in the SDK's form: the unlocked machines as objects, and their ids in
// Reply.Unlocked. Tokens is the cost of this call; a stored answer costs nothing.
type Reply struct {
	wire.SDKReply
	// Replayed means that this is the stored answer of an earlier call (Idempotency).
	Replayed bool
}

// The types below are the stored form of answers for retries. A database keeps them for a day under
// these names, also across an update of Parley, so the names must not change with the interface.
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

// MarshalJSON writes the stored form of the opening for retries.
func (o Opening) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedOpeningAnswer{storedOpening(o.Opening), o.Replayed})
}

// UnmarshalJSON reads an opening that was kept.
func (o *Opening) UnmarshalJSON(data []byte) error {
	var stored storedOpeningAnswer
	err := json.Unmarshal(data, &stored)
	*o = Opening{wire.Opening(stored.storedOpening), stored.Replayed}
	return err
}

// MarshalJSON writes the stored form of the reply for retries.
func (r Reply) MarshalJSON() ([]byte, error) {
	stored := storedReplyAnswer{storedReply: storedReply(r.Reply), Replayed: r.Replayed}
	for _, m := range r.Unlocked {
		stored.Unlocked = append(stored.Unlocked, storedMachine(m))
	}
	return json.Marshal(stored)
}

// UnmarshalJSON reads a stored reply. Earlier versions stored a missing outcome or decision as an
// empty text.
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

// addUnlocked names a machine that the message unlocked, for either side.
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

// textOrNull is null on the wire for an empty text.
func textOrNull[T ~string](text T) *string {
	if text == "" {
		return nil
	}
	return new(string(text))
}
