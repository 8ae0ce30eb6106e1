package card

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

type comment struct{ path, text string }

var comments = []comment{
	{"name", "Converted from a character card. What a card does not contain is marked TODO: see evaluation_criteria."},
	{"machines[0].states[0].evaluation_criteria", `
Write here when the player wins this conversation. A model judges the messages by this
text. For play without a model, also add offline.examples.pass: things that a winning
player says. A card contains neither; without them the conversation never ends.`},
	{"machines[0].transitions", `Other decisions (redirect, reject, kick_out) need a criterion and a transition each; for
redirects, max_redirects is the number of tries.`},
	{"offline", "Answers to questions. They do not change the score, and are not sent to a model."},
	{Member, "The whole card as V3, for `parley persona export`. It is sent with the persona but not used."},
}

// EncodeYAML returns a persona made by Card.Persona as a file, with comments that list what the
// author still has to do.
func EncodeYAML(p personas.Persona) ([]byte, error) {
	text, err := personas.EncodeYAML(p)
	if err != nil {
		return nil, err
	}
	_, places, faults := personas.Parse("card.yaml", text)
	switch {
	case len(text) > personas.MaxFile:
		return nil, fmt.Errorf("the persona would be larger than the maximum of %d MiB", personas.MaxFile>>20)
	case len(faults) > 0:
		return nil, fmt.Errorf("the card cannot be converted to a persona: %s", faults[0].Message)
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
