package hosted

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas/judge"
)

// Method is a way to ask a model for a judgement.
type Method string

// The methods. MethodAuto takes the first one that works for a model at its address.
const (
	MethodAuto      Method = "auto"
	MethodDecisions Method = "decisions"
	MethodLetter    Method = "letter"
	MethodJSON      Method = "json"
	// methodSystemOne is MethodDecisions on the other wire.
	methodSystemOne Method = "systemone"
)

// MethodNames are the names that ParseMethod takes.
var MethodNames = []string{string(MethodAuto), string(MethodDecisions), string(MethodLetter), string(MethodJSON)}

// isDecision reports whether a method asks a decision model.
func (m Method) isDecision() bool { return m == MethodDecisions || m == methodSystemOne }

// name returns the method's name for people.
func (m Method) name() string {
	if m.isDecision() {
		return string(MethodDecisions)
	}
	return string(m)
}

// ParseMethod returns the method of a name; "" is MethodAuto.
func ParseMethod(name string) (Method, error) {
	switch {
	case name == "":
		return MethodAuto, nil
	case slices.Contains(MethodNames, name):
		return Method(name), nil
	}
	return "", fmt.Errorf("judging method %q not found: use one of %q", name, MethodNames)
}

// ways are the methods that are tried for a setting, in this order.
var ways = map[Method][]Method{
	MethodAuto:      {methodSystemOne, MethodDecisions, MethodLetter, MethodJSON},
	MethodDecisions: {methodSystemOne, MethodDecisions},
	MethodLetter:    {MethodLetter, MethodJSON},
	MethodJSON:      {MethodJSON},
}

// maxDecisionOptions is how many options every server of decision models takes.
const maxDecisionOptions = 16

// maxPlaces bounds how many models are remembered. Callers choose models, so it must not
// grow with them.
const maxPlaces = 1024

// Methods remembers which method works for a model at an address. It is safe for
// concurrent use.
type Methods struct {
	mu    sync.Mutex
	known map[string]Method
}

// NewMethods returns an empty memory.
func NewMethods() *Methods { return &Methods{known: map[string]Method{}} }

// ways returns the methods to try, without those that did not work before.
func (m *Methods) ways(place string, set Method) []Method {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := ways[set]
	if at := slices.Index(list, m.known[place]); at > 0 {
		return list[at:]
	}
	return list
}

// keep remembers what worked.
func (m *Methods) keep(place string, method Method) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.known[place]; !known && len(m.known) >= maxPlaces {
		for some := range m.known { // A forgotten entry is learned again at the cost of a request.
			delete(m.known, some)
			break
		}
	}
	m.known[place] = method
}

// policies have the thresholds of each method. A decision that costs a player something needs
// certainty; json reports no probabilities, so every choice counts as certain.
var policies = map[Method]judge.Policy{
	methodSystemOne: probable,
	MethodDecisions: probable,
	MethodLetter:    byLetter,
	MethodJSON:      {},
}

// PolicyOf returns the thresholds of a method, by the name that an llm.Evaluation has.
func PolicyOf(method string) judge.Policy {
	if strings.HasPrefix(method, BuiltIn+", ") {
		return maps.Clone(mixedPolicy)
	}
	return maps.Clone(policies[Method(method)])
}

// byLetter was fitted with a model of 1.5 B on 305 lines of four personas (.ci/models). A redirect
// costs a try, so it needs certainty too.
var byLetter = judge.Policy{
	"pass":     {Probability: 0.4},
	"redirect": {Probability: 0.45},
	"reject":   {Probability: 0.6, Ask: 0.35},
	"kick_out": {Probability: 0.85, Ask: 0.35},
}

// probable is the policy of decision models.
var probable = judge.Policy{
	"pass":     {Probability: 0.35},
	"reject":   {Probability: 0.6, Ask: 0.35},
	"kick_out": {Probability: 0.7, Ask: 0.35},
}
