package cmdtest

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// RunScripts runs every script in the package's testdata/script with the real program. Besides
// testscript's own commands there are:
//
//	serve [FLAG...]   start parley localserver on $WORK/data, again at the same
//	                  address; sets $PARLEY_SERVER
//	halt              stop it as Ctrl-C does; fails unless it exits with 0
//	crash             kill it
//	token USER        set $PARLEY_TOKEN for a user of it
//	nobody            be nobody: no token, and no sign-in file to be found
//	big FILE SIZE     write a file of that many MiB
//	binary FILE       write a file of bytes that are not text
//	clip FILE BYTES   cut so many bytes off the end of a file
//	derive FILE NEW [OLD TEXT]...
//	                  copy a file with texts replaced; \n is a line end
//	newer FOLDER      make a data folder with a database of a later version
//	capture NAME      set an environment variable to the last stdout
//	exits CODE ARG... run parley and compare the exit code
//	writer FILE...    start a model that answers with the files in turn; sets
//	                  $LLM_URL and $OPENAI_API_KEY
//	actor             start an Ollama with a model that plays; sets $OLLAMA_HOST
//	untime FILE       set every time in a JUnit report to 0.000
//	visitor ADDRESS   as a browser: sign in as $VISITOR on the page there
//	game METHOD PATH [BODY]
//	                  call the SDK side with $KEY and $LLM_KEY; status and body
//	                  are the stdout
func RunScripts(t *testing.T) {
	t.Helper()
	t.Parallel()
	top := RepositoryRoot(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("GORACE", os.Getenv("GORACE"))
			for _, kind := range []string{"CONFIG", "DATA", "STATE"} {
				e.Setenv("PARLEY_"+kind+"_DIR", filepath.Join(e.WorkDir, strings.ToLower(kind)))
			}
			var none *Server
			e.Values[serverKey{}] = &none
			// A copy, because saving a persona creates parley.lock.
			examples := filepath.Join(e.WorkDir, ".tmp", "examples")
			e.Setenv("EXAMPLES", examples)
			cassettes, err := filepath.Abs("testdata/cassette")
			if err != nil {
				return err
			}
			e.Setenv("CASSETTES", cassettes)
			return os.CopyFS(examples, os.DirFS(filepath.Join(top, "personas", "examples")))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": serve, "halt": stopServer, "crash": killServer, "token": setToken, "nobody": forgetToken,
			"big": big, "binary": binary, "newer": newer, "capture": capture, "exits": exits, "game": game,
			"writer": startWriter, "clip": clip, "derive": derive, "untime": untime, "actor": serveActor,
		},
	})
}

func running(ts *testscript.TestScript) **Server { return ts.Value(serverKey{}).(**Server) }

type serverKey struct{}

func serve(ts *testscript.TestScript, _ bool, args []string) {
	listen, err := FreeAddress()
	ts.Check(err)
	if s := *running(ts); s != nil {
		listen = strings.TrimPrefix(s.Address, "http://") // remembered sessions contain the address
	}
	p := exec.Command(os.Args[0], append([]string{"localserver", "--listen", listen}, args...)...)
	p.Env = append(os.Environ(), AsParley+"=1", "PARLEY_DATA_DIR="+ts.MkAbs("data"), "HOME="+ts.Getenv("HOME"),
		"OLLAMA_HOST="+ts.Getenv("OLLAMA_HOST"))
	log, err := os.OpenFile(ts.MkAbs("server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	p.Stderr = log
	s, err := StartServer(p)
	_ = log.Close()
	ts.Check(err)
	ts.Setenv("PARLEY_SERVER", s.Address)
	*running(ts) = s
	ts.Defer(s.Kill)
}

func stopServer(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check((*running(ts)).Interrupt())
}

func killServer(ts *testscript.TestScript, _ bool, _ []string) {
	(*running(ts)).Kill()
}

func setToken(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("parley", "localserver", "token", "--data", ts.MkAbs("data"), "--user", args[0]))
	ts.Setenv("PARLEY_TOKEN", strings.TrimSpace(ts.ReadFile("stdout")))
}

func forgetToken(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("PARLEY_TOKEN", "")
	ts.Setenv("PARLEY_DATA_DIR", ts.MkAbs("elsewhere"))
}

func big(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { _ = f.Close() }()
	var mib int64
	_, err = fmt.Sscan(args[1], &mib)
	ts.Check(err)
	ts.Check(f.Truncate(mib << 20))
}

func binary(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("name: \"\x1b]0;title\x07\x00\x01\xff\"\n"), 0o600))
}

func derive(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	for pair := range slices.Chunk(args[2:], 2) {
		old, with := strings.ReplaceAll(pair[0], `\n`, "\n"), strings.ReplaceAll(pair[1], `\n`, "\n")
		if !strings.Contains(text, old) {
			ts.Fatalf("%s does not contain %q", args[0], old)
		}
		text = strings.ReplaceAll(text, old, with)
	}
	path := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o777))
	ts.Check(os.WriteFile(path, []byte(text), 0o666))
}

func newer(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--data", dir)
	p.Env = append(os.Environ(), AsParley+"=1")
	s, err := StartServer(p)
	ts.Check(err)
	ts.Check(s.Interrupt())
	db, err := sql.Open("sqlite3", filepath.Join(dir, "parley.db"))
	ts.Check(err)
	_, err = db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	ts.Check(errors.Join(err, db.Close()))
}

func capture(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec("parley", args[1:]...)
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("parley %s: exit code %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

func game(ts *testscript.TestScript, _ bool, args []string) {
	r, err := http.NewRequest(args[0], ts.Getenv("PARLEY_SERVER")+"/api/v1/sdk"+args[1],
		strings.NewReader(strings.Join(args[2:], "")))
	ts.Check(err)
	for header, name := range map[string]string{"X-API-Key": "KEY", "X-LLM-API-Key": "LLM_KEY"} {
		if value := ts.Getenv(name); value != "" {
			r.Header.Set(header, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d\n%s", answer.StatusCode, body)
	ts.Check(err)
}

func serveActor(ts *testscript.TestScript, _ bool, _ []string) {
	s := StartActor()
	ts.Defer(s.Close)
	ts.Setenv("OLLAMA_HOST", s.URL)
}

func startWriter(ts *testscript.TestScript, _ bool, args []string) {
	var texts []string
	for _, name := range args {
		texts = append(texts, ts.ReadFile(name))
	}
	w := NewScriptedModel(texts...)
	ts.Defer(w.Close)
	ts.Setenv("LLM_URL", w.URL)
	ts.Setenv("OPENAI_API_KEY", "sk-of-a-script")
}

func untime(ts *testscript.TestScript, _ bool, args []string) {
	text := regexp.MustCompile(` time="\d+\.\d{3}"`).ReplaceAllString(ts.ReadFile(args[0]), ` time="0.000"`)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func clip(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	bytes, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text[:len(text)-bytes]), 0o600))
}
