//go:build !windows

package cmd_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas/assert"
)

// releaseConfig is the part of .goreleaser.yaml that can become outdated.
type releaseConfig struct {
	Version int
	Builds  []struct {
		ID, Main, Binary string
		Goos, Goarch     []string
		Flags, Ldflags   []string
		Env              []string
	}
	Archives []struct {
		NameTemplate string `yaml:"name_template"`
		Files        []struct{ Src string }
	}
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
	}
	Nfpms []struct {
		Contents []struct{ Src, Dst string }
	}
	Dockers []struct {
		Dockerfile string
		IDs        []string
	} `yaml:"dockers_v2"`
	Before struct{ Hooks []string }
}

func release(t *testing.T) releaseConfig {
	t.Helper()
	var c releaseConfig
	assert.NoError(t, yaml.Unmarshal(repository(t, ".goreleaser.yaml"), &c))
	assert.Must(t, c.Version == 2 && len(c.Builds) == 3 && len(c.Archives) == 1 && len(c.Nfpms) == 1 && len(c.Dockers) == 1,
		".goreleaser.yaml is read as %+v", c)
	return c
}

// TestReleaseArchives: the release makes the files that action, formula, macOS, docs and README fetch.
func TestReleaseArchives(t *testing.T) {
	t.Parallel()
	c := release(t)
	name := func(version, system, arch string) string {
		return strings.NewReplacer("{{ .Version }}", version, "{{ .Os }}", system, "{{ .Arch }}", arch).Replace(c.Archives[0].NameTemplate) + ".tar.gz"
	}
	for _, page := range []string{"docs/ci.md", "README.md"} {
		linux := name("0.1.0", "linux", "amd64")
		assert.Contains(t, string(repository(t, page)), "/v0.1.0/"+linux, "%s does not fetch %s", page, linux)
	}
	for file, want := range map[string]string{
		".github/action/install": name("${version#v}", "${system}", "$arch"),
		".ci/macos":              strings.TrimSuffix(name("${version}", "darwin", "$arch"), ".tar.gz"),
	} {
		assert.Contains(t, string(repository(t, file)), `"`+want+`"`, "%s knows no %s", file, want)
	}
	var sums strings.Builder
	for i, target := range []string{"darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64"} {
		system, arch, _ := strings.Cut(target, "_")
		fmt.Fprintf(&sums, "%s  %s\n", strings.Repeat(fmt.Sprint(i), 64), name("0.1.0", system, arch))
	}
	checksums := filepath.Join(t.TempDir(), c.Checksum.NameTemplate)
	writeFile(t, checksums, sums.String(), 0o600)
	formula(t, checksums, sums.String())
}

func formula(t *testing.T, checksums, sums string) {
	t.Helper()
	out := assert.Value(exec.Command("bash", "../.ci/formula", "v0.1.0", checksums).Output())(t)
	for line := range strings.Lines(sums) {
		sum, archive, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want := regexp.MustCompile(`url "https://github\.com/parley-npc/parley/releases/download/v0\.1\.0/` +
			regexp.QuoteMeta(archive) + `"\n\s+sha256 "` + sum + `"`)
		assert.True(t, want.Match(out), "the formula has not %s with its checksum:\n%s", archive, out)
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		p := exec.Command(ruby, "-c")
		p.Stdin = strings.NewReader(string(out))
		said, err := p.CombinedOutput()
		assert.NoError(t, err, "the formula is no Ruby: %v\n%s", err, said)
	}
	lines := strings.SplitAfter(sums, "\n")
	writeFile(t, checksums, strings.Join(lines[1:], ""), 0o600)
	if out, err := exec.Command("bash", "../.ci/formula", "v0.1.0", checksums).Output(); err == nil || len(out) > 0 {
		t.Errorf("a formula without an archive for macOS: %v\n%s", err, out)
	}
}

func TestReleaseNotes(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log.md")
	writeFile(t, log, "# Changelog\n\n## Unreleased\n\n- c\n\n## 0.2.0 (2026-12-01)\n\n- b\n- `x`\n\n## 0.1.0\n\n- a\n", 0o600)
	for version, want := range map[string]string{"v0.2.0": "\n- b\n- `x`\n", "0.1.0": "\n- a\n", "0.3.0": "", "0": "", "0.1": ""} {
		got, err := exec.Command("bash", "../.ci/notes", version, log).Output()
		assert.Equal(t, string(got), want, "%s %v", version, err)
		assert.Equal(t, err == nil, want != "", "%s %v", version, err)
	}
}

// TestImageDigest: the attestation is about one image, by its digest.
func TestImageDigest(t *testing.T) {
	t.Parallel()
	digests := filepath.Join(t.TempDir(), "digests.txt")
	one, other := strings.Repeat("1", 64), strings.Repeat("2", 64)
	const name = "ghcr.io/parley-npc/parley"
	for text, want := range map[string]string{
		one + "  " + name + ":0.1.0\n" + one + "  " + name + ":latest\n":   "name=" + name + "\ndigest=sha256:" + one + "\n",
		one + "  " + name + ":0.1.0\n" + other + "  " + name + ":latest\n": "",
		one + "  " + name + ":0.1.0\n" + one + "  ghcr.io/b:latest\n":      "",
		"  " + name + ":0.1.0\n": "",
		"":                       "",
	} {
		writeFile(t, digests, text, 0o600)
		got, err := exec.Command("bash", "../.ci/imagedigest", digests).Output()
		assert.Equal(t, string(got), want, "%q %v", text, err)
		assert.Equal(t, err == nil, want != "", "%q %v", text, err)
	}
}
