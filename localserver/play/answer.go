package play

import (
	"encoding/json"

	"github.com/parley-npc/parley/personas/wire"
)

// Opening is the result of Open. Tokens is the number of tokens that this call used. It is zero for
// a stored answer. The JSON of an Opening is stored for a day, so an updated version of parley must
// still decode it.
type Opening struct {
	wire.Opening
	// Replayed means that this is the stored answer to an earlier call (see Idempotency).
	Replayed bool `json:"-"`
}

// UnmarshalJSON decodes a stored opening.
func (o *Opening) UnmarshalJSON(data []byte) error {
	o.Replayed = true
	return json.Unmarshal(data, &o.Opening)
}

// Reply is the result of Turn in the form of the SDK API. Tokens is the number of tokens that this
// call used. It is zero for a stored answer. The JSON of a Reply is stored for a day, so an updated
// version of parley must still decode it.
type Reply struct {
	wire.SDKReply
	// Replayed means that this is the stored answer to an earlier call (see Idempotency).
	Replayed bool `json:"-"`
}

// UnmarshalJSON decodes a stored reply.
func (r *Reply) UnmarshalJSON(data []byte) error {
	r.Replayed = true
	return json.Unmarshal(data, &r.SDKReply)
}

// Web returns the reply in the form of the web API, with the ids of the unlocked machines.
func (r *Reply) Web() wire.Reply {
	web := r.Reply
	web.Unlocked = nil
	for _, m := range r.Unlocked {
		web.Unlocked = append(web.Unlocked, m.MachineID)
	}
	return web
}

// textOrNull returns a pointer to a text, or nil (in JSON null) for an empty text.
func textOrNull[T ~string](text T) *string {
	if text == "" {
		return nil
	}
	return new(string(text))
}
