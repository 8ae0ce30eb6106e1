package wire

import "github.com/parley-npc/parley/personas"

// Generate is the request body of POST creator/generate. It contains a description of 1 to
// MaxPersonaDesc characters, and the persona's name. If Name is empty, the model chooses one.
type Generate struct {
	Description string `json:"description"`
	Name        string `json:"name,omitempty"`
}

// Generated is the response of POST creator/generate: an unsaved persona that POST creator/save
// accepts.
type Generated struct {
	Persona personas.Persona `json:"persona"`
	// Warnings are the findings of the linter below level error.
	Warnings []Detail `json:"warnings"`
	// Rounds is the number of calls of the model.
	Rounds int `json:"rounds"`
}
