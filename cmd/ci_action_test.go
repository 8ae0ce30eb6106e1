//go:build !windows

package cmd_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

type action struct {
	Name, Description, Author string
	Branding                  map[string]string
	Inputs                    map[string]struct{ Description, Default string }
	Outputs                   map[string]struct{ Description, Value string }
	Runs                      struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

type actionRun struct {
	said, summary string
	outputs       map[string]string
	err           error
}

// runAction runs the steps of action.yml in bash as the runner does, except for the installing.
func runAction(t *testing.T, folder string, env []string, with map[string]string) actionRun {
	t.Helper()
	return runActionIn(t, t.TempDir(), folder, env, with)
}

// runActionIn is runAction in a job with temp as its temporary directory.
func runActionIn(t *testing.T, temp, folder string, env []string, with map[string]string) actionRun {
	t.Helper()
	var a action
	unyaml(t, repository(t, "action.yml"), &a)
	for name := range with {
		_, known := a.Inputs[name]
		assert.True(t, known, "action.yml has no input %s", name)
	}
	top := assert.Value(filepath.Abs(".."))(t)
	env = append(env, "GITHUB_ACTIONS=true", "GITHUB_ACTION_PATH="+top, "RUNNER_TEMP="+temp,
		"GITHUB_OUTPUT="+filepath.Join(temp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"))
	_ = os.Remove(filepath.Join(temp, "output")) // each step has its own
	var p actionRun
	for _, s := range a.Runs.Steps {
		if s.ID == "install" {
			continue
		}
		said, err := bash(t, folder, append(env, a.given(t, s.Env, with)...), s.Run)
		p.said += said
		if err != nil {
			p.err = err
		}
	}
	p.outputs = map[string]string{}
	output, _ := os.ReadFile(filepath.Join(temp, "output"))
	for line := range strings.Lines(string(output)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		p.outputs[name] = value
		assert.Contains(t, a.Outputs[name].Value, "outputs."+name, "action.yml does not pass the output %s on", name)
	}
	summary, _ := os.ReadFile(filepath.Join(temp, "summary"))
	p.summary = string(summary)
	return p
}

func (a action) given(t *testing.T, env, with map[string]string) []string {
	t.Helper()
	var set []string
	for name, value := range env {
		input := regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+)`).FindStringSubmatch(value)
		assert.Must(t, input != nil, "%s: %s is no input", name, value)
		given, ok := with[input[1]]
		if !ok {
			given = a.Inputs[input[1]].Default
		}
		set = append(set, name+"="+given)
	}
	return set
}

// TestAction: the action passes the samples, fails for a mistake with reports, and executes no input.
func TestAction(t *testing.T) {
	t.Parallel()
	folder, env := project(t)
	good := runAction(t, folder, env, map[string]string{"paths": "personas/gate.yaml\n  personas/h*.yaml \n\n",
		"test": "plays/gate.play.yaml", "fail-under": "50"})
	assert.NoError(t, good.err, "over the samples: %v, %v\n%s", good.err, good.outputs, good.said)
	assert.True(t, good.outputs["sarif"] != "", "over the samples: %v, %v\n%s", good.err, good.outputs, good.said)
	assert.True(t, good.outputs["junit"] != "", "over the samples: %v, %v\n%s", good.err, good.outputs, good.said)
	assert.True(t, good.outputs["test-junit"] != "", "over the samples: %v, %v\n%s", good.err, good.outputs, good.said)
	for name, file := range good.outputs {
		info, err := os.Stat(file)
		assert.NoError(t, err, "the output %s is %s: %v", name, file, err)
		assert.True(t, info.Size() != 0, "the output %s is %s: %v", name, file, err)
	}
	assert.Contains(t, good.summary, "### Persona lint", "the summary")
	if untested := runAction(t, folder, env, nil); untested.err != nil || untested.outputs["test-junit"] != "" {
		t.Errorf("without inputs: %v, %v\n%s", untested.err, untested.outputs, untested.said)
	}
	under := runAction(t, folder, env, map[string]string{"test": "plays/starter.play.yaml", "fail-under": "100.0", "paths": "nowhere.yaml"})
	assert.True(t, under.err != nil, "a file that is not there is passed over:\n%s", under.said)
	for name, text := range map[string]string{"paths": "$(touch ran); `touch ran`", "fail-on": "\"; touch ran; \"",
		"test": "--update", "fail-under": "1; touch ran", "only-install": "$(touch ran)"} {
		hostile := runAction(t, folder, env, map[string]string{name: text, "paths": map[bool]string{true: text, false: "personas"}[name == "paths"]})
		if _, err := os.Stat(filepath.Join(folder, "ran")); err == nil || hostile.err == nil && (name == "paths" || name == "fail-on" || name == "test") {
			t.Errorf("%s %q was run, or taken for a flag:\n%s", name, text, hostile.said)
		}
	}
	flag := runAction(t, folder, env, map[string]string{"paths": "--fix"})
	assert.True(t, flag.err != nil, "a path is taken for a flag:\n%s", flag.said)
	writeFile(t, filepath.Join(folder, "bad.yaml"), "name: A\npersona_identity_prompt: Hi\nmachines: [{machine_key: m}]\n", 0o600)
	bad := runAction(t, folder, env, nil)
	assert.True(t, bad.err != nil, "over a mistake: %v, %v\n%s", bad.err, bad.outputs, bad.said)
	assert.Contains(t, bad.said, "::error file=bad.yaml,line=", "over a mistake: %v, %v\n%s", bad.err, bad.outputs, bad.said)
	assert.True(t, bad.outputs["sarif"] != "", "over a mistake: %v, %v\n%s", bad.err, bad.outputs, bad.said)
	only := runAction(t, folder, env, map[string]string{"only-install": "true"})
	if matcher := regexp.MustCompile(`::add-matcher::(.+)`).FindStringSubmatch(only.said); only.err != nil || matcher == nil {
		t.Errorf("only-install: %v\n%s", only.err, only.said)
	} else if _, err := os.Stat(matcher[1]); err != nil {
		t.Error(err)
	}
}

// TestActionTwice: two uses in one job write two sets of reports, and a use without reports outputs none.
func TestActionTwice(t *testing.T) {
	t.Parallel()
	folder, env := project(t)
	temp := t.TempDir()
	first := runActionIn(t, temp, folder, env, map[string]string{"paths": "personas/gate.yaml", "test": "plays/gate.play.yaml"})
	before := readFiles(t, first.outputs)
	writeFile(t, filepath.Join(folder, "bad.yaml"), "name: A\npersona_identity_prompt: Hi\nmachines: [{machine_key: m}]\n", 0o600)
	second := runActionIn(t, temp, folder, env, map[string]string{"paths": "bad.yaml"})
	for name, text := range readFiles(t, first.outputs) {
		assert.Equal(t, text, before[name], "the second use wrote over the first one's %s, %s", name, first.outputs[name])
		assert.True(t, first.outputs[name] != second.outputs[name], "the second use wrote over the first one's %s, %s", name, first.outputs[name])
	}
	assert.True(t, second.outputs["sarif"] != "", "the second use gives %v", second.outputs)
	assert.Equal(t, second.outputs["test-junit"], "", "the second use gives %v", second.outputs)
	third := runActionIn(t, temp, folder, env, map[string]string{"fail-on": "bogus"})
	assert.True(t, third.err != nil, "a use that wrote no report hands out %v", third.outputs)
	assert.Equal(t, len(third.outputs), 0, "a use that wrote no report hands out %v", third.outputs)
}

func readFiles(t *testing.T, outputs map[string]string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for name, file := range outputs {
		text, err := os.ReadFile(file)
		assert.NoError(t, err, "the output %s is %s: %v", name, file, err)
		assert.True(t, len(text) != 0, "the output %s is %s: %v", name, file, err)
		texts[name] = string(text)
	}
	return texts
}

// TestActionInstalls: a release is unpacked only with the right checksum and a verified attestation.
func TestActionInstalls(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the test's release is one for Linux")
	}
	for name, c := range map[string]struct {
		checksum, gh string
		refused      string
	}{
		"sound":                  {"", "exit 0", ""},
		"another file":           {strings.Repeat("0", 64), "exit 0", "differs from the one in checksums.txt of the release"},
		"without a row":          {"none", "exit 0", "checksums.txt of the release does not contain parley_0.1.0_linux"},
		"built by somebody else": {"", "exit 1", "gh could not verify that the release workflow built parley_0.1.0_linux"},
		"gh has no token":        {"", "exit 4", "the output of gh is above"},
		"a machine without gh":   {"", "", "verifying its attestation needs gh, which is not installed"},
		"not a release":          {"", "exit 0", "is not a release of parley"},
		"a release unknown":      {"", "exit 0", "curl"},
	} {
		t.Run(name, func(t *testing.T) {
			version := map[string]string{"not a release": "main", "a release unknown": "v9.9.9"}[name]
			if version == "" {
				version = "v0.1.0"
			}
			said, path, err := install(t, version, c.checksum, c.gh)
			installs := c.refused == ""
			assert.Must(t, (err == nil) == installs && (path != "") == installs && strings.Contains(said, "parley 0.1.0\n") == installs,
				"%v, path %q\n%s", err, path, said)
			assert.Contains(t, said, c.refused, "it does not say %q:\n%s", c.refused, said)
			assert.True(t, strings.Count(said, "::error::") <= 1, "it does not say %q:\n%s", c.refused, said)
			_, err = os.Stat(filepath.Join(path, "parley"))
			assert.True(t, !installs || err == nil, err)
		})
	}
}

func install(t *testing.T, version, checksum, gh string) (said, path string, err error) {
	t.Helper()
	releases, temp, bin := t.TempDir(), t.TempDir(), t.TempDir()
	for _, name := range []string{"bash", "sh", "awk", "curl", "grep", "gzip", "mkdir", "sha256sum", "tar"} {
		assert.NoError(t, os.Symlink(assert.Value(exec.LookPath(name))(t), filepath.Join(bin, name)))
	}
	if gh != "" {
		writeFile(t, filepath.Join(bin, "gh"), "#!/bin/sh\necho \"$@\" > '"+temp+"/asked'\n"+gh+"\n", 0o700)
	}
	archive := "parley_0.1.0_linux_" + runtime.GOARCH + ".tar.gz"
	release := filepath.Join(releases, "v0.1.0")
	assert.NoError(t, os.Mkdir(release, 0o700))
	writeFile(t, filepath.Join(temp, "parley"), "#!/bin/sh\necho parley 0.1.0\n", 0o700)
	out, err := exec.Command("tar", "-czf", filepath.Join(release, archive), "-C", temp, "parley").CombinedOutput()
	assert.NoError(t, err, "%v\n%s", err, out)
	packed := assert.Value(os.ReadFile(filepath.Join(release, archive)))(t)
	row := fmt.Sprintf("%x  %s\n", sha256.Sum256(packed), archive)
	switch checksum {
	case "":
	case "none":
		row = strings.Replace(row, archive, archive+".sbom.json", 1)
	default:
		row = checksum + "  " + archive + "\n"
	}
	writeFile(t, filepath.Join(release, "checksums.txt"), row, 0o600)
	script := assert.Value(filepath.Abs("../.github/action/install"))(t)
	arch := map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
	env := []string{
		"PATH=" + bin, "RUNNER_TEMP=" + temp, "RUNNER_OS=Linux", "RUNNER_ARCH=" + arch, "GITHUB_PATH=" + filepath.Join(temp, "path"),
		"GITHUB_ACTION_PATH=" + temp, "PARLEY_VERSION=" + version, "PARLEY_RELEASES=file://" + releases,
	}
	said, err = bash(t, temp, env, script)
	_, unpacked := os.Stat(filepath.Join(temp, "parley-bin", "parley"))
	assert.Equal(t, unpacked == nil, err == nil, "the release was unpacked: %v, it was refused: %v", unpacked == nil, err)
	asked, _ := os.ReadFile(filepath.Join(temp, "asked"))
	want := "attestation verify " + archive + " --hostname github.com --repo parley-npc/parley --source-ref refs/tags/v0.1.0 " +
		"--signer-workflow parley-npc/parley/.github/workflows/release.yml --deny-self-hosted-runners\n"
	assert.True(t, err != nil || string(asked) == want, "gh was asked for %q, not %q", asked, want)
	added, _ := os.ReadFile(filepath.Join(temp, "path"))
	return said, strings.TrimSpace(string(added)), err
}
