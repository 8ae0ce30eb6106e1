package play

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/parley-npc/parley/localserver/store"
)

// idempotentCall hashes the session and the machine too, because they may be in the URL. Anonymous players
// differ only in the user_session_id, so each of them has separate keys.
func (r Ref) idempotentCall(verb string, o Idempotency) (*store.IdempotentCall, error) {
	if o.Key == "" {
		return nil, nil
	}
	caller := []string{verb, r.Space, r.PersonaID, r.UserID}
	if r.Space == "" && r.UserID == "" {
		caller = append(caller, r.UserSessionID)
	}
	scope, err := json.Marshal(caller)
	hash, err2 := json.Marshal([]string{o.BodyHash, r.UserSessionID, r.Machine})
	player := r.storePlayer()
	return &store.IdempotentCall{Scope: string(scope), Key: o.Key, BodyHash: string(hash), Player: &player}, errors.Join(err, err2)
}

// answerOnce returns the stored answer of an equal call, or the result of do. Equal calls at the same time
// wait for one of them.
func answerOnce[A any](ctx context.Context, s *Service, o *store.IdempotentCall, announceWait func(), do func() (A, error)) (answer A, err error) {
	if o == nil {
		return do()
	}
	end, err := s.claimCall(ctx, o, announceWait)
	if err != nil {
		return answer, err
	}
	defer end()
	text, ok, err := s.Store.LoadAnswer(ctx, o)
	switch {
	case err != nil:
		return answer, refusalOf(err)
	case ok:
		return answer, json.Unmarshal(text, &answer)
	}
	return do()
}

func withAnswer(o *store.IdempotentCall, answer any) (*store.IdempotentCall, error) {
	if o == nil {
		return nil, nil
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	with := *o
	with.Answer = text
	return &with, nil
}

// finalAnswer prefers the stored answer of an equal call to the answer just made.
func finalAnswer[A any](made A, stored []byte, err error) (A, error) {
	if err != nil || stored == nil {
		return made, refusalOf(err)
	}
	var answer A
	return answer, json.Unmarshal(stored, &answer)
}
