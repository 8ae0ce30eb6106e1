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
			assert.True(t, name != "unknown" || len(p.Extra) == 20_000 && len(faults) == 0 && p.Extra[19_999].Name == "u19999", "%d members, %v", len(p.Extra), faults)
			assert.True(t, name != "pairs" || len(p.Extra) == 10_000 && len(faults) == maxFaults+1, "%d members, %d faults", len(p.Extra), len(faults))
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

// strangeDocuments lack required members and have many unknown ones, so that each name could cause
// a search for the object where it belongs.
var strangeDocuments = map[string]func(n int) string{
	"unknown.json": func(n int) string { return "{" + repeatMembers(n, `"k%d":0`, ",") + "}" },
	"state.json": func(n int) string {
		return `{"machines":[{"states":[{` + repeatMembers(n, `"k%d":0`, ",") + `}]}]}`
	},
	"joined.yaml":    func(n int) string { return repeatMembers(n, "name a%d: 0", "\n") },
	"variables.yaml": func(n int) string { return "variables:\n" + repeatMembers(n, "  k%d: 0", "\n") },
}

func repeatMembers(n int, member, between string) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(member, i)
	}
	return strings.Join(members, between)
}

// TestStrangeMembersAreCheap: the allocations for an unknown member do not depend on the missing ones.
func TestStrangeMembersAreCheap(t *testing.T) {
	const members, most = 5_000, 25
	for name, build := range strangeDocuments {
		src := []byte(build(members))
		_, _, faults := Parse(name, src)
		assert.True(t, len(faults) != 0, "%s lacks nothing", name)
		each := testing.AllocsPerRun(1, func() { Parse(name, src) }) / members
		assert.True(t, each <= most, "%s: %.0f allocations for each member", name, each)
	}
}
