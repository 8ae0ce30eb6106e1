package author

import (
	"encoding/json"

	"github.com/parley-npc/parley/personas/wire"
)

// SavedItem is what --json prints of a file: the service's answer, the file, and what
// became of it. Of a file that was not saved the members of the answer are null.
type SavedItem struct {
	wire.Saved
	File   string `json:"file"`
	Result string `json:"result"`
	Error  string `json:"error"`
}

// MarshalJSON encodes the item, with null for the members of an answer that is missing.
func (i SavedItem) MarshalJSON() ([]byte, error) {
	type plain SavedItem
	text, err := json.Marshal(plain(i))
	if err != nil || i.ID != "" {
		return text, err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for name := range members {
		members[name] = nil
	}
	members["file"], members["result"], members["error"] = i.File, i.Result, i.Error
	return json.Marshal(members)
}

func (o *saveOptions) printSaved(files []*saveJob, results []taskResult) error {
	items := make([]SavedItem, len(files))
	for i, f := range files {
		items[i] = SavedItem{Saved: f.saved, File: f.name, Result: results[i].resultWord(), Error: results[i].errorText()}
	}
	return printResults(o.Streams, o.json, o.single, results, items, func(i SavedItem) string { return i.ID })
}
