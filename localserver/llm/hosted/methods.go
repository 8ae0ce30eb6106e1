package hosted

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/cache"
	"github.com/parley-npc/parley/personas/intent"
)

// Method is a judging method, which is a way to ask a model for a judgement.
type Method string

// The judging methods. MethodAuto uses the first method that works for a model at its address.
const (
	MethodAuto      Method = "auto"
	MethodDecisions Method = "decisions"
	MethodLetter    Method = "letter"
	MethodJSON      Method = "json"
	// methodSystemOne is MethodDecisions in the wire format of System One.
	methodSystemOne Method = "systemone"
)

// MethodNames are the names that ParseMethod accepts.
var MethodNames = []string{string(MethodAuto), string(MethodDecisions), string(MethodLetter), string(MethodJSON)}

func (m Method) isDecision() bool { return m == MethodDecisions || m == methodSystemOne }

func (m Method) name() string {
	if m.isDecision() {
		return string(MethodDecisions)
	}
	return string(m)
}

// ParseMethod returns the method with the given name. For "" it returns MethodAuto.
func ParseMethod(name string) (Method, error) {
	switch {
	case name == "":
		return MethodAuto, nil
	case slices.Contains(MethodNames, name):
		return Method(name), nil
	}
	return "", fmt.Errorf("judging method %q not found: use one of %q", name, MethodNames)
}

var ways = map[Method][]Method{
	MethodAuto:      {methodSystemOne, MethodDecisions, MethodLetter, MethodJSON},
	MethodDecisions: {methodSystemOne, MethodDecisions},
	MethodLetter:    {MethodLetter, MethodJSON},
	MethodJSON:      {MethodJSON},
}

// maxDecisionOptions is the number of options that every server of decision models accepts.
const maxDecisionOptions = 16

// maxPlaces is the maximum number of models with a stored method. A maximum is needed
// because callers choose models.
const maxPlaces = 1024

// Methods stores which method works for a model at an address. It is safe for concurrent use.
type Methods struct{ known *cache.Cache[string, Method] }

// NewMethods returns an empty store.
func NewMethods() *Methods { return &Methods{cache.New[string, Method](maxPlaces)} }

func (m *Methods) ways(place string, set Method) []Method {
	list := ways[set]
	known, _ := m.known.Find(place)
	return list[max(slices.Index(list, known), 0):]
}

func (m *Methods) keep(place string, method Method) { m.known.Keep(place, method, 1) }

// policies contains the thresholds for each method. MethodJSON reports no probabilities, so every
// choice counts as certain.
var policies = map[Method]intent.Policy{
	methodSystemOne: probable,
	MethodDecisions: probable,
	MethodLetter:    byLetter,
	MethodJSON:      {},
}

// PolicyOf returns the thresholds for an llm.Evaluation with that method.
func PolicyOf(method string) intent.Policy {
	if strings.HasPrefix(method, BuiltIn+", ") {
		return maps.Clone(mixedPolicy)
	}
	return maps.Clone(policies[Method(method)])
}

// byLetter contains the thresholds for MethodLetter. They were fitted with a model of 1.5 billion
// parameters on 305 lines of four personas (.ci/models). A redirect has a threshold too, because it
// costs the player a try.
var byLetter = intent.Policy{
	"pass":     {Probability: 0.4},
	"redirect": {Probability: 0.45},
	"reject":   {Probability: 0.6, Ask: 0.35},
	"kick_out": {Probability: 0.85, Ask: 0.35},
}

var probable = intent.Policy{
	"pass":     {Probability: 0.35},
	"reject":   {Probability: 0.6, Ask: 0.35},
	"kick_out": {Probability: 0.7, Ask: 0.35},
}
