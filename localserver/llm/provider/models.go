package provider

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

const (
	// maxListed bounds how many models of one provider are listed.
	maxListed = 1000
	// networkFactor is how many times longer a provider on the network may take.
	networkFactor = 5
)

// Listing is what is set for a provider and what it has.
type Listing struct {
	// Provider is its name in the table, Title the one for people.
	Provider, Title string
	// Local providers need no key.
	Local bool
	// KeyVariable is the environment variable in which a key was found; "" when
	// there is none. Variables are those that are looked at.
	KeyVariable string
	Variables   []string
	// Address is where it is asked; "" when it is none.
	Address string
	// Asked reports whether it was asked for its models, Reached whether it
	// answered, with whatever.
	Asked, Reached bool
	// Models are its models as provider/model, sorted.
	Models []string
	// Err is what is wrong: an address that cannot be used, nobody who answers, a
	// key that is refused. It is nil for a keyed provider without a key.
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
