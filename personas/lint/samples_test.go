package lint

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

// The samples are templates for authors: lint finds nothing in them, neither one by one nor together.
func TestSamplesAreClean(t *testing.T) {
	var files []ProjectFile
	for _, name := range examples.Names() {
		src := assert.Value(examples.Read(name))(t)
		p, places, faults := personas.Parse(name, src)
		for _, f := range File(&p, places, faults) {
			t.Errorf("%s: %+v", name, f)
		}
		files = append(files, ProjectFile{name, &p})
	}
	for _, f := range Project(files) {
		t.Errorf("together: %+v", f)
	}
}
