package cassette

import (
	"cmp"
	"context"
	"errors"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

type recordingAsker struct {
	provider.Asker
	recorder *Recorder
	scrub    scrubber
}

// Ask waits if another goroutine is asking the same question. Two answers would lead to two
// conversations, and only one could be replayed.
func (a *recordingAsker) Ask(
	ctx context.Context, r provider.Request, emit func(delta string) error,
) (provider.Answer, error) {
	if r.Step == stepCheck || r.Step == stepPrepare {
		return a.Asker.Ask(ctx, r, emit)
	}
	question := a.scrub.newQuestion(r)
	pending := pendingQuestion{question.digestText(), a.scrub.cleanText(a.Model())}
	recorded, err := a.recorder.findOrStart(ctx, pending)
	if err != nil {
		return provider.Answer{}, err
	}
	if recorded != nil {
		return recorded.playBack(ctx, r, emit)
	}
	defer a.recorder.wakeWaiting(pending)
	if (r.Decision != nil || r.TopTokens > 0) && a.recorder.contents.hasObjects(pending.model) {
		return provider.Answer{}, newUnsupported(pending.model)
	}
	listener := pieceListener{emit: emit}
	answer, err := a.Asker.Ask(ctx, r, listener.emitFunc())
	failed, ok := errors.AsType[*provider.Error](err)
	if ok && failed.Kind == provider.TooLong {
		answer.Finish = tooLong // recorded, because the caller continues with a shorter question
	} else if err != nil {
		return answer, cmp.Or(listener.emitErr, err)
	}
	e := &entry{
		question: question, digest: pending.digest, model: pending.model, date: a.recorder.options.dayText(),
		answer: newAnswerLine(r, answer, listener.pieces, a.scrub), used: true,
	}
	if err := a.recorder.writeEntry(e); err != nil {
		return provider.Answer{}, newKeepError(pending.model, err)
	}
	if err = cmp.Or(listener.emitErr, err); err != nil {
		return provider.Answer{}, err
	}
	return answer, nil
}

type pieceListener struct {
	emit    func(delta string) error
	pieces  []string
	emitErr error
}

func (l *pieceListener) emitFunc() func(string) error {
	if l.emit == nil {
		return nil
	}
	return func(delta string) error {
		l.pieces = append(l.pieces, delta)
		if l.emitErr == nil {
			l.emitErr = l.emit(delta)
		}
		return nil
	}
}

type pendingQuestion struct{ digest, model string }

// findOrStart returns the recorded answer, or nil after marking the question as pending. After nil,
// the caller must call wakeWaiting.
func (rec *Recorder) findOrStart(ctx context.Context, key pendingQuestion) (*entry, error) {
	for {
		rec.mu.Lock()
		if e := rec.contents.useEntry(key.digest, key.model, false); e != nil {
			rec.mu.Unlock()
			return e, nil
		}
		if rec.failed != nil {
			rec.mu.Unlock()
			return nil, newKeepError(key.model, rec.failed)
		}
		done, isPending := rec.pending[key]
		if !isPending {
			rec.pending[key] = make(chan struct{})
		}
		rec.mu.Unlock()
		if !isPending {
			return nil, nil
		}
		select {
		case <-done:
		case <-ctx.Done():
			return nil, newContextError(key.model, ctx.Err())
		}
	}
}

func (rec *Recorder) wakeWaiting(key pendingQuestion) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	close(rec.pending[key])
	delete(rec.pending, key)
}

// newKeepError replaces an answer that was not recorded, because a recording must be complete.
func newKeepError(model string, cause error) error {
	message := "the answer of " + model + " cannot be recorded: " + cause.Error() + "; check the file, then record again"
	return &provider.Error{
		Kind: provider.Down, Provider: "recording", Model: model, Message: message, Cause: cause,
	}
}
