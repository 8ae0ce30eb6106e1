package hosted

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// The places in which a caller may bring a model and a key.
const (
	main = iota
	evaluation
	response
	summarization
	steps
)

// errNoModel answers a caller who leaves the model to a server that has none.
var errNoModel = errors.New("this server has no model of its own: name yours in the header X-LLM-Model, such as openai/gpt-4o-mini")

// played are the steps of a turn, the one that speaks first.
var played = []int{response, evaluation, summarization}

// headers are how a caller brings them (personas/wire).
var headers = [steps]struct{ model, key string }{
	main:          {"X-LLM-Model", "X-LLM-API-Key"},
	evaluation:    {"X-LLM-Eval-Model", "X-LLM-Eval-API-Key"},
	response:      {"X-LLM-Response-Model", "X-LLM-Response-API-Key"},
	summarization: {"X-LLM-Summarization-Model", "X-LLM-Summarization-API-Key"},
}

// brought is what a caller brings, by place.
type brought [steps]llm.Step

func broughtBy(c llm.Caller) brought {
	b := brought{main: c.Step, evaluation: c.Evaluation, response: c.Response, summarization: c.Summarization}
	for s := range b {
		b[s].Model = strings.TrimSpace(b[s].Model)
	}
	return b
}

func (b brought) isNothing() bool {
	for _, s := range b {
		if s.Key.IsSet() || s.Model != "" {
			return false
		}
	}
	return true
}

// key is the place of a step's key: its own, else the main one.
func (b brought) key(s int) int {
	if b[s].Key.IsSet() {
		return s
	}
	return main
}

// of is the operator's model of a step.
func (n Names) of(s int) string {
	return cmp.Or([steps]string{evaluation: n.Evaluation, response: n.Response, summarization: n.Summarization}[s], n.Main)
}

// part is who plays a step: a model's name, whether it is the operator's, and the
// place of its key.
type part struct {
	model string
	own   bool
	key   int
}

// part decides who plays a step.
func (l Lender) part(b brought, s int) (part, error) {
	if b[main].Model != "" && !isSame(b[main].Model, l.Own.Main) {
		return lent(b, s)
	}
	own := l.Own.of(s)
	switch {
	case b[s].Model == "", isSame(b[s].Model, own):
		return l.owned(own, s, b.key(s))
	case isSame(b[s].Model, l.Own.Main):
		return l.owned(l.Own.Main, s, b.key(s))
	}
	return l.chosen(b, s)
}

// lent is the part of a caller who names a main model.
func lent(b brought, s int) (part, error) {
	p := part{model: cmp.Or(b[s].Model, b[main].Model), key: b.key(s)}
	if b[s].Model != "" && p.key == main {
		there, err := placeOf(b, s)
		if err != nil {
			return p, err
		}
		home, err := placeOf(b, main)
		if err != nil {
			return p, err
		}
		if there != home && !isLocal(p.model) {
			return p, keyNeeded(b, s, home)
		}
	}
	return p, b.hasKey(p)
}

// chosen is the part of a caller who names a model for this step, and beside it
// plays the operator's, wherever that is.
func (l Lender) chosen(b brought, s int) (part, error) {
	p := part{model: b[s].Model, key: b.key(s)}
	if p.key == main {
		if l.Own.Main == "" {
			return p, errNoModel
		}
		there, err := placeOf(b, s)
		if err != nil {
			return p, err
		}
		if (there != ownPlace(l.Own.Main) || l.Providers.Moved(l.Own.Main)) && !isLocal(p.model) {
			return p, keyNeeded(b, s, "this server's own "+l.Own.Main)
		}
	}
	return p, b.hasKey(p)
}

// owned is a part that the operator's model plays.
func (l Lender) owned(own string, s, key int) (part, error) {
	home := l.Own.Main
	switch {
	case own == "":
		return part{}, errNoModel
	case key == s, isSame(own, home), isLocal(own), home != "" && ownPlace(own) == ownPlace(home):
		return part{model: own, own: true, key: key}, nil
	case home == "":
		return part{}, fmt.Errorf("%s needs its own key in the header %s", own, headers[s].key)
	}
	return part{model: home, own: true, key: key}, nil
}

func (b brought) hasKey(p part) error {
	if b[p.key].Key.IsSet() {
		return nil
	}
	return fmt.Errorf("%s needs your key in the header %s", p.model, headers[p.key].key)
}

// keyNeeded says which header is missing, and why the main key does not do.
func keyNeeded(b brought, s int, home string) error {
	return fmt.Errorf("%s in %s needs a key of its own in the header %s: the one in %s is for %s and is sent nowhere else",
		b[s].Model, headers[s].model, headers[s].key, headers[main].key, home)
}

// placeOf is the provider of a model that a caller names.
func placeOf(b brought, s int) (string, error) {
	t, err := provider.Parse(b[s].Model)
	if err != nil {
		return "", fmt.Errorf("%s: %w", headers[s].model, err)
	}
	return t.Provider, nil
}

// ownTarget is one of the operator's models. A name that no provider has means
// something at his OpenAI-compatible address.
func ownTarget(name string) provider.Target {
	t, err := provider.Parse(name)
	if err != nil {
		return provider.Target{Provider: "openai", Model: strings.TrimSpace(name)}
	}
	return t
}

// ownPlace is the provider of one of the operator's models.
func ownPlace(name string) string {
	if name == "" {
		return ""
	}
	return ownTarget(name).Provider
}

// isLocal tells a model that runs on a machine of whoever runs the server: nobody's
// key is needed for it, and no caller can choose it.
func isLocal(name string) bool {
	for _, p := range provider.Providers {
		if p.Name == ownPlace(name) {
			return p.Local
		}
	}
	return false
}

// isSame tells whether a name names one of the operator's models, however it is
// written.
func isSame(name, own string) bool {
	return own != "" && (name == own || ownTarget(name) == ownTarget(own))
}
