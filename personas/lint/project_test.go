package lint

import (
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

func TestProject(t *testing.T) {
	v := func(key, value, description string) personas.Variable {
		return personas.Variable{Key: key, Value: value, Description: description}
	}
	one := func(name string, variables ...personas.Variable) *personas.Persona {
		return &personas.Persona{Name: name, Variables: variables}
	}
	tests := map[string]struct {
		a, b *personas.Persona
		want []string
	}{
		"nothing in common":       {one("A", v("mood", "calm", "")), one("B", v("town", "Ash", "")), nil},
		"the same name":           {one("A  cat"), one("a cat"), []string{"duplicate-persona-name name"}},
		"another value":           {one("A", v("mood", "calm", "")), one("B", v("mood", "angry", "")), []string{"variable-differs variables[0].key"}},
		"another description":     {one("A", v("mood", "calm", "How she feels")), one("B", v("mood", "calm", "How he feels")), []string{"variable-differs variables[0].key"}},
		"the same in other case":  {one("A", v("mood", "calm", "The mood.")), one("B", v("mood", "calm", "the mood")), nil},
		"only one describes it":   {one("A", v("mood", "calm", "The mood.")), one("B", v("mood", "calm", "")), nil},
		"described once, another": {one("A", v("mood", "calm", "The mood.")), one("B", v("mood", "angry", "the mood")), []string{"variable-differs variables[0].key"}},
		"a letter is missing":     {one("A", v("password", "", "")), one("B", v("pasword", "", "")), []string{"variable-misspelled variables[0].key"}},
		"two changed places":      {one("A", v("quest", "", "")), one("B", v("queste", "", ""), v("qeust", "", "")), []string{"variable-misspelled variables[0].key", "variable-misspelled variables[1].key"}},
		"a plural":                {one("A", v("guest", "", "")), one("B", v("guests", "", "")), nil},
		"numbered":                {one("A", v("door_1", "", "")), one("B", v("door_2", "", "")), nil},
		"short names":             {one("A", v("tale", "", "")), one("B", v("tail", "", "")), nil},
		"two letters":             {one("A", v("weather", "", "")), one("B", v("feather_", "", "")), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range Project([]ProjectFile{{"a.yaml", test.a}, {"b.yaml", test.b}}) {
				assert.Equal(t, f.File, "b.yaml", "%s: a finding", name)
				got = append(got, f.Check+" "+f.Path)
			}
			assert.EqualSlices(t, got, test.want, "%s: found", name)
		})
	}
}

func TestProjectIsBounded(t *testing.T) {
	var files []ProjectFile
	for i := range MaxFindings + 2 {
		files = append(files, ProjectFile{fmt.Sprint(i), &personas.Persona{Name: "same"}})
	}
	assert.Equal(t, len(Project(files[:MaxFindings+1])), MaxFindings, "findings")
	assert.Equal(t, len(Project(files)), MaxFindings+1, "findings")
}

func TestOneSlip(t *testing.T) {
	for _, pair := range [][2]string{{"password", "pasword"}, {"quest", "qeust"}, {"mood", "food"}, {"straße", "strasse"}} {
		want := pair[0] != "straße"
		assert.True(t, isOneSlip(pair[0], pair[1]) == want && isOneSlip(pair[1], pair[0]) == want, "%v", pair)
	}
	for _, pair := range [][2]string{{"a1", "a2"}, {"guest", "guests"}, {"abc", "xyz"}, {"ab", "abcd"}} {
		assert.True(t, !isOneSlip(pair[0], pair[1]) && !isOneSlip(pair[1], pair[0]), "%v are one slip apart", pair)
	}
}
