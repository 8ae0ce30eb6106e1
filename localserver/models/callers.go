package models

import (
	"context"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

// Time limits. Each limit is shorter than the timeout of clients, so that clients receive the
// error.
const (
	// DraftTime is the time limit for all rounds of a draft.
	DraftTime = 9 * time.Minute
	// CheckTime is the time limit for checking a caller's keys at the providers of all steps.
	CheckTime = 30 * time.Second
)

// ForCaller returns the caller's own model. It returns nil if the server's model must be used,
// because the caller sent no key or the server does not use keys of callers. The error is a message
// for the caller.
func ForCaller(server llm.Model, c llm.Caller) (llm.Model, error) {
	callers, ok := server.(llm.PerCallerModel)
	if !ok || !c.Key.IsSet() {
		return nil, nil
	}
	return callers.With(c)
}

// CheckCaller returns the name of the model that would answer the caller. If the server does not
// use keys of callers, it returns ModelOffline. The error says why no model would answer.
func CheckCaller(ctx context.Context, server llm.Model, c llm.Caller) (model string, err error) {
	callers, ok := server.(llm.PerCallerModel)
	if !ok {
		return ModelOffline, nil
	}
	ctx, cancel := context.WithTimeout(ctx, CheckTime)
	defer cancel()
	return callers.Check(ctx, c)
}
