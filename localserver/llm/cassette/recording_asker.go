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

// Ask returns a recorded answer, or asks the wrapped asker and records its answer. If another
// goroutine is already asking the same question, Ask waits for that answer. Two answers to one
// question would lead to two conversations, and only one of them could be replayed.
func (a *recordingAsker) Ask(ctx context.Context, r provider.Request, emit func(delta string) error) (provider.Answer, error) {
	if r.Step == stepCheck || r.Step == stepPrepare {
		return a.Asker.Ask(ctx, r, emit)
	}
	q := a.scrub.newQuestion(r)
	f := pendingQuestion{q.digestText(), a.scrub.cleanText(a.Model())}
	known, err := a.recorder.findOrStart(ctx, f)
	if err != nil {
		return provider.Answer{}, err
	}
	if known != nil {
		return known.playBack(ctx, r, emit)
	}
	defer a.recorder.wakeWaiting(f)
	if (r.Decision != nil || r.TopTokens > 0) && a.recorder.contents.hasObjects(f.model) {
		// The recorded model was judged by another method, so this method is not tried.
		return provider.Answer{}, newUnsupported(f.model)
	}
	l := pieceListener{emit: emit}
	given, err := a.Asker.Ask(ctx, r, l.emitFunc())
	failed, ok := errors.AsType[*provider.Error](err)
	if ok && failed.Kind == provider.TooLong {
		given.Finish = tooLong // recorded, because the caller continues with a shorter question
	} else if err != nil {
		return given, cmp.Or(l.emitErr, err)
	}
	e := &entry{question: q, digest: f.digest, model: f.model, date: a.recorder.options.dayText(), answer: newAnswerLine(r, given, l.pieces, a.scrub), used: true}
	if err := a.recorder.keepEntry(e); err != nil {
		return provider.Answer{}, newKeepError(f.model, err)
	}
	if err = cmp.Or(l.emitErr, err); err != nil {
		return provider.Answer{}, err
	}
	return given, nil
}

// pieceListener collects the pieces of an answer. If emit fails, it still collects the remaining
// pieces, so that the recorded answer is complete.
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

// findOrStart returns the recorded answer. If there is none, it marks the question as pending and
// returns neither an entry nor an error. Then the caller must call wakeWaiting.
func (rec *Recorder) findOrStart(ctx context.Context, f pendingQuestion) (*entry, error) {
	for {
		rec.mu.Lock()
		if e := rec.contents.takeEntry(f.digest, f.model, false); e != nil {
			rec.mu.Unlock()
			return e, nil
		}
		if rec.failed != nil {
			rec.mu.Unlock()
			return nil, newKeepError(f.model, rec.failed)
		}
		under, waiting := rec.pending[f]
		if !waiting {
			rec.pending[f] = make(chan struct{})
		}
		rec.mu.Unlock()
		if !waiting {
			return nil, nil
		}
		select {
		case <-under:
		case <-ctx.Done():
			return nil, newContextError(f.model, ctx.Err())
		}
	}
}

func (rec *Recorder) wakeWaiting(f pendingQuestion) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	close(rec.pending[f])
	delete(rec.pending, f)
}

// newKeepError returns the error for an answer that could not be recorded. Such an answer must not
// be used, because a recording must be complete.
func newKeepError(model string, cause error) error {
	return &provider.Error{
		Kind: provider.Down, Provider: "recording", Model: model,
		Message: "the answer of " + model + " cannot be recorded: " + cause.Error() + "; check the file, then record again", Cause: cause,
	}
}
