package card

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// comment is a comment of EncodeYAML above a member.
type comment struct{ path, text string }

// comments describe the remaining work.
var comments = []comment{
	{"name", "Made of a character card. What a card does not say is marked TODO: see evaluation_criteria."},
	{"machines[0].states[0].evaluation_criteria", `
To be written by you: when this conversation is won. A model judges by these
words. For play without a model add offline.examples.pass, with things that a player
says who wins. A card has no such thing; until then the conversation goes on for ever.`},
	{"machines[0].transitions", `Other decisions (redirect, reject, kick_out) need a criterion and a transition each; for
redirects max_redirects says how many tries there are.`},
	{"offline", "Questions that have an answer. They count nothing, and are not sent to a model."},
	{Member, "The whole card as V3, for `parley persona export`. It is sent with the persona and never read."},
}

// EncodeYAML writes a persona made by Persona as a file, with comments that list the remaining
// work.
func EncodeYAML(p personas.Persona) ([]byte, error) {
	text, err := personas.EncodeYAML(p)
	if err != nil {
		return nil, err
	}
	_, places, faults := personas.Parse("card.yaml", text)
	switch {
	case len(text) > personas.MaxFile:
		return nil, fmt.Errorf("the persona would have more than %d MiB, the most that one may have", personas.MaxFile>>20)
	case len(faults) > 0:
		return nil, fmt.Errorf("the card makes no persona: %s", faults[0].Message)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, c := range slices.Backward(comments) {
		if !places.Has(c.path) {
			continue
		}
		at := places.Key(c.path)
		indent := strings.Repeat(" ", at.Column-1)
		above := indent + "# " + strings.ReplaceAll(strings.TrimSpace(c.text), "\n", "\n"+indent+"# ") + "\n"
		lines = slices.Insert(lines, at.Line-1, []byte(above))
	}
	return bytes.Join(lines, nil), nil
}
