package personafiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	gitTimeout  = time.Minute
	maxListing  = 64 << 20 // bytes
	maxRevision = 1000     // bytes
	maxGitError = 300      // characters
)

// A Revision is a directory of a git repository at a commit.
type Revision struct {
	name   string
	commit string
	folder string
	blobs  map[string]gitFile
}

type gitFile struct {
	object string
	size   int64
}

// CheckRevision returns a usage error for a name that git could interpret as an option.
func CheckRevision(name string) error {
	switch {
	case name == "", strings.HasPrefix(name, "-"), len(name) > maxRevision, strings.ContainsFunc(name, unicode.IsControl):
		return cli.UsageError("--against %.100q: must be a revision of git, such as HEAD, v1.0 or a commit", name)
	}
	return nil
}

var objectName = plaintext.Pattern(`^[0-9a-f]{40,64}$`)

// OpenRevision lists the files of a git revision. An unknown revision is a usage error.
func OpenRevision(ctx context.Context, folder, name string) (*Revision, error) {
	commit, err := runGit(ctx, folder, maxRevision, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	revision := &Revision{name: name, folder: folder, blobs: map[string]gitFile{}}
	revision.commit = strings.TrimSpace(string(commit))
	switch {
	case isUnknownRevision(err):
		return nil, cli.UsageError("--against %s: the repository of %s has no such revision", name, folder)
	case err != nil:
		return nil, fmt.Errorf("read revision %s in the git repository of %s: %w", name, folder, err)
	case !objectName().MatchString(revision.commit):
		return nil, cli.WrapTrouble(fmt.Errorf("git returned no commit for %s", name), "")
	}
	list, err := runGit(ctx, folder, maxListing, "ls-tree", "-r", "-z", "-l", revision.commit)
	if err != nil {
		return nil, fmt.Errorf("list the files of revision %s in the git repository of %s: %w", name, folder, err)
	}
	// Each entry is "mode type object size<TAB>path". Regular files have the mode 100xxx.
	for line := range strings.SplitSeq(string(list), "\x00") {
		head, file, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if len(words) != 4 || !strings.HasPrefix(words[0], "100") || !filepath.IsLocal(filepath.FromSlash(file)) {
			continue
		}
		object := words[2]
		size, err := strconv.ParseInt(words[3], 10, 64)
		if err == nil && objectName().MatchString(object) {
			revision.blobs[file] = gitFile{object, size}
		}
	}
	return revision, nil
}

// ListPersonaFiles returns the files of the revision that may be personas.
func (r *Revision) ListPersonaFiles() []string {
	var found []string
	for file := range r.blobs {
		if MayBePersona(file) && !isInSkippedFolder(file) {
			found = append(found, file)
		}
	}
	slices.Sort(found)
	return found
}

// ReadPersona reads a file of the revision. The result is nil for a missing file. Unless named is
// set, the result is also nil for a file that is not a persona.
func (r *Revision) ReadPersona(ctx context.Context, file string, named bool) (*File, error) {
	blob, there := r.blobs[file]
	if !there {
		return nil, nil
	}
	label := filepath.Join(r.folder, filepath.FromSlash(file)) + " at " + r.name
	if blob.size > personas.MaxFile {
		return nil, cli.AnswerNo("%s is larger than %d MiB, the maximum that a service accepts", label, personas.MaxFile>>20)
	}
	source, err := r.readBlob(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", label, err)
	}
	if !named && !mayContainPersona(source) {
		return nil, nil
	}
	f := readText(file, source, func(picture string) ([]byte, error) {
		return r.readPicture(ctx, path.Join(path.Dir(file), picture))
	}, keepFaults)
	f.Name = label
	if !named && !f.IsPersona() {
		return nil, nil
	}
	for i := range f.Findings {
		f.Findings[i].File = label
	}
	return f, nil
}

func (r *Revision) readPicture(ctx context.Context, file string) ([]byte, error) {
	b, there := r.blobs[file]
	switch {
	case !there:
		return nil, errors.New("this revision has no picture beside the persona file")
	case b.size > int64(portrait.MaxBytes):
		return nil, fmt.Errorf("the picture had %d bytes, at most %d are allowed", b.size, portrait.MaxBytes)
	}
	return r.readBlob(ctx, b)
}

func (r *Revision) readBlob(ctx context.Context, b gitFile) ([]byte, error) {
	return runGit(ctx, r.folder, b.size, "cat-file", "blob", b.object)
}

func isUnknownRevision(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == 1
}

func runGit(ctx context.Context, folder string, maxSize int64, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	args = append([]string{"--no-pager", "--literal-pathspecs"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // git, with words of ours
	cmd.Dir, cmd.Env = folder, gitEnvironment(os.Environ())
	cmd.WaitDelay = time.Second // Child processes of git may outlive git.
	stderr := limitedBuffer{left: 4 << 10}
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, exec.ErrDot) {
		return nil, cli.WrapTrouble(errors.New("there is no git in PATH"), "install git, or compare two files")
	}
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	text, readErr := io.ReadAll(io.LimitReader(stdout, maxSize+1))
	if int64(len(text)) > maxSize {
		cancel()
		_ = cmd.Wait()
		return nil, cli.WrapTrouble(fmt.Errorf("git wrote more than %d bytes", maxSize), "")
	}
	if err := errors.Join(readErr, cmd.Wait()); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		first = plaintext.ClipAfter(terminal.Clean(first), maxGitError, plaintext.Ellipsis)
		return nil, fmt.Errorf("git: %s (%w)", first, err)
	}
	return text, nil
}

// gitEnvironment removes the variables of git hooks and disables prompts, fetches and locks.
func gitEnvironment(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{
			"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
			"GIT_NAMESPACE", "GIT_TRACE", "GIT_EXTERNAL_DIFF", "GIT_PAGER",
		}, name)
	})
	return append(env,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
}

type limitedBuffer struct {
	bytes.Buffer
	left int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.Buffer.Write(p[:n])
	return len(p), nil
}

// NearestFolder returns the nearest existing directory above a file.
func NearestFolder(file string) string {
	folder := filepath.Dir(file)
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}
