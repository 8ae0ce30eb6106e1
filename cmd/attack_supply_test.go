package cmd_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	yaml "go.yaml.in/yaml/v4"
)

// TestActionsArePinned: what workflows and actions of this repository use is named
// by its commit, with its tag beside it, by one commit wherever it is used; and no
// module is run by a name that moves.
func TestActionsArePinned(t *testing.T) {
	t.Parallel()
	commits := map[string]string{}
	uses := 0
	for _, file := range automationFiles(t) {
		text := readPage(t, file)
		for _, fault := range findUnpinned(text) {
			t.Errorf("%s: %s", file, fault)
		}
		for _, m := range pinnedUse.FindAllStringSubmatch(text, -1) {
			uses++
			if seen := commits[m[1]]; seen != "" && seen != m[2]+m[3] {
				t.Errorf("%s: %s is used as %s and as %s", file, m[1], seen, m[2]+m[3])
			}
			commits[m[1]] = m[2] + m[3]
		}
	}
	if uses < 20 || len(commits) < 10 {
		t.Errorf("only %d uses of %d actions are found: the pattern is broken", uses, len(commits))
	}
}

// automationFiles returns what GitHub runs or is told to run: every YAML file under
// .github, the action, and the scripts of .ci.
func automationFiles(t *testing.T) []string {
	t.Helper()
	files := []string{"action.yml"}
	for _, folder := range []string{".github", ".ci"} {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, d fs.DirEntry, err error) error {
			extension := filepath.Ext(path)
			if err == nil && !d.IsDir() && (extension == "" || extension == ".yml" || extension == ".yaml") {
				files = append(files, filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator))))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

var (
	pinnedUse = regexp.MustCompile(`(?m)^\s*(?:- )?uses: ([\w.-]+/[\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$`)
	movingUse = regexp.MustCompile(`(?m)^.*@(?:latest|main|master|upgrade|patch)\b.*$`)
	imageFrom = regexp.MustCompile(`(?m)^FROM (\S+)`)
	digested  = regexp.MustCompile(`^[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}$`)
)

// findUnpinned returns what of a workflow, an action, a script or a Dockerfile names
// another's code by something that its owner can move.
func findUnpinned(text string) []string {
	faults := movingUse.FindAllString(text, -1)
	for _, m := range imageFrom.FindAllStringSubmatch(text, -1) {
		if !digested.MatchString(m[1]) {
			faults = append(faults, m[0])
		}
	}
	pinned := map[string]bool{}
	for _, m := range pinnedUse.FindAllStringSubmatch(text, -1) {
		pinned[m[1]+"@"+m[2]] = true
	}
	var document any
	if yaml.Unmarshal([]byte(text), &document) == nil {
		for _, used := range findUses(document) {
			if !pinned[used] && used != "./" {
				faults = append(faults, "uses: "+used)
			}
		}
	}
	return faults
}

// findUses returns the actions, and the images of containers, that a YAML value names.
func findUses(value any) (uses []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			word, isText := member.(string)
			if isText && (name == "uses" || name == "container" || name == "image" && !digested.MatchString(word)) {
				uses = append(uses, word)
			}
			uses = append(uses, findUses(member)...)
		}
	case []any:
		for _, member := range value {
			uses = append(uses, findUses(member)...)
		}
	}
	return uses
}

// TestUnpinnedIsFound feeds the rule what it has to find.
func TestUnpinnedIsFound(t *testing.T) {
	t.Parallel()
	const commit = "3d3c42e5aac5ba805825da76410c181273ba90b1"
	for text, faults := range map[string]int{
		"steps:\n  - uses: a/b@" + commit + " # v1.2.3\n":            0,
		"steps:\n  - uses: ./\n":                                     0,
		"steps:\n  - uses: a/b@v4\n":                                 1,
		"steps:\n  - uses: a/b@" + commit + "\n":                     1,
		"steps:\n  - uses: a/b@" + commit + " # v4\n":                1,
		"steps:\n  - uses: a/b@" + commit[:12] + " # v1.2.3\n":       1,
		"steps: [{\"uses\": \"a/b@v4\"}]\n":                          1,
		"steps:\n  - uses: docker://alpine:3\n":                      1,
		"jobs: {j: {uses: a/b/.github/workflows/w.yml@v1}}\n":        1,
		"jobs: {j: {container: alpine}}\n":                           1,
		"jobs: {j: {services: {d: {image: postgres}}}}\n":            1,
		"run: go run golang.org/x/vuln/cmd/govulncheck@latest ./...": 1,
		"FROM alpine:3.22\nRUN true\n":                               1,
		"FROM alpine:3.22@sha256:" + strings.Repeat("0", 64) + "\n":  0,
	} {
		if got := findUnpinned(text); len(got) != faults {
			t.Errorf("%q: %q, want %d faults", text, got, faults)
		}
	}
}

// TestToolchainIsNamed: what is released is built with the Go that go.mod names to
// its patch, and workflows take that one.
func TestToolchainIsNamed(t *testing.T) {
	t.Parallel()
	text := readPage(t, "go.mod")
	language := regexp.MustCompile(`(?m)^go (1\.\d+)\.\d+$`).FindStringSubmatch(text)
	toolchain := regexp.MustCompile(`(?m)^toolchain go(1\.\d+)\.\d+$`).FindStringSubmatch(text)
	if language == nil || toolchain == nil || language[1] != toolchain[1] {
		t.Errorf("go.mod names the language %q and the toolchain %q", language, toolchain)
	}
	for _, file := range []string{".github/workflows/test.yml", ".github/workflows/release.yml"} {
		text := readPage(t, file)
		if takes, named := strings.Count(text, "actions/setup-go@"), strings.Count(text, "go-version-file: go.mod"); takes != named || takes == 0 {
			t.Errorf("%s sets Go up %d times, %d times as go.mod names it", file, takes, named)
		}
	}
}

// TestReleaseIsAttested: every file of a release and its image are attested, and it
// is a draft until each of them was verified.
func TestReleaseIsAttested(t *testing.T) {
	t.Parallel()
	var w struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			Permissions map[string]string
			Steps       []struct {
				Uses, Run string
				With      map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(readPage(t, ".github/workflows/release.yml")), &w); err != nil {
		t.Fatal(err)
	}
	job := w.Jobs["release"]
	if w.Permissions["contents"] != "read" || len(w.Permissions) != 1 || job.Permissions["id-token"] != "write" || job.Permissions["attestations"] != "write" {
		t.Errorf("the workflow may %v, its job %v", w.Permissions, job.Permissions)
	}
	var order []string
	for _, s := range job.Steps {
		switch {
		case strings.HasPrefix(s.Uses, "actions/attest@"):
			order = append(order, s.With["subject-checksums"]+strings.Join(strings.Fields(s.With["subject-path"]), " ")+s.With["subject-name"])
		case strings.HasPrefix(s.Uses, "goreleaser/goreleaser-action@"):
			order = append(order, "draft")
		case strings.Contains(s.Run, "gh release edit") && strings.Index(s.Run, "gh attestation verify") < strings.Index(s.Run, "--draft=false"):
			order = append(order, "verify, publish")
		}
	}
	want := []string{"draft", ".parley/dist/checksums.txt", ".parley/dist/checksums.txt .parley/parley.rb", "${{ steps.image.outputs.name }}", "verify, publish"}
	if !slices.Equal(order, want) {
		t.Errorf("a release goes %q, not %q", order, want)
	}
	var c struct {
		Release struct{ Draft bool }
		Digest  struct {
			Name string `yaml:"name_template"`
		} `yaml:"docker_digest"`
	}
	if err := yaml.Unmarshal([]byte(readPage(t, ".goreleaser.yaml")), &c); err != nil || !c.Release.Draft || c.Digest.Name != "digests.txt" {
		t.Errorf("a release is no draft, or its image has no digest: %+v, %v", c, err)
	}
}

// TestNoticesAreFresh: docs/notices.txt has the licences of all that is linked into
// the programs of a release, for each of its systems, and of nothing else.
func TestNoticesAreFresh(t *testing.T) {
	t.Parallel()
	const page = "../docs/notices.txt"
	p := exec.Command("go", "run", "./.ci/notices")
	p.Dir, p.Env = "..", append(os.Environ(), "GOFLAGS=-buildvcs=false")
	made, err := p.Output()
	if err != nil {
		var failed *exec.ExitError
		errors.As(err, &failed)
		t.Fatalf("%v\n%s", err, failed.Stderr)
	}
	if cmdtest.Updating() {
		if err := os.WriteFile(page, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(page); err != nil || string(kept) != string(made) {
		t.Errorf("docs/notices.txt is not of what is linked now (%v): go test ./cmd -run TestNoticesAreFresh -update", err)
	}
	var c releaseSystems
	if err := yaml.Unmarshal([]byte(readPage(t, ".goreleaser.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(made), "\n\n")
	for _, b := range c.Builds {
		if system := b.Goos[0] + "/" + b.Goarch[0]; !strings.Contains(head, system) {
			t.Errorf("the notices are not of %s", system)
		}
	}
	for _, file := range []string{".goreleaser.yaml", ".ci/macos", ".ci/Dockerfile"} {
		if !strings.Contains(readPage(t, file), ".parley/release/licenses") {
			t.Errorf("%s packs no notices", file)
		}
	}
	for i, packed := range [][]struct{ Src string }{c.Archives[0].Files, c.Nfpms[0].Contents} {
		if !slices.Contains(packed, struct{ Src string }{".parley/release/licenses/*"}) {
			t.Errorf("archives and packages have %v, %d without the notices", packed, i)
		}
	}
}

// releaseSystems is what .goreleaser.yaml builds, and packs.
type releaseSystems struct {
	Builds   []struct{ Goos, Goarch []string }
	Archives []struct{ Files []struct{ Src string } }
	Nfpms    []struct{ Contents []struct{ Src string } }
}

// TestScannersRun: vulnerabilities and careless code are looked for by the workflow
// and by .ci/run.
func TestScannersRun(t *testing.T) {
	t.Parallel()
	for _, file := range []string{".github/workflows/test.yml", ".ci/run"} {
		for _, scanner := range []string{"golang.org/x/vuln/cmd/govulncheck@v", "gosec"} {
			if !strings.Contains(readPage(t, file), scanner) {
				t.Errorf("%s runs no %s", file, scanner)
			}
		}
	}
	if !strings.Contains(readPage(t, ".golangci.yml"), "    - gosec\n") {
		t.Error(".golangci.yml does not enable gosec")
	}
}
