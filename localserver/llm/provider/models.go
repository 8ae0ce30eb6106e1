package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
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

// Listing contains the settings and the models of a provider.
type Listing struct {
	// Provider is the name in Providers. Title is the name to display.
	Provider, Title string
	// Local providers need no key.
	Local bool
	// KeyVariable is the environment variable that contains the key, or "". Variables lists all
	// environment variables that may contain a key.
	KeyVariable string
	Variables   []string
	// Address is the address of the API, or "" if it is invalid.
	Address string
	// Asked means that the provider was asked for its models. Reached means that the provider has
	// responded in any way.
	Asked, Reached bool
	// Models are the sorted names of the models, as provider/model.
	Models []string
	// Judges lists the judging methods that the models probably support, the best first. Only
	// FindLocal sets Judges.
	Judges []string
	// Err is the cause of a failure, such as an unusable address, an unreachable server or a
	// refused key. It is nil for a provider without a key.
	Err error
}

// ListModels lists all Providers with their models. It always asks local providers, with a short
// time limit and without a key. It asks the other providers only if ask is true.
func (c *Client) ListModels(ctx context.Context, ask bool) []Listing {
	return listAll(Providers, func(p Provider) Listing { return c.listProvider(ctx, p, ask) })
}

func listAll(providers []Provider, list func(Provider) Listing) []Listing {
	listings := make([]Listing, len(providers))
	var all sync.WaitGroup
	for i, p := range providers {
		all.Go(func() { listings[i] = list(p) })
	}
	all.Wait()
	return listings
}

func (c *Client) listProvider(ctx context.Context, p Provider, ask bool) Listing {
	key, variable := c.serverKey(p)
	t := Target{Provider: p.Name}
	if p.Name == "openai" {
		t.BaseURL = c.options.BaseURL
	}
	l := Listing{Provider: p.Name, Title: p.Title, Local: p.Local, KeyVariable: variable, Variables: p.KeyVariables, Address: c.ownAddress(t, p)}
	if p.Local {
		key = llm.Secret{}
	}
	a, err := c.newAsker(t, p, l.Address, key, keySource(variable))
	if err != nil {
		// An unusable address may contain a password.
		l.Err, l.Address = err, ""
		return l
	}
	l.Address = a.base.String()
	limit := c.options.Limits.Probe
	switch {
	case p.Local:
	case !ask, !key.IsSet() && l.Address == p.BaseURL:
		return l
	default:
		limit *= networkFactor
	}
	return a.probeModels(ctx, l, limit)
}

func (a *asker) probeModels(ctx context.Context, l Listing, limit time.Duration) Listing {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	models, err := a.listReachable(ctx)
	l.Asked, l.Err = true, err
	failed, ok := errors.AsType[*Error](err)
	l.Reached = err == nil || ok && failed.Status != 0
	keys := a.keysInUse()
	for _, name := range models {
		mask := newKeyMask(keys)
		name = mask.filterPiece(name) + mask.releaseHeld()
		if len(l.Models) < maxListed && checkName(name) == nil {
			l.Models = append(l.Models, Target{Provider: a.provider.Name, Model: name}.String())
		}
	}
	slices.Sort(l.Models)
	return l
}

// Names of the judging methods, the best first.
const (
	judgesByDecisions = "decisions"
	judgesByLetter    = "letter"
	judgesByJSON      = "json"
)

// FindLocal asks the usual model servers on this machine for their models and probes their
// judging methods, within Limits.Probe. It asks no model and sends no key.
func (c *Client) FindLocal(ctx context.Context) []Listing {
	local := slices.DeleteFunc(slices.Clone(Providers), func(p Provider) bool { return !p.Local })
	return listAll(local, func(p Provider) Listing { return c.findLocal(ctx, p) })
}

func (c *Client) findLocal(ctx context.Context, p Provider) Listing {
	ctx, cancel := context.WithTimeout(ctx, c.options.Limits.Probe)
	defer cancel()
	t := Target{Provider: p.Name}
	a, err := c.newAsker(t, p, c.ownAddress(t, p), llm.Secret{}, nowhere)
	if err != nil || !wire.IsLoopback(a.base.Hostname()) {
		return Listing{Provider: p.Name, Title: p.Title, Local: true}
	}
	l := c.listProvider(ctx, p, false)
	if len(l.Models) > 0 {
		l.Judges = a.probeJudging(ctx)
	}
	return l
}

// probeJudging returns the judging methods of a server on this machine, if they can be detected
// without asking a model.
func (a *asker) probeJudging(ctx context.Context) []string {
	var ways []string
	if a.hasDecisions(ctx) {
		ways = append(ways, judgesByDecisions)
	}
	if a.provider.Format != Ollama || a.isOllamaSince(ctx, 0, 12, 11) {
		ways = append(ways, judgesByLetter)
	}
	return append(ways, judgesByJSON)
}

// hasDecisions reports whether a server has a call for decisions. It sends an empty request,
// because the call rejects that as invalid.
func (a *asker) hasDecisions(ctx context.Context) bool {
	for _, path := range [...]string{"/systemone", "/decisions"} {
		if a.provider.Format == Ollama {
			path = "/v1" + path
		}
		_, f := a.callOnce(ctx, http.MethodPost, path, []byte("{}"))
		if f != nil && (f.status == http.StatusBadRequest || f.status == http.StatusUnprocessableEntity) {
			return true
		}
	}
	return false
}

// sourceVersion is the version that Ollama reports if it was built from source with the go command.
const sourceVersion = "0.0.0"

// isOllamaSince reports whether the server is Ollama with at least the given version. It also
// returns true if the version is unknown.
func (a *asker) isOllamaSince(ctx context.Context, least ...int) bool {
	body, f := a.callOnce(ctx, http.MethodGet, "/api/version", nil)
	var answer struct {
		Version string `json:"version"`
	}
	if f != nil || json.Unmarshal(body, &answer) != nil {
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
		if has, err := strconv.Atoi(parts[i]); err != nil || has != want {
			return err == nil && has > want
		}
	}
	return true
}

var otherTasks = []string{"embed", "rerank", "whisper", "minilm", "bge-", "-tts"}

// ChatModel returns the first model with a name that does not indicate another task, such as
// embedding. Otherwise it returns "".
func (l Listing) ChatModel() string {
	for _, name := range l.Models {
		if !mentionsAny(strings.ToLower(name), otherTasks) {
			return name
		}
	}
	return ""
}
