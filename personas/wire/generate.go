package wire

import "github.com/parley-npc/parley/personas"

// Generate is the request body of POST creator/generate: a description of the persona, 1 to
// MaxPersonaDesc characters, and its name. If the name is empty, the model chooses one.
type Generate struct {
	Description string `json:"description"`
	Name        string `json:"name,omitempty"`
}

// Generated is the answer of POST creator/generate: a persona that POST
// creator/save takes, but that is not saved.
type Generated struct {
	Persona personas.Persona `json:"persona"`
	// Warnings are the findings of the linter below level error.
	Warnings []Detail `json:"warnings"`
	// Rounds is how often the model was asked.
	Rounds int    `json:"rounds"`
	Tokens Tokens `json:"-"`
}
