package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/remote"
)

const (
	// maxListed bounds how many models of one provider are listed.
	maxListed = 1000
	// networkFactor is how many times longer a provider on the network may take.
	networkFactor = 5
)

// Listing contains the settings and the models of a provider.
type Listing struct {
	// Provider is its name in the table, Title the one for people.
	Provider, Title string
	// Local providers need no key.
	Local bool
	// KeyVariable is the environment variable with the key, or "". Variables are the ones searched.
	KeyVariable string
	Variables   []string
	// Address is the address of its API; "" if it is invalid.
	Address string
	// Asked reports whether it was asked for its models, Reached whether there was any answer.
	Asked, Reached bool
	// Models are its models as provider/model, sorted.
	Models []string
	// Judges are the probable judging methods of its models, the best first; only FindLocal sets
	// them.
	Judges []string
	// Err is the reason of a failure: an unusable address, an unreachable server, a refused key. It
	// is nil for a keyed provider without a key.
	Err error
}

// ListModels lists every provider of the table. Local ones are asked for their
// models, all at once, briefly and without a key; those with a key only when ask
// is set, because that is a call on the network.
func (c *Client) ListModels(ctx context.Context, ask bool) []Listing {
	listings := make([]Listing, len(Providers))
	var all sync.WaitGroup
	for i, p := range Providers {
		all.Go(func() { listings[i] = c.listProvider(ctx, p, ask) })
	}
	all.Wait()
	return listings
}

func (c *Client) listProvider(ctx context.Context, p Provider, ask bool) Listing {
	key, variable := c.serverKey(p)
	t := Target{Provider: p.Name}
	if p.Name == "openai" {
		t.BaseURL = c.baseURL
	}
	l := Listing{Provider: p.Name, Title: p.Title, Local: p.Local, KeyVariable: variable, Variables: p.KeyVariables, Address: c.ownAddress(t, p)}
	if p.Local {
		key = llm.Secret{}
	}
	a, err := c.newAsker(t, p, l.Address, key, keySource(variable))
	if err != nil {
		// An address that cannot be used may have a password in it.
		l.Err, l.Address = err, ""
		return l
	}
	l.Address = a.base.String()
	limit := c.limits.Probe
	switch {
	case p.Local:
	case !ask, !key.IsSet() && l.Address == p.BaseURL:
		return l
	default:
		limit *= networkFactor
	}
	return a.probeModels(ctx, l, limit)
}

// probeModels asks for the list of models.
func (a *asker) probeModels(ctx context.Context, l Listing, limit time.Duration) Listing {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	models, err := a.listReachable(ctx)
	l.Asked, l.Err = true, err
	l.Reached = err == nil || hasAnswered(err)
	keys := a.keysInUse()
	for _, name := range models {
		name = maskText(name, keys)
		if len(l.Models) < maxListed && checkName(name) == nil {
			l.Models = append(l.Models, Target{Provider: a.provider.Name, Model: name}.String())
		}
	}
	slices.Sort(l.Models)
	return l
}

// Names of the methods of judging, the best first.
const (
	judgesByDecisions = "decisions"
	judgesByLetter    = "letter"
	judgesByJSON      = "json"
)

// FindLocal asks the usual model servers on this machine for their models and for how they can
// judge, all at once and for at most Limits.Probe. It does not judge and sends no key. It skips a
// server if the environment sets its address to another machine.
func (c *Client) FindLocal(ctx context.Context) []Listing {
	var found []Listing
	for _, p := range Providers {
		if p.Local {
			found = append(found, Listing{Provider: p.Name})
		}
	}
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() { found[i] = c.findLocal(ctx, found[i].Provider) })
	}
	all.Wait()
	return found
}

func (c *Client) findLocal(ctx context.Context, name string) Listing {
	p, _ := findProvider(name)
	ctx, cancel := context.WithTimeout(ctx, c.limits.Probe)
	defer cancel()
	address := c.ownAddress(Target{Provider: p.Name}, p)
	if !isLocalAddress(p, address) {
		return Listing{Provider: p.Name, Title: p.Title, Local: true}
	}
	l := c.listProvider(ctx, p, false)
	if len(l.Models) == 0 {
		return l
	}
	if a, err := c.newAsker(Target{Provider: p.Name}, p, address, llm.Secret{}, nowhere); err == nil {
		l.Judges = a.probeJudging(ctx)
	}
	return l
}

// isLocalAddress reports whether the address of a provider is on this machine.
func isLocalAddress(p Provider, address string) bool {
	u, err := parseAddress(p, address)
	return err == nil && remote.IsLoopback(u.Hostname())
}

// probeJudging returns how models of a server on this machine can judge, as far as that is
// known without asking one: whether there is a call for decisions, and whether the server is
// known to report the probabilities of tokens.
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

// hasDecisions reports whether a server has one of the calls for decisions. It is sent an empty
// request, which such a call refuses as one.
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

// sourceVersion is the version of an Ollama that was built from its source with the go command.
const sourceVersion = "0.0.0"

// isOllamaSince reports whether a server is an Ollama of at least a version, or of an unknown one.
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

// otherTasks are parts of the names of models that write no text.
var otherTasks = []string{"embed", "rerank", "whisper", "minilm", "bge-", "-tts"}

// ChatModel returns the first model without the name of an embedding model or the like; "" if all
// have such names.
func (l Listing) ChatModel() string {
	for _, name := range l.Models {
		if !mentionsAny(strings.ToLower(name), otherTasks) {
			return name
		}
	}
	return ""
}
