package personafiles_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/portrait"
)

func makePNG(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	assert.NoError(t, png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, side, side))))
	return b.Bytes()
}

func putFile(t *testing.T, path string, content []byte) {
	t.Helper()
	assert.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	assert.NoError(t, os.WriteFile(path, content, 0o600))
}

func withPortrait(t *testing.T, value string) []byte {
	t.Helper()
	source := assert.Value(examples.Read("gate"))(t)
	return append(source, "portrait: '"+value+"'\n"...)
}

// TestPortraitPaths: only a picture beside the file or below is read; other paths are reported in place.
func TestPortraitPaths(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	folder := filepath.Join(top, "cats")
	face := makePNG(t, 24)
	putFile(t, filepath.Join(top, "secret.png"), face)
	putFile(t, filepath.Join(folder, "face.png"), face)
	putFile(t, filepath.Join(folder, "faces", "cat.png"), face)
	putFile(t, filepath.Join(folder, "face.svg"), []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"))
	putFile(t, filepath.Join(folder, "cut.png"), face[:len(face)/2])
	putFile(t, filepath.Join(folder, "most.png"), append(bytes.Clone(face), make([]byte, portrait.MaxBytes-len(face))...))
	putFile(t, filepath.Join(folder, "more.png"), append(bytes.Clone(face), make([]byte, portrait.MaxBytes+1-len(face))...))
	tests := map[string]string{ // what is wrong, "" for nothing
		"face.png": "", "./face.png": "", "faces/cat.png": "", "faces/../face.png": "", "most.png": "",
		"more.png":                     "more.png: the picture has 49135 bytes, at most 49134 are allowed",
		"none.png":                     "none.png: the picture was not found beside the persona file",
		"faces":                        "it is a folder",
		"face.svg":                     "not a PNG, JPEG or GIF",
		"cut.png":                      "cannot be read as a PNG",
		"../secret.png":                "in the persona file's folder",
		"faces/../../secret.png":       "in the persona file's folder",
		top + "/secret.png":            "the picture's path from the persona file's folder",
		`faces\cat.png`:                "separate folders with /",
		"https://example.com/face.png": "pictures are not downloaded",
		"file:face.png":                "the picture's path from the persona file's folder",
		"data:image/png;base64,AAAA":   "not a PNG, JPEG or GIF",
	}
	if runtime.GOOS != "windows" {
		for link, target := range map[string]string{"out.png": filepath.Join(top, "secret.png"), "in.png": "faces/cat.png", "up": ".."} {
			assert.NoError(t, os.Symlink(target, filepath.Join(folder, link)))
		}
		tests["in.png"] = ""
		tests["out.png"] = "a link to a file outside of the persona file's folder"
		tests["up/secret.png"] = tests["out.png"]
	}
	for value, want := range tests {
		f := personafiles.CheckSource(filepath.Join(folder, "cat.yaml"), withPortrait(t, value))
		var told []string
		for _, found := range f.Findings {
			if found.Check == lint.PortraitCheck {
				told = append(told, found.Message)
				assert.True(t, strings.HasPrefix(string(bytes.Split(f.Source, []byte("\n"))[found.Line-1]), "portrait:"),
					"%s: it is told of line %d", value, found.Line)
			}
		}
		switch {
		case want == "" && (len(told) > 0 || !portrait.IsURI(f.Doc.Portrait)):
			t.Errorf("%s: %q, %.40s", value, told, f.Doc.Portrait)
		case want != "" && (len(told) != 1 || !strings.Contains(told[0], want) || f.IsSound() || f.Doc.Portrait != value):
			t.Errorf("%s: %q, want %q", value, told, want)
		}
	}
}

// TestPortraitComesBack: a picture is put back byte for byte, and no existing one is overwritten.
func TestPortraitComesBack(t *testing.T) {
	t.Parallel()
	first, second := makePNG(t, 24), makePNG(t, 25)
	uri := func(data []byte) string {
		text := assert.Value(portrait.EncodeURI(data))(t)
		return text
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "cat.yaml")
	steps := []struct {
		data        []byte
		known, want string
	}{
		{first, "", "cat.png"}, {first, "", "cat.png"}, {first, "cat.png", "cat.png"},
		{second, "cat.png", "cat-" + portrait.ShortHash(second) + ".png"}, {second, "cat.png", "cat-" + portrait.ShortHash(second) + ".png"},
		{first, "faces/none.png", "cat.png"}, {first, "../cat.png", "cat.png"}, {first, "other.png", "other.png"}, {first, "other.jpg", "cat.png"},
	}
	for i, step := range steps {
		doc := personas.Persona{Portrait: uri(step.data)}
		err := personafiles.TakePortraitOut(&doc, file, step.known)
		assert.Must(t, err == nil && doc.Portrait == step.want, "%d: %q, %v, want %q", i, doc.Portrait, err, step.want)
		f := personafiles.ParseSource(file, withPortrait(t, doc.Portrait))
		assert.Equal(t, f.Doc.Portrait, uri(step.data), "%d: it does not come back: %v", i, f.Findings)
	}
	odd := personas.Persona{Portrait: "data:text/html,hello"}
	if err := personafiles.TakePortraitOut(&odd, file, ""); err != nil || odd.Portrait != "data:text/html,hello" {
		t.Errorf("%q, %v", odd.Portrait, err)
	}
}
