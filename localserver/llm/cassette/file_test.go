package cassette

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// conversationRequests returns the questions of a short conversation.
func conversationRequests() []provider.Request {
	judged := newRequest("evaluation", "notes", "Who is there?", "A friend")
	judged.System, judged.Schema = "Judge.", &provider.Schema{Name: "verdict", JSON: []byte(`{"type":"object"}`)}
	return []provider.Request{newRequest("open", "notes"), judged, newRequest("response", "notes", "Who is there?", "A friend")}
}

// TestFormat checks the exact format of the file, because cassettes are kept in git for years.
func TestFormat(t *testing.T) {
	path := tempFile(t)
	rec := openRecorder(t, path)
	a := newFakeAsker("Who is ", "there?")
	for _, r := range conversationRequests() {
		askPieces(t, rec.Wrap(a), r)
	}
	assert.NoError(t, rec.Close())
	if assert.Updating() {
		writeFile(t, "testdata/format.cassette.jsonl", readText(t, path))
	}
	want := readText(t, "testdata/format.cassette.jsonl")
	assert.Equal(t, readText(t, path), want, "it is now")
	assert.Equal(t, loadPlayer(t, "testdata/format.cassette.jsonl").Len(), 3, "answers")
}

// TestRecordingContinues: recorded questions are answered from the file, in a stable order.
func TestRecordingContinues(t *testing.T) {
	a, texts := echoAsker(), map[string]bool{}
	for turn := range 3 {
		path := tempFile(t)
		for i := range conversationRequests() {
			rec := openRecorder(t, path)
			for j := range i + 1 {
				askOnce(t, rec.Wrap(a), conversationRequests()[(j+turn)%3])
			}
			assert.Equal(t, rec.AddedCount(), 1, "added")
			assert.NoError(t, rec.Close())
		}
		texts[readText(t, path)] = true
	}
	assert.Equal(t, len(texts), 1, "asked %v", texts)
	assert.Equal(t, a.countAsked(), 9, "asked %v", texts)
	path := recordAll(t, a, conversationRequests()...)
	before := readText(t, path)
	rec := openRecorder(t, path)
	askOnce(t, rec.Wrap(a), conversationRequests()[1])
	unused := rec.UnusedAnswers()
	assert.True(t, len(unused) == 2 && strings.Contains(unused[0], path+`:3: opening, "notes"`), "unused: %q", unused)
	err := rec.Close()
	assert.True(t, err == nil && readText(t, path) == before, "nothing was added, but the file is now (%v)\n%s", err, readText(t, path))
}

// TestCrash: after a cut last line, the lines before it are played, with a warning.
func TestCrash(t *testing.T) {
	path := recordAll(t, echoAsker(), conversationRequests()...)
	whole := readText(t, path)
	last := strings.LastIndex(strings.TrimSuffix(whole, "\n"), "\n") + 1
	for cut := last; cut <= len(whole); cut += max(1, min(17, len(whole)-1-cut)) {
		writeFile(t, path, whole[:cut])
		p := loadPlayer(t, path)
		complete := cut >= len(whole)-1
		broken := cut > last && !complete
		assert.Equal(t, strings.Contains(p.Note(), "incomplete"), broken, "cut at %d of %d", cut, len(whole))
		assert.Equal(t, p.Len() == 3, complete, "cut at %d of %d", cut, len(whole))
		rec := openRecorder(t, path)
		assert.Equal(t, rec.Note(), p.Note(), "the recorder notes")
		for _, r := range conversationRequests() {
			askOnce(t, rec.Wrap(echoAsker()), r)
		}
		assert.NoError(t, rec.Close())
		got := readText(t, path)
		assert.Must(t, got == whole, "cut at %d, then recorded again:\n%s", cut, got)
	}
}

// TestKilled: if a recorder is not closed, the file contains all answers so far.
func TestKilled(t *testing.T) {
	path := tempFile(t)
	rec := openRecorder(t, path)
	for i, r := range conversationRequests() {
		askOnce(t, rec.Wrap(echoAsker()), r)
		p := loadPlayer(t, path)
		assert.True(t, p.Len() == i+1 && p.Note() == "", "after %d: %d answers, %q", i+1, p.Len(), p.Note())
	}
}

// TestKilledAgain: a cut-off line is removed before anything is appended.
func TestKilledAgain(t *testing.T) {
	path := recordAll(t, echoAsker(), conversationRequests()...)
	whole := readText(t, path)
	writeFile(t, path, whole[:len(whole)-20])
	rec := openRecorder(t, path)
	for _, r := range conversationRequests() {
		askOnce(t, rec.Wrap(echoAsker()), r)
	}
	p := loadPlayer(t, path)
	assert.True(t, p.Len() == 3 && p.Note() == "", "%d answers, %q", p.Len(), p.Note())
}

// TestLatest: of two answers by one model, the latest is replayed, and only that one remains.
func TestLatest(t *testing.T) {
	path := recordAll(t, newFakeAsker("old"), conversationRequests()[0])
	lines := strings.SplitAfter(readText(t, path), "\n")
	writeFile(t, path, strings.Join(lines, "")+strings.ReplaceAll(lines[2], "old", "new"))
	for i := range 2 {
		for _, model := range []string{"", "openai/gpt-4o", "ollama/other"} {
			assert.Equal(t, askOnce(t, loadPlayer(t, path).Asker(model), conversationRequests()[0]).Text, "new", "%d: %q plays", i, model)
		}
		rec := openRecorder(t, path)
		askOnce(t, rec.Wrap(echoAsker()), conversationRequests()[2])
		assert.NoError(t, rec.Close())
	}
	text := readText(t, path)
	assert.True(t, !strings.Contains(text, "old") && strings.Count(text, "new") == 1, "in order it is\n%s", text)
}

func TestBadFiles(t *testing.T) {
	good := readText(t, "testdata/format.cassette.jsonl")
	lines := strings.SplitAfter(good, "\n")
	tests := []struct{ name, text, want string }{
		{"empty", "", "is empty: record it with"},
		{"some text", "hello\n", ":1: the file is not a recording"},
		{"other JSON", `{"name": "Mora"}` + "\n", ":1: the file is not a recording"},
		{"no head", good[len(lines[0]):], ":1: the file is not a recording"},
		{"format 0", `{"cassette":0}` + "\n", ":1: the file is not a recording"},
		{"newer", `{"cassette":2,"made_by":"parley 9","new":"thing"}` + "\n{}\n", ":1: the recording has format 2 and this parley reads 1: update parley"},
		{"newer behind", good + `{"cassette":2}` + "\n", ":7: the recording has format 2"},
		{"garbage", good + "hello\n", ":7: the line is damaged: not valid JSON"},
		{"a whole line without an end", good + `{"step":"open"}`, ":7: the line is damaged: the question or the answer is missing"},
		{"cut in the middle", lines[0] + lines[1][:40] + "\n" + lines[2], ":2: the line is damaged"},
		{"merge marks", lines[0] + "<<<<<<< HEAD\n", ":2: the line is damaged: the line is a merge conflict marker"},
		{"merge marks, middle", lines[0] + "=======\n", "the line is a merge conflict marker"},
		{"two values", lines[0] + "{} {}\n", "more than one JSON value"},
		{"neither", lines[0] + "{}\n", "neither a question with an answer nor a text"},
		{"unknown member", lines[0] + `{"systme":"a"}` + "\n", `unknown field "systme"`},
		{"other text", strings.Replace(good, "Judge.", "Judge!", 1), ":4: the line is damaged: the text does not match its hash"},
		{"text is not there", strings.Replace(good, lines[1], "", 1), ":2: the line is damaged: this line refers to the instructions"},
		{"other question", strings.Replace(good, "A friend", "A foe", 1), ": the line is damaged: the question does not match its hash"},
		{"other schema", strings.Replace(good, `"verdict"`, `"verdicts"`, 1), "the question does not match its hash"},
		{"both", strings.Replace(good, `"pieces"`, `"text":"a","pieces"`, 1), "both text and pieces"},
		{"end", strings.Replace(good, `"stop"`, `"stopped"`, 1), `unknown finish "stopped"`},
		{"a number", strings.Replace(good, `"in":12`, `"in":"12"`, 1), "not valid JSON of this format"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := tempFile(t)
			writeFile(t, path, tt.text)
			_, err := Load(path)
			assert.Must(t, err != nil)
			assert.Contains(t, err.Error(), tt.want)
			assert.Contains(t, err.Error(), path)
			assert.True(t, !strings.ContainsAny(err.Error(), "\n"), err)
			if tt.name == "empty" {
				return
			}
			_, again := Open(path, testOptions())
			assert.True(t, again != nil && again.Error() == err.Error(), "to record: %v", again)
			assert.Equal(t, readText(t, path), tt.text, "%s: the file was touched", tt.name)
		})
	}
	_, err := Load(filepath.Join(t.TempDir(), "no.jsonl"))
	assert.True(t, errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "--llm-record"), "no file: %v", err)
	_, err = Load(t.TempDir())
	assert.True(t, err != nil, "a folder is loaded")
}

// TestHandMade: typical edits by people and their tools are harmless.
func TestHandMade(t *testing.T) {
	good := readText(t, "testdata/format.cassette.jsonl")
	for name, text := range map[string]string{
		"line ends":     strings.ReplaceAll(good, "\n", "\r\n"),
		"blank lines":   strings.ReplaceAll(good, "\n", "\n\n \n"),
		"no last end":   strings.TrimSuffix(good, "\n"),
		"two merged":    good + good,
		"spaces":        strings.ReplaceAll(good, `{"step":"open"`, ` { "step" : "open"`),
		"another reply": strings.ReplaceAll(good, "there?", "here?"),
	} {
		t.Run(name, func(t *testing.T) {
			path := tempFile(t)
			writeFile(t, path, text)
			if name == "another reply" {
				text = strings.ReplaceAll(text, `"assistant","text":"Who is here?"`, `"assistant","text":"Who is there?"`)
				writeFile(t, path, text)
			}
			p := loadPlayer(t, path)
			pieces, _ := askPieces(t, p.Asker(""), conversationRequests()[0])
			want := len(pieces) == 2 && (pieces[1] == "there?" || name == "another reply" && pieces[1] == "here?")
			assert.True(t, want && p.Note() == "", "%q, note %q", pieces, p.Note())
			rec := openRecorder(t, path)
			askOnce(t, rec.Wrap(echoAsker()), newRequest("response", "more"))
			assert.NoError(t, rec.Close())
			if n := loadPlayer(t, path).Len(); n != 4 {
				t.Errorf("%d answers after one more\n%s", n, readText(t, path))
			}
		})
	}
}

// TestRights: writing the file removes other users' permissions, also without a new answer, and
// keeps links to it.
func TestRights(t *testing.T) {
	path := recordAll(t, echoAsker(), conversationRequests()...)
	if runtime.GOOS == "windows" {
		t.Skip("there are no such rights here")
	}
	link := filepath.Join(t.TempDir(), "link")
	assert.NoError(t, os.Symlink(path, link))
	for asks := range 2 {
		assert.NoError(t, os.Chmod(path, 0o666))
		rec := openRecorder(t, link)
		for range asks {
			askOnce(t, rec.Wrap(echoAsker()), newRequest("response", "more"))
		}
		assert.NoError(t, rec.Close())
		info := assert.Value(os.Stat(path))(t)
		assert.Equal(t, info.Mode().Perm(), 0o600, "after %d answers", asks)
	}
	assert.Equal(t, loadPlayer(t, path).Len(), 4)
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is now %v", info.Mode())
	}
	left := assert.Value(os.ReadDir(filepath.Dir(path)))(t)
	assert.Equal(t, len(left), 1, "beside the file there are %v", left)
}

// TestReadOnly: a file that cannot be written is played, and not recorded to.
func TestReadOnly(t *testing.T) {
	path := recordAll(t, echoAsker(), conversationRequests()...)
	assert.NoError(t, os.Chmod(path, 0o400))
	assert.Equal(t, loadPlayer(t, path).Len(), 3, "it cannot be played")
	if file, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
		_ = file.Close()
		t.Skip("whoever runs this may write everything")
	}
	_, err := Open(path, testOptions())
	assert.ErrorIs(t, err, fs.ErrPermission)
}

func TestNoFile(t *testing.T) {
	for _, path := range []string{os.DevNull, t.TempDir()} {
		t.Run(path, func(t *testing.T) {
			_, err := Open(path, testOptions())
			assert.ErrorContains(t, err, "is not a regular file")
		})
	}
}

// TestLongLines: a line of the maximum length is read and written, and one more byte is refused.
func TestLongLines(t *testing.T) {
	path := recordAll(t, newFakeAsker("x"), newRequest("response", ""))
	lines := strings.SplitAfter(readText(t, path), "\n")
	room := maxLine - (len(lines[2]) - 1)
	for _, past := range []int{0, 1} {
		t.Run(fmt.Sprint(past), func(t *testing.T) {
			path, r := tempFile(t), newRequest("response", strings.Repeat(" ", room+past))
			rec := openRecorder(t, path)
			_, err := rec.Wrap(newFakeAsker("x")).Ask(t.Context(), r, nil)
			if past == 1 && (kindOf(err) != provider.Down || !strings.Contains(err.Error(), "longer than 8388608 bytes")) || past == 0 && err != nil {
				t.Errorf("%d past the limit: %v", past, err)
			}
			assert.NoError(t, rec.Close())
			assert.Equal(t, loadPlayer(t, path).Len(), 1-past, "%d past the limit", past)
		})
	}
	head := lines[0]
	for past, want := range map[int]string{0: "not valid JSON of this format", 1: "longer than 8388608 bytes"} {
		t.Run(fmt.Sprint(past), func(t *testing.T) {
			_, err := parseFile("f", []byte(head+strings.Repeat("x", maxLine+past)+"\n"))
			assert.ErrorContains(t, err, want, "%d past the limit", past)
		})
	}
}

// FuzzParse: a file is refused with a line number, or read and written unchanged.
func FuzzParse(f *testing.F) {
	good := readText(f, "testdata/format.cassette.jsonl")
	f.Add([]byte(good))
	f.Add([]byte(good[:len(good)-30]))
	f.Add([]byte(strings.ReplaceAll(good, "\n", "\r\n")))
	f.Add([]byte(`{"cassette":2}`))
	f.Add([]byte(`{"cassette":1}` + "\n\n<<<<<<<\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := parseFile("f", data)
		if err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "f:") || len(data) == 0, "no line: %v", err)
			return
		}
		if first.size > len(data) || first.torn == "" && first.size != len(data) {
			t.Errorf("%d of %d bytes are whole", first.size, len(data))
		}
		text := []byte(`{"cassette":1}` + "\n")
		systems := map[string]string{}
		for _, e := range first.entries {
			lines := assert.Value(linesOf(e, systems))(t)
			systems[shortHash(e.question.system)] = e.question.system
			text = append(text, lines...)
		}
		second, err := parseFile("f", text)
		assert.Must(t, err == nil && len(second.entries) == len(first.entries), "written again: %v\n%s", err, text)
		for i, e := range second.entries {
			was := first.entries[i]
			assert.Equal(t, e.digest, was.digest)
			assert.DeepEqual(t, e.toAnswer(provider.Request{}), was.toAnswer(provider.Request{}))
			assert.Equal(t, fmt.Sprint(e.answer.toPieces()), fmt.Sprint(was.answer.toPieces()))
		}
	})
}
