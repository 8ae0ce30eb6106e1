package models

import (
	"context"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

// Time limits. Each is shorter than callers wait for an answer, so that they receive the reason.
const (
	// DraftTime is the time limit for all rounds of a draft.
	DraftTime = 9 * time.Minute
	// CheckTime is the time limit for checking a caller's keys at the providers of all steps.
	CheckTime = 30 * time.Second
)

// ForCaller returns the model for a call: the caller's own if the server's model uses callers'
// keys, else nil, which means the server's. The error is a sentence for the caller.
func ForCaller(server llm.Model, c llm.Caller) (llm.Model, error) {
	callers, ok := server.(llm.PerCallerModel)
	if !ok || !c.Key.IsSet() {
		return nil, nil
	}
	return callers.With(c)
}

// CheckCaller returns the model that would play a caller's messages, or the reason why none would.
// A server's model that does not use callers' keys answers for any key.
func CheckCaller(ctx context.Context, server llm.Model, c llm.Caller) (model string, err error) {
	callers, ok := server.(llm.PerCallerModel)
	if !ok {
		return ModelOffline, nil
	}
	ctx, cancel := context.WithTimeout(ctx, CheckTime)
	defer cancel()
	return callers.Check(ctx, c)
}
