package personafiles

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestBackslashes: Windows notation works for directories, files and globs; a * in a name is an error.
func TestBackslashes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{`personas\a.yaml`, `personas\deep\b.yaml`, `personas\deep\b.play.yaml`} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, b, play := `personas\a.yaml`, `personas\deep\b.yaml`, `personas\deep\b.play.yaml`
	for given, want := range map[string][]string{
		`personas\*.yaml`:     {a},
		`personas\**\*.yaml`:  {a, play, b},
		`personas/**/*.yaml`:  {a, play, b},
		`personas`:            {a, b},
		`.\personas\`:         {a, b},
		`personas\deep\..\a*`: {a},
		a:                     {a},
	} {
		found, err := FindFiles([]string{given}, MayBePersona)
		var got []string
		for _, f := range found {
			got = append(got, f.Path)
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, not %q", given, got, err, want)
		}
	}
	if IsOneFile(`personas\*.yaml`) || !IsOneFile(a) || !IsFile(`.\a`) || !IsFile(`C:\a`) {
		t.Error("a file, or none")
	}
}
