package playtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Change is an expectation replaced by Update. Err is set if the replacement was impossible.
type Change struct {
	Path, From, To string
	Err            error
}

// Update returns a play file with failed expectations replaced by the observed values. Comments and
// layout are preserved. Rejected steps, required reply texts and values of disagreeing variants
// stay unchanged.
func Update(src []byte, results []Result) ([]byte, []Change) {
	var changes []Change
	met, seen := metPaths(results), map[string]int{}
	for i := range results {
		for _, f := range results[i].Failures() {
			index, twice := seen[f.Path]
			switch {
			case !twice:
				seen[f.Path] = len(changes)
				changes = append(changes, Change{Path: f.Path, From: f.Want, To: f.Got, Err: f.checkUpdatable(met)})
			case changes[index].To != f.Got && changes[index].Err == nil:
				changes[index].Err = fmt.Errorf("variants disagree: %s in one, %s in another; use a column for the value",
					changes[index].To, f.Got)
			}
		}
	}
	var wanted []*Change
	for i := range changes {
		if changes[i].Err == nil {
			wanted = append(wanted, &changes[i])
		}
	}
	return writeValues(src, wanted), changes
}

// maxReread limits the bytes parsed again for single replacements.
const maxReread = 8 << 20

func writeValues(src []byte, wanted []*Change) []byte {
	var together, others []*Change
	var scalars []personas.NewScalar
	for _, c := range wanted {
		if c.isList() {
			others = append(others, c)
			continue
		}
		together = append(together, c)
		scalars = append(scalars, personas.NewScalar{Path: c.Path, Value: c.To})
	}
	changed, rest, err := personas.SetScalars(src, scalars)
	if err != nil {
		changed, others = src, wanted
	} else {
		for _, i := range rest {
			others = append(others, together[i])
		}
	}
	remaining := max(maxReread, 4*len(src))
	for _, c := range others {
		if remaining -= len(changed); remaining < 0 {
			c.Err = errors.New("too many expectations of this long file must be replaced one by one; run the update " +
				"again, or split the file")
			continue
		}
		changed = c.writeValue(changed)
	}
	return changed
}

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
		return fmt.Errorf("variants disagree: %s in one, %s in another; use a column for the value", f.Want, f.Got)
	case f.Member == ExpectVariable && f.Got == noValue:
		return fmt.Errorf("the variable has no value")
	case f.Member == ExpectContains, f.Member == ExpectLacks, f.Member == ExpectMatches, f.Member == ExpectLocked:
		return fmt.Errorf("only the author can change %s", f.Member)
	}
	return nil
}

func (c *Change) isList() bool { return strings.HasPrefix(c.To, "[") }

func (c *Change) writeValue(src []byte) []byte {
	var changed []byte
	if c.isList() {
		changed, c.Err = personas.Replace(src, c.Path, c.To)
		if c.Err != nil { // JSON requires quotes
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
