package personas

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// crowdedDocuments are documents with many unknown members, or with many duplicates of a known one.
var crowdedDocuments = map[string]func(members int) string{
	"unknown": func(n int) string {
		return crowdedDocument(n, func(i int) string { return fmt.Sprintf(`"u%d":1`, i) })
	},
	"twice": func(n int) string { return crowdedDocument(n, func(int) string { return `"name":1` }) },
	"pairs": func(n int) string {
		return crowdedDocument(n, func(i int) string { return fmt.Sprintf(`"u%d":1`, i/2) })
	},
	"inside": func(n int) string {
		return `{"x-own":` + crowdedDocument(n, func(i int) string { return fmt.Sprintf(`"u%d":1`, i/2) }) + `}`
	},
	"empty machines": func(n int) string {
		return `{"machines":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, n), ",") + `]}`
	},
}

func joinMembers(members []string) string { return "{" + strings.Join(members, ",") + "}" }

func crowdedDocument(n int, member func(int) string) string {
	members := []string{`"name":"a"`, `"description":"b"`, `"persona_identity_prompt":"c"`, `"machines":[]`}
	for i := range n {
		members = append(members, member(i))
	}
	return joinMembers(members)
}

// TestCrowdedDocuments: each of many unknown members is kept once, and the first of the faults are reported.
func TestCrowdedDocuments(t *testing.T) {
	for name, build := range crowdedDocuments {
		t.Run(name, func(t *testing.T) {
			p, _, faults := Parse("a.json", []byte(build(20_000)))
			if name == "unknown" && (len(p.Extra) != 20_000 || len(faults) > 0 || p.Extra[19_999].Name != "u19999") {
				t.Errorf("%d members, %v", len(p.Extra), faults)
			}
			if name == "pairs" && (len(p.Extra) != 10_000 || len(faults) != maxFaults+1) {
				t.Errorf("%d members, %d faults", len(p.Extra), len(faults))
			}
		})
	}
}

// TestMembersAreIndexed: an object of many members has an index, with the first of duplicate names.
func TestMembersAreIndexed(t *testing.T) {
	for _, more := range []int{0, 1} {
		n := &node{kind: object}
		for i := range fewMembers + more {
			n.addMember(fmt.Sprint("m", i/2), &node{})
		}
		n.indexMembers()
		assert.Equal(t, n.index != nil, more > 0, "%d more than few: %v", more, n.index)
		assert.Equal(t, n.findMember("m3"), 6, "%d more than few: %v", more, n.index)
		assert.Equal(t, n.findMember("x"), -1, "%d more than few: %v", more, n.index)
	}
	_, m, _ := Parse("a.json", []byte(crowdedDocuments["unknown"](100)))
	assert.True(t, m.root.index != nil && m.Has("u99") && !m.Has("u100"), "a document that was read has no index")
}
