package play

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/parley-npc/parley/localserver/store"
)

// idempotentCall returns the store's description of the call and its caller. The player's session
// and the machine may be part of the URL, so they are included in the hash of the body. Therefore a
// call with the same key but another session or machine is rejected. Anonymous players differ only
// in the user_session_id, so it is part of the scope, and each of them has separate keys.
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

// answerOnce returns the stored answer of an equal call, or makes an answer. If equal calls run at
// the same time, only one makes the answer and the others wait for it. So a model is not asked
// twice, and no caller sees a text that is not stored. answerOnce calls announceWait before it
// waits. If the first call fails, the next one makes the answer.
func answerOnce[A any](ctx context.Context, s *Service, o *store.IdempotentCall, announceWait func(), do func() (A, error)) (answer A, err error) {
	if o == nil {
		return do()
	}
	end, err := s.claimCall(ctx, o, announceWait)
	if err != nil {
		return answer, err
	}
	defer end()
	if answer, ok, err := readStoredAnswer[A](ctx, s.Store, o); ok || err != nil {
		return answer, err
	}
	return do()
}

func readStoredAnswer[A any](ctx context.Context, s *store.Store, o *store.IdempotentCall) (answer A, ok bool, err error) {
	text, ok, err := s.LoadAnswer(ctx, o)
	if err != nil || !ok {
		return answer, false, refusalOf(err)
	}
	return answer, true, json.Unmarshal(text, &answer)
}

// withAnswer returns a copy of o with the answer that is to be stored.
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

// finalAnswer returns the answer just made. If an equal call was answered meanwhile, it returns the
// stored answer of that call.
func finalAnswer[A any](made A, stored []byte, err error) (A, error) {
	if err != nil || stored == nil {
		return made, refusalOf(err)
	}
	var answer A
	return answer, json.Unmarshal(stored, &answer)
}
