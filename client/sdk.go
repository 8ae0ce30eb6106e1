package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/parley-npc/parley/personas/wire"
)

// SDKOptions contain a game's API key and its keys for model providers.
type SDKOptions struct {
	// APIKey is a key that CreateKey (POST sdk/api-keys) returned.
	APIKey string
	// LLM is the model provider's key and optionally a model. Calls that use a model
	// require the key. Evaluation, Response and Summarization replace LLM for one step of a
	// turn.
	LLM, Evaluation, Response, Summarization LLM
}

// LLM is a model provider's key and a model. Both may be empty.
type LLM struct{ Key, Model string }

// SDK calls the game SDK's endpoints, which serve the published personas of the key's account.
// It is safe for concurrent use and retries like its Client. Errors do not contain the keys.
type SDK struct {
	client    *Client
	key, full signer
}

// SDK returns a client of the game SDK's endpoints.
func (c *Client) SDK(o SDKOptions) (*SDK, error) {
	if o.APIKey == "" {
		return nil, errors.New("an API key is missing: make one with `parley key create`")
	}
	key := []credential{{wire.HeaderAPIKey, o.APIKey, "[API key]"}}
	full := key
	for _, h := range []credential{
		{wire.HeaderLLMKey, o.LLM.Key, "[LLM key]"}, {wire.HeaderLLMModel, o.LLM.Model, ""},
		{wire.HeaderLLMEvalKey, o.Evaluation.Key, "[LLM key]"}, {wire.HeaderLLMEvalModel, o.Evaluation.Model, ""},
		{wire.HeaderLLMResponseKey, o.Response.Key, "[LLM key]"}, {wire.HeaderLLMResponseModel, o.Response.Model, ""},
		{wire.HeaderLLMSummarizationKey, o.Summarization.Key, "[LLM key]"}, {wire.HeaderLLMSummarizationModel, o.Summarization.Model, ""},
	} {
		if h.value != "" {
			full = append(full, h)
		}
	}
	for _, h := range full {
		if err := checkSecret("the value for "+h.header, h.value); err != nil {
			return nil, err
		}
	}
	return &SDK{client: c, key: newFixedSigner(key), full: newFixedSigner(full)}, nil
}

// newFixedSigner returns a signer that always returns the same credentials. An SDK stores the
// signer, because a printed SDK must not contain the keys.
func newFixedSigner(credentials []credential) signer {
	return func(context.Context) ([]credential, error) { return credentials, nil }
}

// Personas lists the published personas of the key's account, newest first (GET
// sdk/personas).
func (s *SDK) Personas(ctx context.Context) ([]wire.SDKPersona, error) {
	return fetchAnswer[[]wire.SDKPersona](ctx, s.client, s.newReadCall(wire.PathSDKPersonas, "", nil))
}

// Machines lists the machines that a player can start (GET machines).
func (s *SDK) Machines(ctx context.Context, id, userSession string) ([]wire.AvailableMachine, error) {
	return fetchAnswer[[]wire.AvailableMachine](ctx, s.client, s.newReadCall(wire.PathSDKMachines, id, playerQuery(userSession, "")))
}

// Session returns the state of a player's session (GET session). If machine is empty, it uses the
// newest session. The service answers 404 if there is no session.
func (s *SDK) Session(ctx context.Context, id, userSession, machine string) (wire.Session, error) {
	return fetchAnswer[wire.Session](ctx, s.client, s.newReadCall(wire.PathSDKSession, id, playerQuery(userSession, machine)))
}

// InitSession is Client.InitSession for the game SDK.
func (s *SDK) InitSession(ctx context.Context, id, machine string, body wire.InitSession) (wire.Opening, error) {
	return callModel(ctx, s.client, s.newModelCall(wire.PathSDKInitSession, id, machine, "", body), openingCost)
}

// StreamInitSession is Client.StreamInitSession for the game SDK.
func (s *SDK) StreamInitSession(ctx context.Context, id, machine string, body wire.InitSession, onDelta func(text string) error) (wire.Opening, error) {
	k := s.newModelCall(wire.PathSDKInitSession, id, machine, "", body)
	k.acceptsJSON = true
	return streamAnswer(ctx, s.client, k, onDelta, openingCost)
}

// SendMessage is Client.SendMessage for the game SDK.
func (s *SDK) SendMessage(ctx context.Context, id, machine string, body wire.Message) (wire.SDKReply, error) {
	return callModel(ctx, s.client, s.newModelCall(wire.PathSDKMessage, id, machine, body.Key, body), sdkReplyCost)
}

// StreamMessage is Client.StreamMessage for the game SDK.
func (s *SDK) StreamMessage(ctx context.Context, id, machine string, body wire.Message, onDelta func(text string) error) (wire.SDKReply, error) {
	return streamAnswer(ctx, s.client, s.newModelCall(wire.PathSDKMessageStream, id, machine, body.Key, body), onDelta, sdkReplyCost)
}

// ResetSession is Client.ResetSession for the game SDK.
func (s *SDK) ResetSession(ctx context.Context, id, userSession, machine string) (wire.ResetDone, error) {
	k := call{method: http.MethodPost, path: wire.PathSDKReset, id: id, query: playerQuery(userSession, machine), idempotent: true, usesModel: true, signer: s.key}
	return fetchAnswer[wire.ResetDone](ctx, s.client, k)
}

// ValidateLLMKey reports whether the LLM key is valid for a model (POST sdk/validate-llm-key). If
// model is empty, the service checks SDKOptions.LLM.Model or else its own default model.
func (s *SDK) ValidateLLMKey(ctx context.Context, model string) (wire.LLMKeyValidity, error) {
	k := call{method: http.MethodPost, path: wire.PathSDKValidate, idempotent: true, usesModel: true, signer: s.full}
	return fetchAnswer[wire.LLMKeyValidity](ctx, s.client, k.withBody(wire.ValidateLLMKey{Model: model}))
}

func (s *SDK) newReadCall(path, id string, query url.Values) call {
	k := newReadCall(path, id, query)
	k.signer = s.key
	return k
}

func (s *SDK) newModelCall(path, id, machine, key string, body any) call {
	k := newModelCall(path, id, machine, key, body)
	k.signer = s.full
	return k
}
