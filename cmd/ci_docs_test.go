//go:build !windows

package cmd_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

func repository(t *testing.T, name string) []byte {
	t.Helper()
	text := assert.Value(os.ReadFile(filepath.Join("..", filepath.FromSlash(name))))(t)
	return text
}

func unyaml(t *testing.T, text []byte, into any) {
	t.Helper()
	d, err := yaml.NewLoader(strings.NewReader(string(text)), yaml.WithKnownFields())
	if err == nil {
		err = d.Load(into)
	}
	assert.NoError(t, err, text)
}

func pipelineDocs(t *testing.T, language string) []string {
	t.Helper()
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(repository(t, "docs/ci.md"), -1) {
		blocks = append(blocks, string(m[1]))
	}
	return blocks
}

// project makes a repository with samples and plays, and a PATH with this parley and a curl that returns a release.
func project(t *testing.T) (folder string, env []string) {
	t.Helper()
	folder, bin := t.TempDir(), t.TempDir()
	copyFiles(t, "../personas/examples/*.yaml", filepath.Join(folder, "personas"))
	copyFiles(t, "../personas/examples/plays/*.yaml", filepath.Join(folder, "plays"))
	plays, _ := filepath.Glob(filepath.Join(folder, "plays", "*"))
	for _, play := range plays {
		text := assert.Value(os.ReadFile(play))(t)
		writeFile(t, play, strings.ReplaceAll(string(text), "persona: ../", "persona: ../personas/"), 0o600)
	}
	writeFile(t, filepath.Join(folder, "compose.yaml"), "services: {web: {image: nginx}}\n", 0o600)
	assert.NoError(t, os.Symlink(os.Args[0], filepath.Join(bin, "parley")))
	writeFile(t, filepath.Join(bin, "curl"), "#!/bin/sh\ncase $4 in\n*/checksums.txt) cd \"$(dirname \"$3\")\" && sha256sum *.tar.gz > checksums.txt ;;\n*) tar -czhf \"$3\" -C '"+bin+"' parley ;;\nesac\n", 0o700)
	return folder, append(os.Environ(), cmdtest.AsParley+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+folder,
		"GITHUB_STEP_SUMMARY=", "PARLEY_SERVER=http://127.0.0.1:1")
}

func copyFiles(t *testing.T, glob, to string) {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash(glob))
	assert.Must(t, err == nil && len(files) != 0, "no %s: %v", glob, err)
	assert.NoError(t, os.MkdirAll(to, 0o700))
	for _, file := range files {
		text := assert.Value(os.ReadFile(file))(t)
		writeFile(t, filepath.Join(to, filepath.Base(file)), string(text), 0o600)
	}
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	assert.NoError(t, os.WriteFile(name, []byte(text), mode))
}

func bash(t *testing.T, folder string, env []string, script string) (said string, err error) {
	t.Helper()
	p := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
	p.Dir, p.Env = folder, env
	out, err := p.CombinedOutput()
	return string(out), err
}

type workflowStep struct {
	ID   string            `yaml:"id"`
	Uses string            `yaml:"uses"`
	If   string            `yaml:"if"`
	Run  string            `yaml:"run"`
	With map[string]string `yaml:"with"`
}

// workflow is what docs/ci.md shows for GitHub.
type workflow struct {
	Name        string `yaml:"name"`
	On          any    `yaml:"on"`
	Permissions any    `yaml:"permissions"`
	Concurrency string `yaml:"concurrency"`
	Jobs        map[string]struct {
		RunsOn string            `yaml:"runs-on"`
		Env    map[string]string `yaml:"env"`
		Steps  []workflowStep    `yaml:"steps"`
	} `yaml:"jobs"`
}

// TestPipelineDocs runs every example of docs/ci.md: shell, GitHub's and GitLab's steps, and hooks.
func TestPipelineDocs(t *testing.T) {
	t.Parallel()
	scripts, files := pipelineDocs(t, "sh"), pipelineDocs(t, "yaml")
	assert.Must(t, len(scripts) == 2 && len(files) == 5,
		"docs/ci.md has %d scripts and %d files", len(scripts), len(files))
	folder, env := project(t)
	for _, script := range scripts {
		said, err := bash(t, folder, env, script)
		assert.NoError(t, err, "%v:\n%s\n%s", err, script, said)
	}
	for _, file := range files {
		switch {
		case strings.HasPrefix(file, "repos:"):
			preCommitConfig(t, folder, env, file)
		case strings.HasPrefix(file, "name: publish"): // TestPublishJob
		case strings.HasPrefix(file, "name:"):
			githubWorkflow(t, folder, env, file)
		default:
			gitlabJob(t, folder, env, file)
		}
	}
	for _, made := range []string{"lint.xml", "plays.xml", "prove.json", "coverage.json"} {
		info, err := os.Stat(filepath.Join(folder, made))
		assert.NoError(t, err, "the examples made no %s", made)
		assert.True(t, info.Size() != 0, "the examples made no %s", made)
	}
}

func preCommitConfig(t *testing.T, folder string, env []string, file string) {
	t.Helper()
	var config struct {
		Repos []struct {
			Repo, Rev string
			Hooks     []struct {
				ID   string
				Args []string
			}
		}
	}
	unyaml(t, []byte(file), &config)
	for _, use := range config.Repos[0].Hooks {
		h, ok := hooks(t)[use.ID]
		assert.True(t, ok, "docs/ci.md uses the hook %s, which is not in .pre-commit-hooks.yaml", use.ID)
		if use.Args != nil {
			h.Args = use.Args
		}
		said, err := h.run(folder, env)
		assert.NoError(t, err, "the hook %s: %v\n%s", use.ID, err, said)
	}
}

func githubWorkflow(t *testing.T, folder string, env []string, file string) {
	t.Helper()
	var w workflow
	unyaml(t, []byte(file), &w)
	for _, s := range w.Jobs["personas"].Steps {
		if strings.HasPrefix(s.Uses, "parley-npc/parley@") {
			p := runAction(t, folder, env, s.With)
			assert.NoError(t, p.err, "the action with %v: %v\n%s", s.With, p.err, p.said)
		}
		if s.Run == "" {
			continue
		}
		said, err := bash(t, folder, env, s.Run)
		assert.NoError(t, err, "%s: %v\n%s", s.Run, err, said)
	}
}

func gitlabJob(t *testing.T, folder string, env []string, file string) {
	t.Helper()
	var jobs map[string]struct {
		Image     any
		Script    []string
		Artifacts any
	}
	unyaml(t, []byte(file), &jobs)
	said, err := bash(t, folder, env, strings.Join(jobs["personas"].Script, "\n"))
	assert.NoError(t, err, "GitLab's job: %v\n%s", err, said)
	assert.True(t, len(jobs["personas"].Script) != 0, "GitLab's job: %v\n%s", err, said)
}

type hook struct {
	ID            string   `yaml:"id"`
	Name          string   `yaml:"name"`
	Description   string   `yaml:"description"`
	Entry         string   `yaml:"entry"`
	Args          []string `yaml:"args"`
	Language      string   `yaml:"language"`
	Files         string   `yaml:"files"`
	PassFilenames bool     `yaml:"pass_filenames"`
}

func hooks(t *testing.T) map[string]hook {
	t.Helper()
	var list []hook
	unyaml(t, repository(t, ".pre-commit-hooks.yaml"), &list)
	byID := map[string]hook{}
	for _, h := range list {
		byID[h.ID] = h
	}
	return byID
}

func (h hook) run(folder string, env []string) (said string, err error) {
	words := append(strings.Fields(h.Entry), h.Args...)
	p := exec.Command("bash", append([]string{"-c", `exec "$@"`, "hook"}, words...)...)
	p.Dir, p.Env = folder, env
	out, err := p.CombinedOutput()
	return string(out), err
}

// TestPreCommitHooks: each hook passes a sound repository, fails a mistake, and builds this module's program.
func TestPreCommitHooks(t *testing.T) {
	t.Parallel()
	programs, err := exec.Command("go", "list", "-f", "{{if eq .Name \"main\"}}{{.ImportPath}}{{end}}", "../...").Output()
	assert.NoError(t, err, "pre-commit builds the programs %q", programs)
	assert.Equal(t, strings.TrimSpace(string(programs)), "github.com/parley-npc/parley/cmd/parley", "pre-commit builds the programs %q", programs)
	mistakes := map[string][2]string{
		"parley-lint": {"max_redirects: 4", "max_redirects: many"},
		"parley-fmt":  {"machines:\n", "machines:\n\n\n\n"},
		"parley-test": {"pass: The player flatters Biscuit", "pass: The player flatters Biscuit"},
	}
	for id, mistake := range mistakes {
		h, ok := hooks(t)[id]
		assert.Must(t, ok, "there is no hook %s", id)
		if pattern := regexp.MustCompile(h.Files); h.Language != "golang" || h.PassFilenames || !pattern.MatchString("a/b.yaml") || pattern.MatchString("a.md") {
			t.Errorf("the hook %s is %+v", id, h)
		}
		folder, env := project(t)
		if said, err := h.run(folder, env); err != nil {
			t.Errorf("%s over the samples: %v\n%s", id, err, said)
		}
		persona := filepath.Join(folder, "personas", "starter.yaml")
		before := assert.Value(os.ReadFile(persona))(t)
		writeFile(t, persona, strings.Replace(string(before), mistake[0], mistake[1], 1), 0o600)
		if id == "parley-test" {
			writeFile(t, filepath.Join(folder, "plays", "wrong.play.yaml"), "persona: ../personas/starter.yaml\nplayer: {name: Ann, gender: female}\nplays:\n  - name: wrong\n    steps:\n      - say: Beautiful cat\n        expect: {outcome: KICK_OUT}\n", 0o600)
		}
		said, err := h.run(folder, env)
		after, _ := os.ReadFile(persona)
		if id == "parley-fmt" { // pre-commit fails when a hook has changed a file
			assert.Equal(t, string(after), string(before), "%s does not bring the file into its form: %v\n%s", id, err, said)
			assert.NoError(t, err, "%s does not bring the file into its form: %v\n%s", id, err, said)
			continue
		}
		assert.True(t, err != nil, "%s passes over a mistake:\n%s", id, said)
	}
}

func TestProblemMatcher(t *testing.T) {
	t.Parallel()
	var matcher struct {
		ProblemMatcher []struct {
			Owner   string
			Pattern []struct {
				Regexp                                      string
				File, Line, Column, Severity, Message, Code int
			}
		}
	}
	assert.NoError(t, json.Unmarshal(repository(t, ".github/problem-matcher.json"), &matcher))
	pattern := matcher.ProblemMatcher[0].Pattern[0]
	expression := regexp.MustCompile(pattern.Regexp)
	folder, env := project(t)
	writeFile(t, filepath.Join(folder, "bad.yaml"), "name: A\npersona_identity_prompt: Hi {{nobody}}\nmachines: [{machine_key: m}]\n", 0o600)
	for _, format := range []string{"text", "oneline"} {
		said := assert.Value(bash(t, folder, env, "parley persona lint --format "+format+" bad.yaml 2>/dev/null || true"))(t)
		found := 0
		for line := range strings.Lines(said) {
			m := expression.FindStringSubmatch(strings.TrimRight(line, "\n"))
			if m == nil {
				continue
			}
			found++
			assert.Equal(t, m[pattern.File], "bad.yaml", "%s: %q is read as %q", format, line, m)
			assert.True(t, m[pattern.Line] != "", "%s: %q is read as %q", format, line, m)
			assert.True(t, m[pattern.Column] != "", "%s: %q is read as %q", format, line, m)
			assert.True(t, m[pattern.Message] != "", "%s: %q is read as %q", format, line, m)
			assert.True(t, m[pattern.Code] != "", "%s: %q is read as %q", format, line, m)
			assert.True(t, format != "text" || m[pattern.Severity] != "", "%q has no level", line)
		}
		want := len(regexp.MustCompile(` \[[a-z-]+\]\n`).FindAllString(said, -1))
		assert.True(t, found != 0, "--format %s: %d of %d findings are seen:\n%s", format, found, want, said)
		assert.Equal(t, found, want, "--format %s: %d of %d findings are seen:\n%s", format, found, want, said)
	}
}

// TestPublishJob: the job of docs/ci.md publishes, commits parley.lock, and deletes removed personas.
func TestPublishJob(t *testing.T) {
	t.Parallel()
	files := pipelineDocs(t, "yaml")
	var w workflow
	unyaml(t, []byte(files[slices.IndexFunc(files, func(file string) bool { return strings.HasPrefix(file, "name: publish") })]), &w)
	folder, env := project(t)
	data := t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	token, err := bash(t, folder, env, "parley localserver token --user publish@example.com --data '"+data+"'")
	assert.NoError(t, err, token)
	env = append(env, "PARLEY_SERVER="+s.Address, "PARLEY_TOKEN="+strings.TrimSpace(token), "GIT_CONFIG_NOSYSTEM=1", "PARLEY_STATE_DIR="+t.TempDir(), "CI=true")
	git := "git -c user.name=a -c user.email=a@example.com "
	run := func(script string) string {
		t.Helper()
		said, err := bash(t, folder, env, script)
		assert.NoError(t, err, "%s %s", script, said)
		return said
	}
	run("git init -q --bare -b main origin.git && git init -q -b main && git remote add origin ./origin.git && echo origin.git > .gitignore && git add -A && " + git + "commit -q -m one && git push -q -u origin main")
	publish := func() {
		t.Helper()
		for _, step := range w.Jobs["publish"].Steps {
			if step.Run != "" {
				run(step.Run)
			}
		}
	}
	publish()
	all := strings.Count(run("parley persona list --json=name"), `"name"`)
	if all < 3 || strings.TrimSpace(run("git status --porcelain")) != "" || !strings.Contains(run("git log --stat -1 origin/main"), "personas/parley.lock") {
		t.Errorf("%d are public: %s", all, run("git status --porcelain; git log --stat -1 origin/main"))
	}
	// Another machine, on which the lock was not written, after a file was deleted.
	env = append(env, "PARLEY_STATE_DIR="+t.TempDir())
	run("git rm -q personas/starter.yaml && " + git + "commit -q -m gone && git push -q")
	publish()
	left := run("parley persona list --json=name")
	assert.Equal(t, strings.Count(left, `"name"`), all-1, "what was deleted is still public: %s", left)
	assert.NotContains(t, left, "Biscuit", "what was deleted is still public: %s", left)
	assert.NotContains(t, run("git show origin/main:personas/parley.lock"), "starter.yaml", "parley.lock still names the file")
}
