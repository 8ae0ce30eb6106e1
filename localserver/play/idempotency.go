package play

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/parley-npc/parley/localserver/store"
)

// idempotentCall says to the store who makes which call. The player's session and the
// machine that a call names may stand in its address, so they join the body's
// hash: the same key with another of them is another call, and refused.
func (r Ref) idempotentCall(verb string, o Idempotency) (*store.IdempotentCall, error) {
	if o.Key == "" {
		return nil, nil
	}
	scope, err := json.Marshal([]string{verb, r.Space, r.PersonaID, r.UserID})
	hash, err2 := json.Marshal([]string{o.BodyHash, r.UserSessionID, r.Machine})
	return &store.IdempotentCall{Scope: string(scope), Key: o.Key, BodyHash: string(hash)}, errors.Join(err, err2)
}

// answerOnce gives the answer that the same call was given before, or makes one.
// When that fails it looks again, since the same call may have been answered in
// the meantime: what was a finished machine or a lost race for this one was the
// other one's work.
func answerOnce[A any](ctx context.Context, s *store.Store, o *store.IdempotentCall, do func() (A, error)) (answer A, err error) {
	if answer, ok, err := readStoredAnswer[A](ctx, s, o); ok || err != nil {
		return answer, err
	}
	if answer, err = do(); err == nil {
		return answer, nil
	}
	if earlier, ok, _ := readStoredAnswer[A](ctx, s, o); ok {
		return earlier, nil
	}
	return answer, err
}

// readStoredAnswer reads the stored answer of a call that was made before.
func readStoredAnswer[A any](ctx context.Context, s *store.Store, o *store.IdempotentCall) (answer A, ok bool, err error) {
	text, ok, err := s.LoadAnswer(ctx, o)
	if err != nil || !ok {
		return answer, false, refusalOf(err)
	}
	return answer, true, json.Unmarshal(text, &answer)
}

// withAnswer is the same call with the answer to store.
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

// finalAnswer is the answer to give: the one just made, or the one that the same
// call was given in the meantime.
func finalAnswer[A any](made A, stored []byte, err error) (A, error) {
	if err != nil || stored == nil {
		return made, refusalOf(err)
	}
	var answer A
	return answer, json.Unmarshal(stored, &answer)
}
