package personas

import (
	"bytes"
	_ "embed"
)

// SchemaID is the $id of the document's JSON Schema.
const SchemaID = "https://parley-npc.github.io/schema/persona.schema.json"

// The schema is generated from the types of the document by the test of this
// file, so that a program pays nothing for it.
//
//go:embed persona.schema.json
var schema []byte

// Schema gives the JSON Schema (2020-12) of the document. It says what can be
// said of one member at a time; the linter knows the rest.
func Schema() []byte { return bytes.Clone(schema) }
