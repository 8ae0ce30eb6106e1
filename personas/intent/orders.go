package intent

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas/plaintext"
)

//go:embed orders.yaml
var orderFile []byte

// orderPattern is tried only on texts with one of Words, because a search for words is faster.
type orderPattern struct {
	Words   []string // in lower case
	Pattern string
	regexp  *regexp.Regexp
}

type orderPatterns struct {
	Parts             map[string]string
	Machine, Decision []orderPattern
	Loud              string
	loud              *regexp.Regexp
}

var orders = sync.OnceValue(func() *orderPatterns {
	var all orderPatterns
	if err := yaml.Load(orderFile, &all, yaml.WithKnownFields()); err != nil {
		panic(err) // the file is embedded, and every test reads it
	}
	var parts []string
	for name, text := range all.Parts {
		parts = append(parts, "{"+name+"}", text)
	}
	for _, list := range [...][]orderPattern{all.Machine, all.Decision} {
		for i := range list {
			list[i].regexp = regexp.MustCompile(strings.NewReplacer(parts...).Replace(list[i].Pattern))
		}
	}
	all.loud = regexp.MustCompile(all.Loud)
	return &all
})

var smallRun = plaintext.Pattern(`\p{Ll}{2}`)

func addressesProgram(text string) bool {
	return matchesAny(orders().Machine, text) || plaintext.HasTokens(text)
}

func mentionsDecision(text string) bool {
	return matchesAny(orders().Decision, text) || orders().loud.MatchString(text) && smallRun().MatchString(text)
}

func matchesAny(patterns []orderPattern, text string) bool {
	lower := strings.ReplaceAll(strings.ToLower(text), "ſ", "s") // (?i) matches ſ as s
	return slices.ContainsFunc(patterns, func(p orderPattern) bool {
		return p.mayMatch(lower) && p.regexp.MatchString(text)
	})
}

func (p *orderPattern) mayMatch(lower string) bool {
	return slices.ContainsFunc(p.Words, func(word string) bool { return strings.Contains(lower, word) })
}

var asksForAttacks = plaintext.Pattern(`(?i)insult|threat|attack|rude|violen|swear|curse|abus|hurt|hits?\b|beat|harm|` +
	`offen[sd]|beleidig|beschimpf|droh|angreif|greift|gewalt|menac|injuri|frapp|agress|` +
	`amenaz|atac|golpe|ameac|ameaç|agredi|ofend|minacc|aggred|picchi`)

const attacked = 0.95
