package provider

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]Target{
		"openai/gpt-4o":                          {Provider: "openai", Model: "gpt-4o"},
		" openai/gpt-4o\n":                       {Provider: "openai", Model: "gpt-4o"},
		"OpenAI/gpt-4o":                          {Provider: "openai", Model: "gpt-4o"},
		"gpt-4o":                                 {Provider: "openai", Model: "gpt-4o"},
		"o3-mini":                                {Provider: "openai", Model: "o3-mini"},
		"chatgpt-4o-latest":                      {Provider: "openai", Model: "chatgpt-4o-latest"},
		"claude-sonnet-4-5":                      {Provider: "anthropic", Model: "claude-sonnet-4-5"},
		"gemini-2.5-flash":                       {Provider: "gemini", Model: "gemini-2.5-flash"},
		"gemini/models/gemini-2.5-flash":         {Provider: "gemini", Model: "gemini-2.5-flash"},
		"google/gemini-2.5-flash":                {Provider: "gemini", Model: "gemini-2.5-flash"},
		"grok-4":                                 {Provider: "xai", Model: "grok-4"},
		"deepseek-chat":                          {Provider: "deepseek", Model: "deepseek-chat"},
		"mistral-large-latest":                   {Provider: "mistral", Model: "mistral-large-latest"},
		"openrouter/anthropic/claude-sonnet-4.5": {Provider: "openrouter", Model: "anthropic/claude-sonnet-4.5"},
		"ollama/llama3.2:3b":                     {Provider: "ollama", Model: "llama3.2:3b"},
		"ollama/hf.co/a/b:Q4_K_M":                {Provider: "ollama", Model: "hf.co/a/b:Q4_K_M"},
		"ollama_chat/m":                          {Provider: "ollama", Model: "m"},
		"lm_studio/qwen/qwen3-8b":                {Provider: "lmstudio", Model: "qwen/qwen3-8b"},
		"hosted_vllm/m":                          {Provider: "vllm", Model: "m"},
		"together/m":                             {Provider: "together_ai", Model: "m"},
		"groq/" + strings.Repeat("m", 195):       {Provider: "groq", Model: strings.Repeat("m", 195)},
	} {
		t.Run(fmt.Sprintf("%.40q", name), func(t *testing.T) {
			assert.Equal(t, assert.Value(ParseModelName(name))(t), want)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, words := range map[string]string{
		"":                                 "is empty",
		"  ":                               "is empty",
		"llama3":                           `the provider of the model "llama3" is unknown; did you mean provider/model`,
		"opnai/gpt-4o":                     "did you mean openai/?",
		"antropic/claude":                  "did you mean anthropic/?",
		"nobody/knows":                     "The providers are openai, anthropic, gemini, groq, mistral, deepseek, openrouter, together_ai, xai, ollama, lmstudio, llamacpp and vllm",
		"azure/gpt-4o":                     "Azure needs a kind of sign-in",
		"bedrock/anthropic.claude":         "--llm-base-url",
		"vertex_ai/gemini":                 "such as LiteLLM",
		"openai":                           `"openai" is a provider without a model: write openai/MODEL`,
		"openai/":                          "the model is missing",
		"openai//m":                        "the model is missing",
		"openai/m/":                        "the model is missing",
		"gemini/models/":                   "the model is missing",
		"openai/a b":                       "a space or a control character",
		"openai/a\x1b[31m":                 "a space or a control character",
		"openai/a\u202eb":                  "a space or a control character",
		"openai/\xff":                      "a space or a control character",
		"groq/" + strings.Repeat("m", 196): "longer than 200 bytes",
	} {
		t.Run(fmt.Sprintf("%.40q", name), func(t *testing.T) {
			got, err := ParseModelName(name)
			assert.ErrorContains(t, err, words, "%q is %v", name, got)
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"openai/gpt-4o", "ollama/a:b", "gemini/models/x", "azure/x", "o3", "/", "a/", "opnai/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		target, err := ParseModelName(name)
		if err != nil {
			assert.Must(t, strings.TrimSpace(err.Error()) != "" && !strings.ContainsAny(err.Error(), "\n\x1b"), "%q", err)
			return
		}
		again, err := ParseModelName(target.String())
		assert.Must(t, err == nil && again == target, "%q is %v, and that is %v, %v", name, target, again, err)
	})
}

// TestTable: every name and alias belongs to one provider, which can be reached.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for _, p := range Providers {
		t.Run(p.Name, func(t *testing.T) {
			for _, name := range append(append([]string{p.Name}, p.Aliases...), p.Begins...) {
				assert.True(t, !names[name] && name != "", "%q stands twice", name)
				names[name] = true
			}
			u, err := parseAddress(p, p.BaseURL)
			assert.NoError(t, err)
			assert.Equal(t, u.String(), p.BaseURL)
			assert.Must(t, formats[p.Format].codec != nil, "%+v: %v, %v", p, u, err)
			assert.True(t, p.Title != "", "%+v: %v, %v", p, u, err)
			assert.True(t, len(p.KeyVariables) != 0, "%+v: %v, %v", p, u, err)
			assert.True(t, (u.Scheme == "https") != p.Local && p.Local == isThisMachine(u.Hostname()), "%s at %s", p.Name, u)
		})
	}
}

// TestWhoseKeyGoesWhere: the operator's and callers' keys go to the right addresses.
func TestWhoseKeyGoesWhere(t *testing.T) {
	own := llmtest.Env("OPENAI_API_KEY", "own-openai-key", "GOOGLE_API_KEY", "own-google-key\n", "OLLAMA_HOST", "here:1234", "OPENAI_API_BASE", "https://proxy.example.com")
	caller := llm.NewSecret(testKey)
	type way func(c *Client, name string) (Asker, error)
	ownWay := func(c *Client, name string) (Asker, error) { return c.OperatorModel(name) }
	lentWay := func(c *Client, name string) (Asker, error) {
		return c.ModelWithKey(KeyedModel{Name: name, Key: caller})
	}
	withWay := func(c *Client, name string) (Asker, error) {
		return c.ModelWithKey(KeyedModel{Name: name, Key: caller, ByOperator: true})
	}
	for _, c := range []struct {
		name    string
		way     way
		baseURL string
		model   string
		address string
		key     string
		words   string
	}{
		{"own", ownWay, "", "gpt-4o", "https://proxy.example.com/v1", "own-openai-key", ""},
		{"own at BaseURL", ownWay, "http://127.0.0.1:4000", "gpt-4o", "http://127.0.0.1:4000/v1", "own-openai-key", ""},
		{"own unknown at BaseURL", ownWay, "http://127.0.0.1:4000/x/", "my-model", "http://127.0.0.1:4000/x", "own-openai-key", ""},
		{"own azure at BaseURL", ownWay, "https://proxy.example.com/v1", "azure/gpt-4o", "https://proxy.example.com/v1", "own-openai-key", ""},
		{"own without key at home", ownWay, "https://api.openai.com/v1/", "gpt-4o", "https://api.openai.com/v1", "own-openai-key", ""},
		{"own other provider with BaseURL", ownWay, "http://127.0.0.1:4000", "gemini-2.5-flash", "https://generativelanguage.googleapis.com/v1beta", "own-google-key", ""},
		{"own local", ownWay, "", "ollama/m", "http://here:1234", "", ""},
		{"own without key", ownWay, "", "claude-sonnet-4-5", "", "", "ANTHROPIC_API_KEY"},
		{"own unknown", ownWay, "", "my-model", "", "", "did you mean"},
		{"lent", lentWay, "http://127.0.0.1:4000", "gpt-4o", "https://api.openai.com/v1", testKey, ""},
		{"lent other", lentWay, "", "anthropic/m", "https://api.anthropic.com/v1", testKey, ""},
		{"lent local", lentWay, "", "ollama/m", "", "", "callers cannot choose"},
		{"lent local by alias", lentWay, "", "hosted_vllm/m", "", "", "callers cannot choose"},
		{"lent unknown with BaseURL", lentWay, "http://127.0.0.1:4000", "my-model", "", "", "the provider of the model"},
		{"with", withWay, "", "gpt-4o", "https://proxy.example.com/v1", testKey, ""},
		{"with at BaseURL", withWay, "http://127.0.0.1:4000", "my-model", "http://127.0.0.1:4000/v1", testKey, ""},
		{"with local", withWay, "", "ollama/m", "http://here:1234", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := New(Options{Env: own, BaseURL: c.baseURL})
			got, err := c.way(client, c.model)
			if c.words != "" {
				assert.ErrorContains(t, err, c.words)
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			a := got.(*asker)
			assert.True(t, a.base.String() == c.address && a.key.Reveal() == c.key, "%s with %q", a.base, a.key.Reveal())
		})
	}
}

func TestMissingKeys(t *testing.T) {
	c := New(Options{})
	for _, get := range []func() (Asker, error){
		func() (Asker, error) { return c.OperatorModel("gemini/m") },
		func() (Asker, error) { return c.ModelWithKey(KeyedModel{Name: "gemini/m", Key: llm.Secret{}}) },
		func() (Asker, error) {
			return c.ModelWithKey(KeyedModel{Name: "gemini/m", Key: llm.Secret{}, ByOperator: true})
		},
	} {
		_, err := get()
		mustFail(t, err, KeyMissing)
	}
	assert.Value(c.ModelWithKey(KeyedModel{Name: "ollama/m", Key: llm.Secret{}, ByOperator: true}))(t)
	for _, key := range []string{"a b", "a\nb", "ä", "\x00"} {
		t.Run(fmt.Sprintf("%q", key), func(t *testing.T) {
			_, err := c.ModelWithKey(KeyedModel{Name: "gpt-4o", Key: llm.NewSecret(key)})
			e := mustFail(t, err, KeyRefused)
			assert.True(t, !strings.Contains(e.Message, key) || key == "\x00", "%v", e)
		})
	}
}

func TestAddresses(t *testing.T) {
	openai, _ := FindProvider("openai")
	for address, want := range map[string]string{
		"http://127.0.0.1:4000":            "http://127.0.0.1:4000/v1",
		"http://127.0.0.1:4000/":           "http://127.0.0.1:4000/v1",
		"https://a.example/x/v1//":         "https://a.example/x/v1",
		"http://[::1]:1/v1":                "http://[::1]:1/v1",
		"http://litellm:4000/v1":           "http://litellm:4000/v1",
		"http://10.1.2.3/v1":               "http://10.1.2.3/v1",
		"http://100.100.1.1/v1":            "http://100.100.1.1/v1",
		"http://gpu.local/v1":              "http://gpu.local/v1",
		"http://host.docker.internal:1/v1": "http://host.docker.internal:1/v1",
		"http://8.8.8.8/v1":                "!unencrypted",
		"http://100.128.0.1/v1":            "!unencrypted",
		"http://172.32.0.1/v1":             "!unencrypted",
		"http://134744072/v1":              "!unencrypted",
		"http://example.com/v1":            "!unencrypted",
		"http://example.com./v1":           "!unencrypted",
		"127.0.0.1:4000":                   "!is not a valid address",
		"ftp://127.0.0.1":                  "!is not a valid address",
		"file:///etc/passwd":               "!is not a valid address",
		"http://":                          "!is not a valid address",
		"http://u:secret@127.0.0.1":        "!password",
		"http://127.0.0.1/v1?a=secret":     "!query",
		"http://127.0.0.1/v1#secret":       "!query",
		"http://127.0.0.1/v1#a":            "!query",
	} {
		t.Run(address, func(t *testing.T) {
			u, err := parseAddress(openai, address)
			if err == nil {
				err = checkKeyTransport(openai, u, llm.NewSecret(testKey))
			}
			switch words, bad := strings.CutPrefix(want, "!"); {
			case bad && (err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "secret")):
				t.Errorf("%v, %v", u, err)
			case !bad && (err != nil || u.String() != want):
				t.Errorf("%v, %v", u, err)
			}
		})
	}
	far := New(Options{BaseURL: "http://example.com/v1", Env: llmtest.Env("OPENAI_API_KEY", testKey)})
	_, err := far.OperatorModel("m")
	assert.ErrorContains(t, err, "unencrypted", "a key goes out in the clear")
	_, err = far.ModelWithKey(KeyedModel{Name: "m", Key: llm.NewSecret(testKey), ByOperator: true})
	assert.True(t, err != nil, "a caller's key goes out in the clear")
	u, _ := parseAddress(openai, "http://example.com/v1")
	assert.NoError(t, checkKeyTransport(openai, u, llm.Secret{}), "without a key")
}

// TestEndpointForAddress: an address that ends in the path of a call means what is before
// it, for each of the formats, and with the wrong format's path too.
func TestEndpointForAddress(t *testing.T) {
	for _, c := range []struct{ provider, address, want string }{
		{"openai", "http://127.0.0.1:4000/v1/chat/completions", "http://127.0.0.1:4000/v1"},
		{"openai", " http://127.0.0.1:4000/v1/chat/completions/ ", "http://127.0.0.1:4000/v1"},
		{"openai", "http://127.0.0.1:4000/chat/completions", "http://127.0.0.1:4000/v1"},
		{"openai", "http://127.0.0.1:4000/openai/v1/Chat/Completions", "http://127.0.0.1:4000/openai/v1"},
		{"openai", "http://127.0.0.1:4000/api/chat/completions", "http://127.0.0.1:4000/api"},
		{"openai", "http://127.0.0.1:4000/v1/completions", "http://127.0.0.1:4000/v1"},
		{"openai", "http://127.0.0.1:4000/v1/responses", "http://127.0.0.1:4000/v1"},
		{"openai", "http://127.0.0.1:4000/v1/models", "http://127.0.0.1:4000/v1"},
		{"openai", "http://127.0.0.1:4000/v1/messages", "http://127.0.0.1:4000/v1"},
		{"openai", "http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/v1"},
		{"openai", "http://127.0.0.1:4000/models", "http://127.0.0.1:4000/models"}, // As on Azure.
		{"openai", "http://127.0.0.1:4000/models/chat/completions", "http://127.0.0.1:4000/models"},
		{"anthropic", "http://127.0.0.1:4000/v1/messages", "http://127.0.0.1:4000/v1"},
		{"gemini", "http://127.0.0.1:4000/v1beta/models/gemini-2.0-flash:generateContent", "http://127.0.0.1:4000/v1beta"},
		{"gemini", "http://127.0.0.1:4000/v1beta/models/gemini-2.0-flash:streamGenerateContent", "http://127.0.0.1:4000/v1beta"},
		{"ollama", "http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"},
		{"ollama", "http://127.0.0.1:11434/api/generate", "http://127.0.0.1:11434"},
		{"ollama", "http://127.0.0.1:11434/api", "http://127.0.0.1:11434"},
		{"ollama", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434"},
		{"ollama", "http://127.0.0.1:11434/v1/chat/completions", "http://127.0.0.1:11434"},
	} {
		t.Run(c.provider+" "+c.address, func(t *testing.T) {
			p, _ := FindProvider(c.provider)
			u, err := parseAddress(p, c.address)
			assert.True(t, err == nil && u.String() == c.want, "%v, %v, want %s", u, err, c.want)
		})
	}
}

func TestOllamaHost(t *testing.T) {
	p, _ := FindProvider("ollama")
	for host, want := range map[string]string{
		"0.0.0.0":                   "http://127.0.0.1:11434",
		"0.0.0.0:8080":              "http://127.0.0.1:8080",
		":8080":                     "http://127.0.0.1:8080",
		"localhost":                 "http://localhost:11434",
		"192.168.1.7:1":             "http://192.168.1.7:1",
		"http://gpu":                "http://gpu:80",
		"https://gpu.example.com/":  "https://gpu.example.com:443",
		"https://gpu.example.com/x": "https://gpu.example.com:443/x",
		`"gpu:1"`:                   "http://gpu:1",
		"[::]:11434":                "http://[::1]:11434",
		"[::1]":                     "http://[::1]:11434",
		"::1":                       "http://[::1]:11434",
	} {
		t.Run(host, func(t *testing.T) {
			u, err := parseAddress(p, host)
			assert.True(t, err == nil && u.String() == want, "%q is %v, %v", host, u, err)
		})
	}
	for _, host := range []string{"a b", "ftp://x", "x:y:z", "a:b"} {
		t.Run(host, func(t *testing.T) {
			u, err := parseAddress(p, host)
			assert.True(t, err != nil, "%q is %v", host, u)
		})
	}
}

// A name that tries to reach into another path stays one name.
func TestNamesStayInTheirPath(t *testing.T) {
	d := llmtest.New(nil)
	s := newFakeProvider(t, d)
	a := s.newAsker(t, "gemini/../../secret?x=1#y")
	_, _, err := askPieces(t, a, fullRequest(), false)
	last := d.LastRequest()
	assert.True(t, err == nil && last.Query == "" && strings.HasPrefix(last.Path, "/models/../../secret?x=1#y:"),
		"%q %q %v", last.Path, last.Query, err)
}

// isThisMachine reports whether a host is this machine.
func isThisMachine(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// TestAddressVariables: the address in a provider's own variable is read like in its own SDK, with
// the path that the SDK appends; a variable that no SDK reads is ignored.
func TestAddressVariables(t *testing.T) {
	for _, c := range []struct{ variable, value, model, want string }{
		{"OPENAI_BASE_URL", "https://gate.example/v1", "openai/m", "https://gate.example/v1"},
		{"OPENAI_BASE_URL", "https://gate.example/proxy/", "openai/m", "https://gate.example/proxy"},
		{"ANTHROPIC_BASE_URL", "https://gate.example", "anthropic/m", "https://gate.example/v1"},
		{"ANTHROPIC_BASE_URL", "https://gate.example/anthropic/", "anthropic/m", "https://gate.example/anthropic/v1"},
		{"ANTHROPIC_BASE_URL", "https://gate.example/v1/", "anthropic/m", "https://gate.example/v1"},
		{"GOOGLE_GEMINI_BASE_URL", "https://gate.example/", "gemini/m", "https://gate.example/v1beta"},
		{"GROQ_BASE_URL", "https://gate.example", "groq/m", "https://gate.example/openai/v1"},
		{"GROQ_BASE_URL", "https://gate.example/openai/v1", "groq/m", "https://gate.example/openai/v1"},
		{"TOGETHER_BASE_URL", "https://gate.example/v1", "together/m", "https://gate.example/v1"},
		{"OPENAI_BASE_URL", "https://gate.example/v1/chat/completions", "openai/m", "https://gate.example/v1"},
		{"ANTHROPIC_BASE_URL", "https://gate.example/v1/messages", "anthropic/m", "https://gate.example/v1"},
		{"GOOGLE_GEMINI_BASE_URL", "https://gate.example/v1beta/models/g:generateContent", "gemini/m", "https://gate.example/v1beta"},
		{"GROQ_BASE_URL", "https://gate.example/openai/v1/chat/completions", "groq/m", "https://gate.example/openai/v1"},
		{"OLLAMA_HOST", "http://gate:1/api/chat", "ollama/m", "http://gate:1"},
		{"OLLAMA_HOST", "gate:1", "ollama/m", "http://gate:1"},
		{"MISTRAL_BASE_URL", "https://gate.example/v1", "mistral/m", "https://api.mistral.ai/v1"},
		{"ANTHROPIC_BASE_URL", " ", "anthropic/m", "https://api.anthropic.com/v1"},
		{"ANTHROPIC_BASE_URL", "https://gate.example", "openai/m", "https://api.openai.com/v1"},
	} {
		t.Run(c.variable+" "+c.value+" "+c.model, func(t *testing.T) {
			target := assert.Value(ParseModelName(c.model))(t)
			p, _ := FindProvider(target.Provider)
			client := New(Options{Env: llmtest.Env(c.variable, c.value, p.KeyVariables[0], testKey)})
			a := assert.Value(client.OperatorModel(c.model))(t)
			assert.Equal(t, a.(*asker).base.String(), c.want)
			// A caller who names the model is asked for at the provider's own address.
			if p.Local {
				return
			}
			theirs := assert.Value(client.ModelWithKey(KeyedModel{Name: c.model, Key: a.(*asker).key}))(t)
			assert.Equal(t, theirs.(*asker).base.String(), p.BaseURL, "a caller's")
		})
	}
}
