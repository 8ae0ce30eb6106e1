package playtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Change is an expectation that Update has rewritten, or could not: then Err
// says why.
type Change struct {
	Path, From, To string
	Err            error
}

// Update gives a play file's text with the expectations that failed rewritten to
// what was seen; comments and layout stay. What cannot be rewritten stays as it
// is: a step that was refused, what a reply should contain, and a value that
// variants share and that would have to become two. The changes are in the order
// of the results.
func Update(src []byte, results []Result) ([]byte, []Change) {
	var changes []Change
	met, seen := metPaths(results), map[string]int{}
	for i := range results {
		for _, f := range results[i].Failures() {
			at, twice := seen[f.Path]
			switch {
			case !twice:
				seen[f.Path] = len(changes)
				changes = append(changes, Change{Path: f.Path, From: f.Want, To: f.Got, Err: f.checkUpdatable(met)})
			case changes[at].To != f.Got && changes[at].Err == nil:
				changes[at].Err = fmt.Errorf("variants disagree: %s in one, %s in another; give the value a column", changes[at].To, f.Got)
			}
		}
	}
	for i := range changes {
		if changes[i].Err == nil {
			src = changes[i].writeValue(src)
		}
	}
	return src, changes
}

// metPaths gives the paths of expectations that some variant meets.
func metPaths(results []Result) map[string]bool {
	met := map[string]bool{}
	for i := range results {
		for _, s := range results[i].Steps {
			for _, e := range s.Step.Expect {
				failed := slices.ContainsFunc(s.Failures, func(f Failure) bool { return f.Path == e.Path || f.Member == "" })
				met[e.Path] = met[e.Path] || !failed && !s.Skipped
			}
		}
	}
	return met
}

func (f *Failure) checkUpdatable(met map[string]bool) error {
	switch {
	case f.Member == "":
		return fmt.Errorf("the step was not played: %s", f.Got)
	case met[f.Path]:
		return fmt.Errorf("variants disagree: %s in one, %s in another; give the value a column", f.Want, f.Got)
	case f.Member == ExpectVariable && f.absent:
		return fmt.Errorf("the variable has no value")
	case f.Member == ExpectContains, f.Member == ExpectLacks, f.Member == ExpectMatches, f.Member == ExpectLocked:
		return fmt.Errorf("what %s should be, only its author knows", f.Member)
	}
	return nil
}

// writeValue rewrites one value, keeping its kind where it can.
func (c *Change) writeValue(src []byte) []byte {
	var changed []byte
	if strings.HasPrefix(c.To, "[") {
		changed, c.Err = personas.Replace(src, c.Path, c.To)
		if c.Err != nil { // A file in JSON wants quotes.
			keys := strings.Split(strings.Trim(c.To, "[]"), ", ")
			changed, c.Err = personas.Replace(src, c.Path, `["`+strings.Join(keys, `", "`)+`"]`)
		}
	} else if changed, c.Err = personas.SetScalar(src, c.Path, c.To); c.Err != nil {
		if changed, c.Err = personas.Replace(src, c.Path, c.To); c.Err != nil {
			changed, c.Err = personas.Replace(src, c.Path, `"`+c.To+`"`)
		}
	}
	if c.Err != nil {
		return src
	}
	return changed
}
