package personas

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

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

// TestForeignObjects: an object of maxForeign foreign members is reported whole, a larger one by what it lacks.
func TestForeignObjects(t *testing.T) {
	states := []string{"state_key", "label", "prompt_instruction", "evaluation_criteria", "max_redirects", "is_initial_state", "is_terminal_state"}
	for more, whole := range []bool{true, false} {
		var names []string
		for i := range maxForeign + more {
			names = append(names, `"`+states[i%len(states)]+`":null`)
		}
		_, _, faults := Parse("a.json", []byte(`{"machines":[{`+strings.Join(names, ",")+`}]}`))
		assert.Equal(t, strings.Contains(fmt.Sprint(faults), "this is not a machine"), whole, "%d members: %v", maxForeign+more, faults)
	}
}
