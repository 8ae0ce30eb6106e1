package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/wire"
)

const (
	maxListed     = 1000
	networkFactor = 5
)

// Listing is a provider with its settings and models.
type Listing struct {
	// Provider is a name in Providers. Title is for display.
	Provider, Title string
	Local           bool
	// KeyVariable is the environment variable with the key, or "". Variables lists all possible
	// variables.
	KeyVariable string
	Variables   []string
	// Address is the address of the API, or "" if invalid.
	Address string
	// Asked means that the models were requested. Reached means that the provider has responded.
	Asked, Reached bool
	// Models are sorted names in the form provider/model.
	Models []string
	// Judges lists the probable judging methods, best first. Only FindLocal sets Judges.
	Judges []string
	// Err reports an unusable address, an unreachable server or a rejected key. A provider without a
	// key is not called, so Err is nil.
	Err error
}

// ListModels lists all Providers. ListModels requests the models of local providers without a key.
// ListModels requests the models of other providers only if ask is true.
func (c *Client) ListModels(ctx context.Context, ask bool) []Listing {
	return listAll(Providers, func(provider Provider) Listing { return c.listProvider(ctx, provider, ask) })
}

func listAll(providers []Provider, list func(Provider) Listing) []Listing {
	listings := make([]Listing, len(providers))
	var all sync.WaitGroup
	for i, provider := range providers {
		all.Go(func() { listings[i] = list(provider) })
	}
	all.Wait()
	return listings
}

func (c *Client) listProvider(ctx context.Context, provider Provider, ask bool) Listing {
	key, variable := c.serverKey(provider)
	target := Target{Provider: provider.Name}
	if provider.Name == "openai" {
		target.BaseURL = c.options.BaseURL
	}
	listing := Listing{
		Provider: provider.Name, Title: provider.Title, Local: provider.Local, KeyVariable: variable,
		Variables: provider.KeyVariables,
		Address:   c.ownAddress(target, provider),
	}
	if provider.Local {
		key = llm.Secret{}
	}
	a, err := c.newAsker(target, provider, listing.Address, key, keySource(variable))
	if err != nil {
		// An unusable address may contain a password.
		listing.Err, listing.Address = err, ""
		return listing
	}
	listing.Address = a.base.String()
	limit := c.options.Limits.Probe
	switch {
	case provider.Local:
	case !ask, !key.IsSet() && listing.Address == provider.BaseURL:
		return listing
	default:
		limit *= networkFactor
	}
	return a.probeModels(ctx, listing, limit)
}

func (a *asker) probeModels(ctx context.Context, listing Listing, limit time.Duration) Listing {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	models, err := a.listReachable(ctx)
	listing.Asked, listing.Err = true, err
	failed, ok := errors.AsType[*Error](err)
	listing.Reached = err == nil || ok && failed.Status != 0
	keys := a.keysInUse()
	for _, name := range models {
		mask := newKeyMask(keys)
		name = mask.filterPiece(name) + mask.releaseHeld()
		if len(listing.Models) < maxListed && checkName(name) == nil {
			listing.Models = append(listing.Models, Target{Provider: a.provider.Name, Model: name}.String())
		}
	}
	slices.Sort(listing.Models)
	return listing
}

const (
	judgesByDecisions = "decisions"
	judgesByLetter    = "letter"
	judgesByJSON      = "json"
)

// FindLocal lists the model servers on this machine with their judging methods, within
// Limits.Probe. FindLocal asks no model and sends no key.
func (c *Client) FindLocal(ctx context.Context) []Listing {
	local := slices.DeleteFunc(slices.Clone(Providers), func(provider Provider) bool { return !provider.Local })
	return listAll(local, func(provider Provider) Listing { return c.findLocal(ctx, provider) })
}

func (c *Client) findLocal(ctx context.Context, provider Provider) Listing {
	ctx, cancel := context.WithTimeout(ctx, c.options.Limits.Probe)
	defer cancel()
	target := Target{Provider: provider.Name}
	a, err := c.newAsker(target, provider, c.ownAddress(target, provider), llm.Secret{}, nowhere)
	if err != nil || !wire.IsLoopback(a.base.Hostname()) {
		return Listing{Provider: provider.Name, Title: provider.Title, Local: true}
	}
	l := c.listProvider(ctx, provider, false)
	if len(l.Models) > 0 {
		l.Judges = a.probeJudging(ctx)
	}
	return l
}

func (a *asker) probeJudging(ctx context.Context) []string {
	var methods []string
	if a.probeDecisions(ctx) {
		methods = append(methods, judgesByDecisions)
	}
	if a.provider.Format != Ollama || a.isOllamaSince(ctx, 0, 12, 11) {
		methods = append(methods, judgesByLetter)
	}
	return append(methods, judgesByJSON)
}

// The call rejects an empty request as invalid.
func (a *asker) probeDecisions(ctx context.Context) bool {
	for _, path := range [...]string{"/systemone", "/decisions"} {
		if a.provider.Format == Ollama {
			path = "/v1" + path
		}
		_, failed := a.fetchOnce(ctx, http.MethodPost, path, []byte("{}"))
		if failed == nil {
			continue
		}
		if failed.status == http.StatusBadRequest || failed.status == http.StatusUnprocessableEntity {
			return true
		}
	}
	return false
}

// sourceVersion is the version of an Ollama built by the go command.
const sourceVersion = "0.0.0"

func (a *asker) isOllamaSince(ctx context.Context, least ...int) bool {
	body, failed := a.fetchOnce(ctx, http.MethodGet, "/api/version", nil)
	var answer struct {
		Version string `json:"version"`
	}
	if failed != nil || json.Unmarshal(body, &answer) != nil {
		return false
	}
	if answer.Version == sourceVersion {
		return true
	}
	parts := strings.FieldsFunc(answer.Version, func(r rune) bool { return r < '0' || r > '9' })
	for i, want := range least {
		if i >= len(parts) {
			return false
		}
		if number, err := strconv.Atoi(parts[i]); err != nil || number != want {
			return err == nil && number > want
		}
	}
	return true
}

var otherTasks = []string{"embed", "rerank", "whisper", "minilm", "bge-", "-tts"}

// ChatModel returns the first model that is not for another task, such as embedding. ChatModel
// returns "" without a model.
func (l Listing) ChatModel() string {
	for _, name := range l.Models {
		if !mentionsAny(strings.ToLower(name), otherTasks) {
			return name
		}
	}
	return ""
}

// Check checks the key and the model of an asker with the cheapest sufficient call. The error is an
// *Error.
func (c *Client) Check(ctx context.Context, model Asker) error {
	a, ok := model.(*asker)
	if !ok {
		return checkByAnswer(ctx, model)
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Limits.Whole)
	defer cancel()
	if a.base.String() != a.knownAddress() {
		// A server at a custom address may list models without a valid key.
		return checkByAnswer(ctx, a)
	}
	switch a.provider.keyProof {
	case byModel:
		return a.checkModel(ctx)
	case byList:
		return a.checkList(ctx)
	case byKey:
		if _, err := a.get(ctx, "/key"); err != nil {
			return err
		}
		return a.checkList(ctx)
	}
	return checkByAnswer(ctx, a)
}

func checkByAnswer(ctx context.Context, model Asker) error {
	_, err := model.Ask(ctx, Request{
		Step: "check", Messages: []llm.Message{{Role: "user", Text: "Say yes."}}, MaxTokens: 1,
	}, nil)
	return err
}

func (a *asker) checkModel(ctx context.Context) error {
	if a.provider.Format == Ollama {
		body, err := encodeJSON(map[string]string{"model": a.target.Model})
		if err == nil {
			_, err = a.fetchWithRetry(ctx, http.MethodPost, ollamaShow, body)
		}
		return err
	}
	_, err := a.get(ctx, "/models/"+url.PathEscape(a.target.Model))
	return err
}

// A model that the list omits may be an alias.
func (a *asker) checkList(ctx context.Context) error {
	body, err := a.get(ctx, a.format.modelsPath)
	if err != nil {
		return err
	}
	models, err := a.format.readModels(body)
	if err == nil && slices.Contains(models, a.target.Model) {
		return nil
	}
	return checkByAnswer(ctx, a)
}

func (a *asker) get(ctx context.Context, path string) ([]byte, error) {
	return a.fetchWithRetry(ctx, http.MethodGet, path, nil)
}

func (a *asker) fetchWithRetry(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	for attempts := 1; ; attempts++ {
		answer, failed := a.fetchOnce(ctx, method, path, body)
		if failed == nil {
			return answer, nil
		}
		if !a.waitForRetry(ctx, failed, attempts) {
			return nil, a.explainFailure(failed)
		}
	}
}

func (a *asker) listReachable(ctx context.Context) ([]string, error) {
	body, failed := a.fetchOnce(ctx, http.MethodGet, a.format.modelsPath, nil)
	if failed != nil {
		return nil, a.explainFailure(failed)
	}
	models, err := a.format.readModels(body)
	if err != nil {
		return nil, a.explainFailure(&failure{
			kind: Down, problem: fmt.Sprintf("the server at %s is not %s", a.base.Host, a.provider.Title), cause: err,
		})
	}
	return models, nil
}
