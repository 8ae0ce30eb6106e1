package cassette

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// keys have the formats of real providers, but none of them is real.
var keys = []string{
	"sk-proj-Qm3vXk29fTzLw81NcRbY-4pGhJd7_sAeUoIi0KlMnOpQrStUvWxYz",
	"sk-ant-api03-Zx8WvUtSrQpOnMlKjIhGfEdCbA9876543210-abcdefghijklmnop",
	"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",
	"sk-aaaaaaaaaaaaaaaa",
	"gsk_4Xc8VbN2mQwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUiOp12345",
	"xai-9sD8fG7hJ6kL5mN4bV3cX2zA1qWsEdRfTgYhUjIkOlP0",
	"AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
	"hf_QwErTyUiOpAsDfGhJkLzXcVbNm123456",
	"nvapi-7uYtReWqAsDfGhJkLmNbVcXz0987654321",
	"pk_live_0123456789abcdef0123456789abcdef",
	"ghp_16C7e42F292c6912E7710c838347Ae178B4a",
	"AKIAIOSFODNN7EXAMPLE",
	"ya29.A0ARrdaM-k9Vq7GzY2pL4mQf8sN1xT6bHcJwE3uR5oP0iKyZ",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
	"7Hq2Lm9Xc4Vb6Nn1Zk8Jd3Gf5Ts0RwPy",                                 // Mistral's keys have no typical format
	"3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e5b7d9f2146587a9bcdef0123", // nor Together's
	"0f4b8e2c6a9d1357f0e2c4a6b8d90123",
}

func TestKeysAreMasked(t *testing.T) {
	for _, key := range keys {
		t.Run(key, func(t *testing.T) {
			for _, around := range []string{
				"%", "my key is %, use it", "(%)", `{"key":"%"}`, `\"%\"`, "key=%&x=1", "https://a.example/v1/%/models", "https://u:%@a.example", "é%é", "%\n%", "%.", "x_%",
				"Authorization: Bearer %", "authorization: %", "X-API-Key: %",
			} {
				text := strings.ReplaceAll(around, "%", key)
				got := (scrubber{}).cleanText(text)
				assert.True(t, !strings.Contains(got, key[5:17]) && strings.Contains(got, masked), "%q becomes %q", text, got)
			}
		})
	}
	for text, want := range map[string]string{
		"Authorization: Basic dXNlcjpwYXNzd29yZA==": "Authorization: Basic [key]==",
		`"api_key": "Ab3dEf6hIj9l"`:                 `"api_key": "[key]"`,
		"my api key is hunter2hunter2":              "my api key is [key]",
		"password: correctHorseBattery":             "password: [key]",
		"curl -H 'x-goog-api-key: 1234567890ab'":    "curl -H 'x-goog-api-key: [key]'",
	} {
		t.Run(text, func(t *testing.T) { assert.Equal(t, (scrubber{}).cleanText(text), want, "%q becomes", text) })
	}
}

func TestStoriesStay(t *testing.T) {
	for _, text := range []string{
		"", "short", "The ring bearer went home. Bearer of bad news!", "bearer congratulations", "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaargh!",
		"the key-bearer-of-the-tower is here, with the risk-free-investment-plan", "task-force-with-a-very-long-name", "key_of_the_night_porter",
		"01234567890123456789012345678901234567890123456789", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "https://example.com/a/quite/long/path/to/some/thing.html",
		"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", "pass-1, redirect-2, some_state_key_with_a_long_name_of_2_parts",
		"secret: the butler did it", "the password is swordfish", "Hmmmm......................................", "════════════════════════════════════════",
		"access token", "sk-", "sk-short", "AIza", "東京特許許可局局長今日急遽休暇許可拒否", "the api key is a thing that nobody has",
	} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) { assert.Equal(t, (scrubber{}).cleanText(text), text, "becomes") })
	}
}

func TestSecretsAreMasked(t *testing.T) {
	s := newScrubber([]llm.Secret{{}, llm.NewSecret("words"), llm.NewSecret("12345678"), llm.NewSecret("my odd secret"), llm.NewSecret("my odd secret, longer")})
	for text, want := range map[string]string{
		"in words":                            "in words", // under 8 bytes
		"x12345678x":                          "x[key]x",
		"1234567":                             "1234567",
		"my odd secret, longer than":          "[key] than",
		"my odd secret is":                    "[key] is",
		"my+odd+secret my%20odd%20secret end": "[key] [key] end",
	} {
		t.Run(text, func(t *testing.T) { assert.Equal(t, s.cleanText(text), want, "%q becomes", text) })
	}
}

// TestNoKeyReachesTheFile puts keys into instructions, messages, answers and the model.
func TestNoKeyReachesTheFile(t *testing.T) {
	const operators, callers = "operator's own secret", "a caller's secret"
	path, o := tempFile(t), testOptions()
	o.Secrets = []llm.Secret{llm.NewSecret(operators)}
	rec := beginWith(t, path, o)
	for i, key := range append(keys, operators, callers) {
		half := len(key) / 2
		a := newFakeAsker("I know: "+key[:half], key[half:], " is it.")
		a.name = "openai/" + key
		r := newRequest("response", "My key is "+key, "Fine", fmt.Sprintf("%d: %s", i, key))
		r.System += key
		pieces, answer := askPieces(t, rec.Wrap(a, llm.NewSecret(callers)), r)
		assert.Equal(t, len(pieces), 3, "the player who is there gets %q", pieces)
		assert.Equal(t, answer.Text, "I know: "+key+" is it.", "the player who is there gets %q", pieces)
	}
	assert.NoError(t, rec.Close())
	text := readText(t, path)
	for _, key := range append(keys, operators, callers) {
		for _, part := range []string{key, key[:len(key)/2], key[len(key)/2:]} {
			assert.NotContains(t, text, part)
		}
	}
	assert.Contains(t, text, "My key is [key]", "the texts are not there")
}

// TestTalkAboutAKeyIsPlayed: a conversation with a key, or its mask, can be replayed.
func TestTalkAboutAKeyIsPlayed(t *testing.T) {
	key := keys[0]
	path := tempFile(t)
	rec := openRecorder(t, path)
	a := echoAsker()
	first := newRequest("response", "It is "+key)
	answer := askOnce(t, rec.Wrap(a), first)
	askOnce(t, rec.Wrap(a), newRequest("response", "It is "+key, answer.Text, "And now?"))
	assert.NoError(t, rec.Close())
	p := loadPlayer(t, path).Asker("")
	answer = askOnce(t, p, first)
	assert.Equal(t, answer.Text, "You say: It is [key]")
	askOnce(t, p, newRequest("response", "It is "+key, answer.Text, "And now?"))
	_, err := p.Ask(t.Context(), newRequest("response", "It is not "+key), nil)
	assert.True(t, kindOf(err) == provider.NotRecorded && !strings.Contains(err.Error(), key[:12]), "the error: %v", err)
}

func FuzzClean(f *testing.F) {
	for _, key := range keys {
		f.Add("Bearer "+key, "x"+key+"\r\n")
	}
	f.Fuzz(func(t *testing.T, text, secret string) {
		s := newScrubber([]llm.Secret{llm.NewSecret(secret)})
		once := s.cleanText(text)
		assert.Equal(t, s.cleanText(once), once, "%q becomes", text)
		if secret = plainText(secret); len(secret) >= minSecret && strings.Contains(once, secret) && !strings.Contains(masked, secret) {
			t.Errorf("%q is left in %q", secret, once)
		}
	})
}
