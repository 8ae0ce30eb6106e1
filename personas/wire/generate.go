package wire

import "github.com/parley-npc/parley/personas"

// Generate is the request body of POST creator/generate: who the persona is to
// be, 1 to MaxPersonaDesc characters, and its name, which may be left to the model.
type Generate struct {
	Description string `json:"description"`
	Name        string `json:"name,omitempty"`
}

// Generated is the answer of POST creator/generate: a persona that POST
// creator/save takes, but that is not saved.
type Generated struct {
	Persona personas.Persona `json:"persona"`
	// Warnings are what the linter says of it that is no error.
	Warnings []Detail `json:"warnings"`
	// Rounds is how often the model was asked for it.
	Rounds int    `json:"rounds"`
	Tokens Tokens `json:"-"`
}
