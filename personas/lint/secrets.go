package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

var secretInPrompt = Check{
	Name: "secret-in-prompt", Severity: Error, Secret: true, wording: true, mean: findSecrets,
	Summary: "A key or token in a persona is sent to models and visible to readers of the persona.",
	Why: "Anybody can read a published persona, and a model may repeat its prompts. Revoke the key, " +
		"because it may have been read already, and remove it. Keys belong in the environment or the " +
		"keyring. `parley persona save` and `publish` do not send it. If it only looks like a key, lower the " +
		"check with lint.severity in .parley.yaml.",
	Good: "label: Inside the walls", Bad: "label: pk_live_" + "0123456789abcdef0123456789abcdef",
}

type secretShape struct {
	begin  string
	least  int
	digits bool // needs a digit
	kind   string
}

// Keys of OpenAI, Anthropic, OpenRouter and DeepSeek start with sk-.
var shapes = []secretShape{
	{"sk-", 20, true, "an API key (sk-...)"},
	{"sk_live_", 16, false, "a live API key (sk_live_...)"},
	{"rk_live_", 16, false, "a live API key (rk_live_...)"},
	{"pk_live_", 16, false, "an API key of a persona service (pk_live_...)"},
	{"pk_test_", 32, true, "an API key (pk_test_...)"},
	{"xai-", 30, true, "an API key of xAI"},
	{"pplx-", 30, true, "an API key of Perplexity"},
	{"nvapi-", 30, true, "an API key of NVIDIA"},
	{"r8_", 30, true, "a token of Replicate"},
	{"AKIA", 16, true, "an access key of AWS"},
	{"ASIA", 16, true, "an access key of AWS"},
	{"AIza", 30, true, "an API key of Google"},
	{"ya29.", 30, true, "a token of Google"},
	{"GOCSPX-", 20, false, "a client secret of Google"},
	{"ghp_", 30, false, "a token of GitHub"},
	{"gho_", 30, false, "a token of GitHub"},
	{"ghs_", 30, false, "a token of GitHub"},
	{"ghu_", 30, false, "a token of GitHub"},
	{"ghr_", 30, false, "a token of GitHub"},
	{"github_pat_", 30, false, "a token of GitHub"},
	{"glpat-", 18, false, "a token of GitLab"},
	{"hf_", 30, false, "a token of Hugging Face"},
	{"gsk_", 30, false, "an API key (gsk_...)"},
	{"xoxb-", 18, true, "a token of Slack"},
	{"xoxp-", 18, true, "a token of Slack"},
	{"xoxa-", 18, true, "a token of Slack"},
	{"xoxs-", 18, true, "a token of Slack"},
	{"xapp-", 18, true, "a token of Slack"},
	{"npm_", 30, true, "a token of npm"},
	{"pypi-", 30, true, "a token of PyPI"},
	{"dop_v1_", 40, true, "a token of DigitalOcean"},
	{"SG.", 20, true, "an API key of SendGrid"},
	{"hvs.", 20, true, "a token of Vault"},
	{"AGE-SECRET-KEY-1", 40, false, "a private key (age)"},
}

const (
	privateKey = "PRIVATE KEY-----"
	jwt        = "eyJ"
)

const secretFound = "this looks like %s; revoke it, because others may have read it, and remove it"

func findSecrets(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		if kind, from, to := findSecret(t.value); kind != "" {
			report(t.pathOf(), secretFound, kind).markPiece(from, to)
		}
	}
	for _, u := range s.unknownMembers() {
		if kind := secretInJSON(u.Value); kind != "" {
			report(u.Path, secretFound, kind)
		}
	}
}

func secretInJSON(value []byte) string {
	for d := json.NewDecoder(bytes.NewReader(value)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			return secretIn(string(value))
		}
		if text, ok := token.(string); ok {
			if kind := secretIn(text); kind != "" {
				return kind
			}
		}
	}
}

// HoldsSecret reports whether secret-in-prompt would report the text.
func HoldsSecret(text string) bool { return secretIn(text) != "" }

// secretIn returns the kind of a secret, never a part of the secret.
func secretIn(text string) string {
	kind, _, _ := findSecret(text)
	return kind
}

func findSecret(text string) (kind string, from, to int) {
	if from = strings.Index(text, "-----BEGIN "); from >= 0 && strings.Contains(text, privateKey) {
		return "a private key", from, from + len("-----BEGIN ")
	}
	for from = 0; from < len(text); from = to + 1 {
		to = from + countBytes(text[from:], isTokenByte)
		if kind := secretWord(text[from:to]); kind != "" {
			return kind, from, to
		}
	}
	return "", 0, 0
}

func hideSecrets(message string) string {
	if !HoldsSecret(message) {
		return message
	}
	var out strings.Builder
	for rest := message; rest != ""; {
		n := max(countBytes(rest, isTokenByte), 1)
		if secretWord(rest[:n]) != "" {
			out.WriteString("...")
		} else {
			out.WriteString(rest[:n])
		}
		rest = rest[n:]
	}
	return out.String()
}

const shortest = 16

func secretWord(word string) string {
	for rest, more := word, true; more && len(rest) >= shortest; _, rest, more = strings.Cut(rest, ".") {
		for i := range shapes {
			if shapes[i].matches(rest) {
				return shapes[i].kind
			}
		}
		if isJWT(rest) {
			return "a token (JWT)"
		}
	}
	return ""
}

func (s *secretShape) matches(word string) bool {
	tail, ok := strings.CutPrefix(word, s.begin)
	tail = tail[:countBytes(tail, isKeyByte)]
	return ok && len(tail) >= s.least && (!s.digits || strings.ContainsAny(tail, "0123456789"))
}

func isJWT(word string) bool {
	parts := strings.SplitN(word, ".", 4)
	return len(parts) >= 3 && strings.HasPrefix(parts[0], jwt) && strings.HasPrefix(parts[1], jwt) &&
		len(parts[0]) >= 8+len(jwt) && len(parts[1]) >= 8+len(jwt) && len(parts[2]) >= 8
}

func countBytes(s string, counts func(byte) bool) int {
	n := 0
	for n < len(s) && counts(s[n]) {
		n++
	}
	return n
}

func isTokenByte(c byte) bool { return c == '.' || isKeyByte(c) }

func isKeyByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
}
