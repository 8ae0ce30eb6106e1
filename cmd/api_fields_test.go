package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/assert"
)

func TestFieldsOfCalls(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		texts, typed []string
		want         string // a body, or what the refusal says
	}{
		{[]string{"a=1", "b=x=y"}, nil, `{"a":"1","b":"x=y"}`},
		{nil, []string{"a=true", "b=false", "c=null", "d=12", "e=-3", "f=1.5", "g=007", "h=", "i=True"},
			`{"a":true,"b":false,"c":null,"d":12,"e":-3,"f":"1.5","g":"007","h":"","i":"True"}`},
		{nil, []string{"n=99999999999999999999"}, `{"n":"99999999999999999999"}`},
		{[]string{"a[b]=1", "a[c][d]=2"}, nil, `{"a":{"b":"1","c":{"d":"2"}}}`},
		{[]string{"a[]=1", "a[]=2"}, []string{"a[]=3"}, `{"a":["1","2",3]}`},
		{[]string{"a[][k]=1", "a[][v]=2", "a[][k]=3", "a[][l][]=4", "a[][l][]=5"}, nil, `{"a":[{"k":"1","v":"2"},{"k":"3","l":["4","5"]}]}`},
		{nil, []string{"a=@-"}, `{"a":"from stdin"}`},
		{[]string{"a=@-"}, nil, `{"a":"@-"}`},
		{[]string{"a=1", "a=2"}, nil, "given twice"},
		{nil, []string{"a=null", "a=null"}, "given twice"},
		{[]string{"a=1", "a[b]=2"}, nil, "but only one of these"},
		{[]string{"a[b]=2", "a=1"}, nil, "but only one of these"},
		{[]string{"a[b]=2", "a[]=1"}, nil, "but only one of these"},
		{[]string{"a"}, nil, `"a" lacks a value`},
		{[]string{"=1"}, nil, "is not a valid key"},
		{[]string{"a[=1"}, nil, "is not a valid key"},
		{[]string{"a]=1"}, nil, "is not a valid key"},
		{[]string{"a[b]c=1"}, nil, "is not a valid key"},
		{[]string{"a[b[c]]=1"}, nil, "is not a valid key"},
		{[]string{"a" + strings.Repeat("[b]", maxKeyParts-1) + "=1"}, nil,
			`{"a":` + strings.Repeat(`{"b":`, maxKeyParts-1) + `"1"` + strings.Repeat("}", maxKeyParts)},
		{[]string{"a" + strings.Repeat("[b]", maxKeyParts) + "=1"}, nil, "is not a valid key"},
	} {
		got, err := bodyFrom(x.texts, x.typed)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, x.want) || strings.HasPrefix(x.want, "{") && got != x.want {
			t.Errorf("-f %q -F %q: %s, want %s", x.texts, x.typed, got, x.want)
		}
	}
}

func bodyFrom(texts, typed []string) (string, error) {
	o := apiOptions{Access: &service.Access{Environment: &service.Environment{Streams: &cli.Streams{In: strings.NewReader("from stdin")}}},
		texts: texts, typed: typed}
	fields, err := o.readFields()
	if err != nil {
		return "", err
	}
	body, err := buildBody(fields)
	return string(body), err
}

// FuzzFields: fields are refused or become a JSON object, and nothing panics.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{"a=1", "a[b]=1\na[c]=2", "a[][b]=1\na[][b]=2", "a[]", "a[=1", "=", "a[b]c=1\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "=@") {
			return
		}
		given := strings.Split(text, "\n")
		for _, kind := range []*apiOptions{{texts: given}, {typed: given}} {
			kind.Access = &service.Access{Environment: &service.Environment{Streams: &cli.Streams{}}}
			fields, err := kind.readFields()
			if err != nil {
				continue
			}
			body, err := buildBody(fields)
			if err != nil {
				continue
			}
			var object map[string]any
			assert.True(t, json.Unmarshal(body, &object) == nil, "%q becomes %s", text, body)
			assert.True(t, len(object) != 0, "%q becomes %s", text, body)
		}
	})
}

// TestPathsOfCalls: a call goes to the service's own paths and nowhere else.
func TestPathsOfCalls(t *testing.T) {
	t.Parallel()
	const address = "https://npc.example/base"
	for given, want := range map[string]string{
		"personas":                       "/api/v1/personas",
		"api/v1/personas?limit=1":        "/api/v1/personas?limit=1",
		"/healthz":                       "/healthz",
		address + "/api/v1/auth/me":      "/api/v1/auth/me",
		"personas/a%2Fb":                 "/api/v1/personas/a%2Fb",
		address:                          "",
		address + ".evil.example/x":      "",
		"https://evil.example/base/x":    "",
		"http://npc.example/base/x":      "",
		"https://npc.example@evil.ex/x":  "",
		"ftp://npc.example/base/x":       "",
		"/api/v1/../x":                   "",
		"/api/v1/%2E%2e/x":               "",
		"/api/v1/./x":                    "",
		"/a\\..\\x":                      "",
		"/a b":                           "",
		"/a\nHost: evil":                 "",
		"/a#b":                           "",
		"/a%zz":                          "",
		"/api/v1/personas/{persona_id}":  "",
		"/api/v1/personas?name={braces}": "/api/v1/personas?name={braces}",
	} {
		got, err := apiPath(given, address)
		assert.Equal(t, got, want, "%q %v", given, err)
		assert.Equal(t, err == nil, want != "", "%q %v", given, err)
	}
}

// TestSecretHeaders: a secret is taken from a file, not from the command line.
func TestSecretHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Authorization", "authorization", "Cookie", "Proxy-Authorization", "X-API-Key", "x-llm-api-key", "X-LLM-Eval-API-Key"} {
		_, err := readHeader(name+": hush", false)
		assert.True(t, err != nil && !strings.Contains(err.Error(), "hush"), "%s: %v", name, err)
		h, err := readHeader(name+": hush", true)
		assert.NoError(t, err, "%s from a file: %v", name, err)
		assert.True(t, h.Secret, "%s from a file: %v", name, err)
		assert.Equal(t, h.Value, "hush", "%s from a file: %v", name, err)
	}
	for _, line := range []string{"X-LLM-Model: a:b", "If-Match: \"1\"", "Accept:"} {
		h, err := readHeader(line, false)
		assert.NoError(t, err, "%s: %+v, %v", line, h, err)
		assert.True(t, !h.Secret, "%s: %+v, %v", line, h, err)
	}
}

// turns lets a server continue after its output was printed.
type turns struct {
	strings.Builder
	next chan struct{}
}

func (w *turns) Write(p []byte) (int, error) {
	n, err := w.Builder.Write(p)
	select {
	case w.next <- struct{}{}:
	default:
	}
	return n, err
}

// TestStreamOfACall: events are printed as they come, and a terminal gets control characters as text.
func TestStreamOfACall(t *testing.T) {
	t.Parallel()
	const text = "data: a\x1b[2J\n\ndata: é\n\nlast"
	pieces := []string{"data: a\x1b", "[2J\n\ndata: \xc3", "\xa9\n\nlast"}
	for _, x := range []struct {
		args     string
		terminal bool
		want     string
	}{
		{"", false, text},
		{"", true, "data: a␛[2J\n\ndata: é\n\nlast"},
		{"--silent", false, ""},
		{"-i", false, "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n"},
	} {
		out := &turns{next: make(chan struct{}, 1)}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, piece := range pieces {
				_, _ = io.WriteString(w, piece)
				_ = http.NewResponseController(w).Flush()
				if x.args == "--silent" {
					continue
				}
				select {
				case <-out.next:
				case <-r.Context().Done():
					return
				}
			}
		}))
		a, _, _ := cmdtest.NewAccess(t, map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_TIMEOUT": "20s"})
		a.Out = &cli.CheckedWriter{Writer: out}
		a.TTY.Out = x.terminal
		code := cmdtest.Run(t.Context(), a, append([]string{"api", "events"}, strings.Fields(x.args)...), newAPICmd(a))
		s.Close()
		if got := out.String(); code != cli.ExitDone || got != x.want && (x.args != "-i" || !strings.HasPrefix(got, x.want) || !strings.HasSuffix(got, text)) {
			t.Errorf("%q: exit code %d, %q", x.args, code, got)
		}
	}
}
