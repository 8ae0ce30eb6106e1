package localserver

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// providersError returns an error as from a provider's asker.
func providersError(kind provider.Kind) *provider.Error {
	return &provider.Error{
		Kind: kind, Provider: "openai", Model: "gpt-x", Message: "openai/gpt-x: it said " + string(kind),
		RetryAfter: 1500 * time.Millisecond, Cause: errors.New("inner trouble"),
	}
}

// failing returns a model with an evaluation that fails with a provider's error, selected by the
// message.
func failing() llm.Model {
	return &stepModel{Model: scripted.New(), first: func(_ context.Context, text string) error {
		if text == "hi" {
			return nil
		}
		return providersError(provider.Kind(text))
	}}
}

// TestProvidersFailures checks the status and code of each kind of error, for the operator's model
// and for a caller's.
func TestProvidersFailures(t *testing.T) {
	own := failing()
	h := begin(t, func(o *Options) { o.Model = &perCallerModel{Model: own, with: own} })
	id, key := h.publishPersona(), h.key(alice)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	for _, c := range []struct {
		kind      provider.Kind
		web, game int
	}{
		{provider.KeyMissing, 502, 502},
		{provider.KeyRefused, 502, 401},
		{provider.Quota, 502, 502},
		{provider.NoCredit, 502, 502},
		{provider.TooLong, 502, 502},
		{provider.NoModel, 502, 400},
		{provider.BadRequest, 502, 400},
		{provider.Down, 502, 502},
		{provider.Late, 504, 504},
		{provider.NotThere, 502, 502},
		{provider.Unusable, 502, 502},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			h := h.with(t)
			codes := map[int]string{502: wire.CodeModelFailed, 504: wire.CodeModelTimeout, 400: wire.CodeBadRequest, 401: wire.CodeModelKey}
			body := messageJSON("ann", string(c.kind))
			for path, want := range map[string]int{wire.PathMessage: c.web, wire.PathMessageStream: c.web} {
				a := h.send("", "POST", wire.Path(path, id), body)
				assert.Contains(t, a.fails(want, codes[want]).Message, "it said "+string(c.kind), "%s: a caller on this machine is told", c.kind)
				assert.Equal(t, a.header.Get(wire.HeaderRetryAfter), "2", "%s: Retry-After", c.kind)
			}
			for _, path := range []string{wire.PathSDKMessage, wire.PathSDKMessageStream} {
				e := h.send(key, "POST", wire.Path(path, id), body).fails(c.game, codes[c.game])
				assert.Contains(t, e.Message, "openai", c.kind)
				assert.Contains(t, e.Message, "nothing was stored", c.kind)
			}
		})
	}
	assert.Equal(t, len(h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").want(200)["messages"].([]any)), 1, "messages were kept")
	for _, words := range []string{"it said key-refused", "inner trouble"} {
		assert.Contains(t, h.journal.String(), words, "the log does not hold")
	}
}

// TestFinalFailures: a client retries automatically only if the provider asks for a longer wait
// than the server allows, also on a stream that has not begun.
func TestFinalFailures(t *testing.T) {
	var wait time.Duration
	own := &stepModel{Model: scripted.New(), first: func(_ context.Context, text string) error {
		e := providersError(provider.Kind(text))
		e.RetryAfter = wait
		return e
	}}
	h := begin(t, func(o *Options) { o.Model = &perCallerModel{Model: scripted.New(), with: own} })
	id, key := h.publishPersona(), h.key(alice)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	for kind, longer := range map[provider.Kind]string{
		provider.KeyRefused: "false", provider.Quota: "", provider.TooLong: "false", provider.Down: "", provider.Late: "false", provider.NotThere: "false", provider.Unusable: "false",
	} {
		t.Run(string(kind), func(t *testing.T) {
			h := h.with(t)
			for _, path := range []string{wire.PathSDKMessage, wire.PathSDKMessageStream} {
				for asked, want := range map[time.Duration]string{0: "false", provider.LongestWait: "false", provider.LongestWait + 1: longer} {
					wait = asked
					a := h.send(key, "POST", wire.Path(path, id), messageJSON("ann", string(kind)))
					if got := a.header.Get(wire.HeaderShouldRetry); got != want || a.status < 400 {
						t.Errorf("%s on %s with a wait of %s: %d, %s is %q, want %q", kind, path, wait, a.status, wire.HeaderShouldRetry, got, want)
					}
				}
			}
		})
	}
}

// TestStrangersAreToldLess: remote callers do not see a provider's message to the operator. A
// caller sees the messages of the caller's own provider.
func TestStrangersAreToldLess(t *testing.T) {
	own := failing()
	h := begin(t, func(o *Options) {
		o.Model, o.TrustedProxies = &perCallerModel{Model: own, with: own}, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	id, key := h.publishPersona(), h.key(alice)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	from := []string{identity.HeaderForwarded, "198.51.100.1"}
	for _, path := range []string{wire.PathMessage, wire.PathMessageStream} {
		e := h.send("", "POST", wire.Path(path, id), messageJSON("ann", "quota"), from...).fails(502, wire.CodeModelFailed)
		assert.NotContains(t, e.Message, "openai", "a stranger is told")
		e = h.send("", "POST", wire.Path(path, id), messageJSON("ann", "unusable"), from...).fails(502, wire.CodeModelFailed)
		assert.Equal(t, e.Message, play.Unusable, "a stranger is told of an answer that could not be used")
	}
	e := h.send(key, "POST", wire.Path(wire.PathSDKMessage, id), messageJSON("ann", "quota"), from...).fails(502, wire.CodeModelFailed)
	assert.Contains(t, e.Message, "it said quota", "a game is told")
}

// TestStreamFailsAfterItBegan: if a key is refused while the reply is written, the event contains
// the code that tells clients the status.
func TestStreamFailsAfterItBegan(t *testing.T) {
	own := &teller{scripted.New(), func(context.Context, func(string) error) error { return providersError(provider.KeyRefused) }}
	h := begin(t, func(o *Options) { o.Model = &perCallerModel{Model: own, with: own} })
	id, key := h.publishPersona(), h.key(alice)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	a := h.send(key, "POST", wire.Path(wire.PathSDKMessageStream, id), messageJSON("ann", "hi"))
	a.want(200)
	assert.Contains(t, string(a.body), `event: error`)
	assert.Contains(t, string(a.body), wire.CodeModelKey)
	assert.Equal(t, wire.StatusOf(wire.CodeModelKey), 401)
}

// checking is a model of callers with a check that returns an error.
type checking struct {
	perCallerModel
	err error
	// ends is the time limit of the last check.
	ends time.Time
}

func (c *checking) Check(ctx context.Context, _ llm.Caller) (string, error) {
	c.ends, _ = ctx.Deadline()
	return "openai/gpt-x", c.err
}

// TestValidate: a refused key is an answer. Any response of a provider that does not concern the
// key is an error.
func TestValidate(t *testing.T) {
	c := &checking{perCallerModel: perCallerModel{Model: scripted.New()}}
	h := begin(t, func(o *Options) { o.Model = c })
	key := h.key(alice)
	validate := func() replied { return h.send(key, "POST", wire.PathSDKValidate, "") }
	checkJSON(t, validate().want(200), `{"valid": true, "model": "openai/gpt-x", "error": null}`)
	assert.True(t, !c.ends.IsZero() && time.Until(c.ends) <= models.CheckTime, "a check may take until %s", c.ends)
	for _, kind := range []provider.Kind{provider.KeyRefused, provider.KeyMissing, provider.NoModel, provider.NoCredit} {
		c.err = providersError(kind)
		checkJSON(t, validate().want(200), `{"valid": false, "model": "openai/gpt-x", "error": "openai/gpt-x: it said `+string(kind)+`"}`)
	}
	for _, kind := range []provider.Kind{provider.Down, provider.Quota, provider.TooLong, provider.Unusable, provider.NotThere} {
		c.err = providersError(kind)
		assert.NotContains(t, validate().fails(http.StatusBadGateway, wire.CodeModelFailed).Message, "kept", kind)
	}
	c.err = providersError(provider.BadRequest)
	validate().fails(http.StatusBadRequest, wire.CodeBadRequest)
	c.err = providersError(provider.Late)
	validate().fails(http.StatusGatewayTimeout, wire.CodeModelTimeout)
}
