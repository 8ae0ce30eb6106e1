package provider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

const (
	maxAttempts = 2
	maxLessons  = 6
	pause       = time.Second
	minTime     = time.Second
)

type asker struct {
	client   *Client
	target   Target
	provider Provider
	format   wireFormat
	base     *url.URL
	key      llm.Secret
	keyName  string
}

func (c *Client) newAsker(
	target Target, provider Provider, address string, key llm.Secret, keyName string,
) (*asker, error) {
	u, err := parseAddress(provider, address)
	if err == nil {
		err = checkKeyTransport(provider, u, key)
	}
	if err != nil {
		return nil, err
	}
	a := &asker{
		client: c, target: target, provider: provider, format: formats[provider.Format], base: u, key: key,
		keyName: keyName,
	}
	if err := checkKey(key); err != nil {
		return nil, &Error{
			Kind: KeyRefused, Provider: target.Provider, Model: target.Model,
			Message: target.String() + ": " + err.Error(),
		}
	}
	return a, nil
}

func (a *asker) Model() string { return a.target.String() }

func (a *asker) Place() string { return a.base.String() + " " + a.target.String() }

func (a *asker) Ask(ctx context.Context, r Request, emit func(delta string) error) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, a.client.options.Limits.Whole)
	defer cancel()
	defer a.client.keys.borrow(a.key)()
	r = breakTokens(r)
	run := a.newAskRun(r)
	if r.TopTokens > 0 && (run.quirks.has(thinks) || !a.reportsTokens()) {
		return Answer{}, a.newUnsupported("does not report token probabilities")
	}
	if r.Decision != nil && !a.supportsWire(r.Decision.Wire) {
		return Answer{}, a.newUnsupported("does not support this decision call")
	}
	if r.Instructed && r.Decision == nil {
		if err := run.checkTemplate(ctx); err != nil {
			return Answer{}, err
		}
	}
	mender := &tokenMender{emit: emit}
	for {
		out := run.newAnswerText(mender.emitFunc())
		failed := failureOf(a.sendOnce(ctx, run.request, run.quirks, out))
		switch {
		case out.emitErr != nil:
			return Answer{}, out.emitErr
		case failed == nil || failed.refused:
			switch {
			case out.thought.endOnly:
				run.quirks.add(unmarkedThought)
			case r.Schema == nil && out.text.Len() > 0:
				run.quirks.add(plainAnswer)
			}
			a.client.quirks.remember(run.quirksKey, run.quirks)
			return a.newAnswer(out, failed), mender.emitHeld()
		case r.Decision != nil && rejectsDecisions(failed):
			failed.kind, failed.hint = Unsupported, ""
			return Answer{}, a.explainFailure(failed)
		case out.emitted || !run.prepareRetry(ctx, failed):
			if r.TopTokens > 0 && isUnsupported(failed) {
				failed.kind = Unsupported
			}
			return Answer{}, a.explainFailure(failed)
		}
	}
}

// Thinking models report no probabilities, or those of a thought.
func (a *asker) reportsTokens() bool {
	return a.provider.Format == Ollama || a.provider.Format == OpenAI && !openAIThinks(a.target.Model)
}

func (a *asker) knownAddress() string {
	if a.provider.Local {
		return a.base.String()
	}
	if u, err := parseAddress(a.provider, a.client.publicAddress(a.provider)); err == nil {
		return u.String()
	}
	return ""
}

type askRun struct {
	*asker
	request           Request
	quirksKey         string
	quirks            quirks
	attempts, learned int
}

func (a *asker) newAskRun(r Request) *askRun {
	place := a.base.String() + " " + a.target.Model
	if r.NoThinking && a.provider.Format == OpenAI && !a.provider.Local && a.base.String() == a.knownAddress() {
		r.NoThinking = false // The providers themselves reject this member; self-hosted servers accept it.
	}
	run := &askRun{asker: a, request: r, quirksKey: place, quirks: a.client.quirks.recall(place)}
	if a.provider.Format == Ollama {
		// The context window never shrinks, because Ollama reloads the model for each size.
		run.quirks.window = max(run.quirks.window, contextWindow(r))
	}
	return run
}

func (a *askRun) newAnswerText(emit func(string) error) *answerText {
	out := newAnswerText(a.client.options.Limits.Answer, emit)
	out.mask = newKeyMask(a.client.keys.keys())
	if a.request.Schema == nil { // A part of a JSON value is useless.
		out.length.limit = a.request.MaxTokens * charactersPerToken
	}
	out.thought.frontOnly, out.turn.off = a.request.Schema != nil, a.request.Schema != nil
	thinksAloud := !a.quirks.has(plainAnswer) && modelsThatThinkAloud().MatchString(a.target.Model)
	out.thought.unmarked = a.request.Schema == nil && (thinksAloud || a.quirks.has(unmarkedThought))
	return out
}

func (a *askRun) prepareRetry(ctx context.Context, failed *failure) bool {
	better, ok := a.quirks.learnFrom(failed, a.request)
	if ok && a.request.Decision == nil && a.learned < maxLessons {
		a.quirks, a.learned = better, a.learned+1
		return true
	}
	a.attempts++
	return a.waitForRetry(ctx, failed, a.attempts)
}

const minNotice = time.Second

func (a *asker) waitForRetry(ctx context.Context, failed *failure, attempts int) bool {
	wait, ok := a.retryDelay(ctx, failed, attempts)
	if !ok {
		return false
	}
	if wait >= minNotice {
		reason := wire.WaitBusy
		if failed.kind == Quota {
			reason = wire.WaitRateLimit
		}
		wire.NotifyWait(ctx, wire.WaitNotice{Reason: reason, Seconds: wait.Seconds()})
	}
	if a.client.options.Sleep(ctx, wait) != nil {
		*failed = *newContextFailure(ctx)
		return false
	}
	return true
}

func failureOf(err error) *failure {
	if failed, ok := errors.AsType[*failure](err); ok || err == nil {
		return failed
	}
	return newUnreadable(err)
}

func (a *asker) newAnswer(out *answerText, failed *failure) Answer {
	finish := out.finish
	out.usage.Model = a.Model()
	if failed != nil {
		finish = Refused
	}
	return Answer{
		Text: plaintext.MendTokens(out.text.String()), Finish: finish, First: out.first,
		Usage: out.usage,
	}
}

func (a *asker) retryDelay(ctx context.Context, failed *failure, attempts int) (time.Duration, bool) {
	if !failed.retryable || attempts >= maxAttempts || ctx.Err() != nil {
		return 0, false
	}
	wait := pause - time.Duration(a.client.options.Rand()*float64(pause/2))
	if failed.wait > 0 {
		// The random part spreads the retries of several callers.
		wait = failed.wait + time.Duration(a.client.options.Rand()*float64(pause/4))
	}
	if deadline, ok := ctx.Deadline(); ok && deadline.Sub(a.client.options.Now()) < wait+minTime {
		return 0, false
	}
	return wait, wait <= a.client.options.Limits.Wait
}

func (a *asker) sendOnce(ctx context.Context, r Request, q quirks, out *answerText) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A part of a JSON object is useless to the caller.
	stream := out.emit != nil && r.Schema == nil
	path, message := a.format.buildRequest(a.target.Model, r, q, stream)
	if r.Decision != nil {
		path, message = buildDecision(a.target.Model, r)
		if a.provider.Format == Ollama {
			path = "/v1" + path
		}
	}
	body, err := encodeJSON(message)
	if err != nil {
		return &failure{kind: BadRequest, problem: "the request cannot be written as JSON", cause: err}
	}
	accept := "application/json"
	if stream {
		accept = string(a.format.framing)
	}
	answer, err := a.sendRequest(ctx, http.MethodPost, path, body, accept)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	if r.Decision != nil {
		return a.readDecision(ctx, answer, out)
	}
	reader := bufio.NewReader(answer)
	isStream := a.format.framing == jsonLines || startsEvents(reader)
	if stream && isStream {
		err = a.readStream(ctx, reader, out)
		if err == nil && !out.length.reached {
			drainAnswer(reader, a.client.options.Limits.Drain, cancel)
		}
	} else {
		err = a.readAnswer(ctx, reader, r, out, isStream)
	}
	if err == nil && out.text.Len() == 0 && r.TopTokens == 0 && out.finish == Length && r.MaxTokens > 0 {
		return &failure{kind: Down, thinking: true, problem: "the model spent all of its tokens on thinking"}
	}
	return err
}

func (a *asker) readAnswer(ctx context.Context, answer io.Reader, r Request, out *answerText, isStream bool) error {
	emit := out.emit
	out.emit = nil
	read := a.readBody
	if isStream {
		read = a.readStream
	}
	if err := read(ctx, answer, out); err != nil {
		return err
	}
	text := out.text.String()
	if value, ok := findJSON(text); ok && r.Schema != nil {
		text = value
	}
	out.text.Reset()
	out.text.WriteString(text)
	if emit == nil || text == "" {
		return nil
	}
	out.emitted, out.emitErr = true, emit(text)
	return out.emitErr
}

func (a *asker) readBody(ctx context.Context, answer io.Reader, out *answerText) error {
	body, err := a.readWhole(ctx, answer)
	if err != nil {
		return err
	}
	parts := []json.RawMessage{body}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) && json.Unmarshal(body, &parts) != nil {
		parts = []json.RawMessage{body}
	}
	for _, part := range parts {
		if err := a.format.readWhole(part, out); err != nil {
			return err
		}
	}
	return out.endAnswer()
}

func encodeJSON(message any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

func (a *asker) newUnsupported(problem string) error {
	return &Error{
		Kind: Unsupported, Provider: a.target.Provider, Model: a.target.Model,
		Message: a.Model() + ": " + a.provider.Title + " " + problem,
	}
}

func isUnsupported(failed *failure) bool {
	return failed.kind == BadRequest ||
		failed.status == http.StatusMethodNotAllowed || failed.status == http.StatusNotImplemented
}

func rejectsDecisions(failed *failure) bool {
	return isUnsupported(failed) || failed.kind == NoModel ||
		failed.status == http.StatusForbidden || failed.status == http.StatusNotFound
}

func (a *asker) supportsWire(w DecisionWire) bool {
	switch {
	case a.provider.Format != OpenAI && a.provider.Format != Ollama:
		return false
	case a.provider.Local || a.base.String() != a.knownAddress() || a.provider.Name == "openrouter":
		return true
	}
	return a.provider.Name == "openai" && w == OpenAIDecisions
}

func (a *asker) readDecision(ctx context.Context, answer io.Reader, out *answerText) error {
	body, err := a.readWhole(ctx, answer)
	if err != nil {
		return err
	}
	if !readDecision(body, out) {
		return &failure{kind: BadRequest, problem: "the answer does not have the format of a decision model"}
	}
	return nil
}
