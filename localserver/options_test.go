package localserver

import (
	"testing"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

// TestDurability checks the meaning of each choice for the store. The store's tests check the
// resulting settings of SQLite.
func TestDurability(t *testing.T) {
	for _, c := range []struct {
		asked Durability
		data  string
		want  store.Durability
		fails bool
	}{
		{"", "folder", store.Full, false},
		{DurabilityFull, "folder", store.Full, false},
		{DurabilityNormal, "folder", store.Normal, false},
		{"", datafolder.Memory, store.Volatile, false},
		{DurabilityFull, datafolder.Memory, store.Volatile, false},
		{DurabilityNormal, datafolder.Memory, store.Volatile, false},
		{"FULL", "folder", store.Full, true},
	} {
		t.Run(caseName(c.asked, c.data), func(t *testing.T) {
			o := Options{Durability: c.asked, Data: c.data}
			got, err := o.storeDurability()
			assert.True(t, got == c.want && (err != nil) == c.fails, "%q with %s: %v, %v", c.asked, c.data, got, err)
		})
	}
	// A file elsewhere stays when the data folder goes.
	o := Options{Data: datafolder.Memory, Database: Database{Address: "sqlite:kept.db"}}
	got, err := o.storeDurability()
	assert.True(t, got == store.Full && err == nil, "a file beside a data folder in memory: %v, %v", got, err)
}
