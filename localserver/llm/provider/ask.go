package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

const (
	// maxAttempts is how often a request is sent that failed for a moment.
	maxAttempts = 2
	// maxLessons is how often a request is sent anew without what was refused.
	maxLessons = 6
	// pause is the wait before the second attempt, shortened by up to half at
	// random; minTime is what must be left after a wait
	// (docs/decisions/provider.md, second-attempt).
	pause   = time.Second
	minTime = time.Second
)

// asker is a model at a provider, with a key.
type asker struct {
	client   *Client
	target   Target
	provider Provider
	format   format
	base     *url.URL
	key      llm.Secret
	// keyName says in errors which key was refused.
	keyName string
}

func (c *Client) asker(t Target, p Provider, address string, key llm.Secret, keyName string) (*asker, error) {
	u, err := base(p, address)
	if err == nil {
		err = checkWay(p, u, key)
	}
	if err != nil {
		return nil, err
	}
	a := &asker{client: c, target: t, provider: p, format: formats[p.Format], base: u, key: key, keyName: keyName}
	if err := checkKey(key); err != nil {
		return nil, &Error{Kind: KeyRefused, Provider: t.Provider, Model: t.Model, Message: t.String() + ": " + err.Error()}
	}
	return a, nil
}

// Model is who is asked, as provider/model.
func (a *asker) Model() string { return a.target.String() }

// Ask sends the request, anew without what is refused, and a second time when it
// failed for a moment and nothing was given out yet.
func (a *asker) Ask(ctx context.Context, r Request, emit func(delta string) error) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, a.client.limits.Whole)
	defer cancel()
	t := a.trial(r)
	for {
		out := newFlow(a.client.limits.Answer, emit)
		f := faultOf(a.once(ctx, r, t.q, out))
		switch {
		case out.refused != nil:
			return Answer{}, out.refused
		case f == nil || f.refused:
			a.client.memory.keep(t.place, t.q)
			return a.answer(out, f), nil
		case out.given || !t.again(ctx, f):
			return Answer{}, a.explain(f)
		}
	}
}

// trial is one request over all its attempts.
type trial struct {
	*asker
	r Request
	// place is the address and model at which q is remembered.
	place string
	q     quirks
	// attempts are those that failed for a moment, learned those that taught a
	// quirk.
	attempts, learned int
}

func (a *asker) trial(r Request) *trial {
	place := a.base.String() + " " + a.target.Model
	t := &trial{asker: a, r: r, place: place, q: a.client.memory.recall(place)}
	if a.provider.Format == Ollama {
		// A window that was opened once stays open: Ollama loads the model anew for
		// each size.
		t.q.window = max(t.q.window, window(r))
	}
	return t
}

// again tells whether the request is to be sent once more, and waits before it
// says so.
func (t *trial) again(ctx context.Context, f *fault) bool {
	if better, ok := t.q.learn(f, t.r); ok && t.learned < maxLessons {
		t.q, t.learned = better, t.learned+1
		return true
	}
	t.attempts++
	return t.waited(ctx, f, t.attempts)
}

// waited plans a further attempt and waits for its time.
func (a *asker) waited(ctx context.Context, f *fault, attempts int) bool {
	wait, ok := a.planRetry(ctx, f, attempts)
	if !ok {
		return false
	}
	if a.client.sleep(ctx, wait) != nil {
		*f = *ended(ctx)
		return false
	}
	return true
}

// faultOf is what an attempt failed with, nil when it did not.
func faultOf(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok || err == nil {
		return f
	}
	return garbled(err)
}

func (a *asker) answer(out *flow, f *fault) Answer {
	finish := out.finish
	if f != nil {
		finish = Refused
	}
	return Answer{Text: out.text.String(), Finish: finish, Usage: llm.Usage{Model: a.Model(), In: max(out.in, 0), Out: max(out.out, 0)}}
}

// planRetry says whether and when a request is sent a second time. A wait that
// does not fit into the time that is left is an answer at once.
func (a *asker) planRetry(ctx context.Context, f *fault, attempts int) (time.Duration, bool) {
	if !f.again || attempts >= maxAttempts || ctx.Err() != nil {
		return 0, false
	}
	wait := pause - time.Duration(a.client.rand()*float64(pause/2))
	if f.wait > 0 {
		// Everybody was told the same time: they must not all come back at once.
		wait = f.wait + time.Duration(a.client.rand()*float64(pause/4))
	}
	if deadline, ok := ctx.Deadline(); ok && deadline.Sub(a.client.now()) < wait+minTime {
		return 0, false
	}
	return wait, wait <= a.client.limits.Wait
}

// once sends the request one time and reads the answer into out.
func (a *asker) once(ctx context.Context, r Request, q quirks, out *flow) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A piece of JSON is of no use to anybody, and what is around it is not known
	// before the end.
	stream := out.emit != nil && r.Schema == nil
	path, message := a.format.request(a.target.Model, r, q, stream)
	body, err := encode(message)
	if err != nil {
		return &fault{kind: BadRequest, problem: "the request cannot be written as JSON", cause: err}
	}
	answer, err := a.send(ctx, http.MethodPost, path, body, accept(a.format, stream))
	if err != nil {
		return err
	}
	defer discard(answer)
	if stream {
		err = a.readStream(ctx, answer, out)
		if err == nil {
			drain(answer, a.client.limits.Drain, cancel)
		}
	} else {
		err = a.readAnswer(ctx, answer, r, out)
	}
	if err == nil && out.text.Len() == 0 && out.finish == Length && r.MaxTokens > 0 {
		return &fault{kind: Down, thinking: true, problem: "the model spent all of its tokens on thinking"}
	}
	return err
}

// readAnswer reads an answer that is no stream.
func (a *asker) readAnswer(ctx context.Context, answer io.Reader, r Request, out *flow) error {
	body, err := a.readWhole(ctx, answer)
	if err != nil {
		return err
	}
	whole := newFlow(a.client.limits.Answer, nil)
	if err := a.format.whole(body, whole); err != nil {
		return err
	}
	if err := whole.end(); err != nil {
		return err
	}
	text := whole.text.String()
	if r.Schema != nil {
		if value, ok := findJSON(text); ok {
			text = value
		}
	}
	out.finish, out.in, out.out = whole.finish, whole.in, whole.out
	return out.give(text)
}

// encode writes JSON as it is read best: without escapes for HTML.
func encode(message any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
