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

// secretShape is the format of a kind of secret: its prefix, and the number of characters after the
// prefix.
type secretShape struct {
	begin  string
	least  int
	digits bool // at least one character must be a digit
	what   string
}

// shapes are the secrets that are found in texts. OpenAI, Anthropic, OpenRouter and DeepSeek use
// sk-.
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
		if what := secretIn(t.value); what != "" {
			report(t.pathOf(), secretFound, what).markPiece(findSecret(t.value))
		}
	}
	for _, u := range s.unknownMembers() {
		if what := secretInJSON(u.Value); what != "" {
			report(u.Path, secretFound, what)
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
			if what := secretIn(text); what != "" {
				return what
			}
		}
	}
}

func findSecret(text string) (from, to int) {
	if from = strings.Index(text, "-----BEGIN "); from >= 0 && strings.Contains(text, privateKey) {
		return from, from + len("-----BEGIN ")
	}
	for from = 0; from < len(text); from = to + 1 {
		to = from + countWordBytes(text[from:])
		if to-from >= shortest && HoldsSecret(text[from:to]) {
			return from, to
		}
	}
	return 0, 0
}

// HoldsSecret reports whether a text contains something that secret-in-prompt would report.
func HoldsSecret(text string) bool { return secretIn(text) != "" }

func hideSecrets(message string) string {
	if !HoldsSecret(message) {
		return message
	}
	var out strings.Builder
	for rest := message; rest != ""; {
		n := max(countWordBytes(rest), 1)
		if n >= shortest && HoldsSecret(rest[:n]) {
			out.WriteString("...")
		} else {
			out.WriteString(rest[:n])
		}
		rest = rest[n:]
	}
	return out.String()
}

// countWordBytes returns how many key characters and dots text starts with. Dots separate the parts
// of a token.
func countWordBytes(text string) int {
	n := 0
	for n < len(text) && (isKeyByte(text[n]) || text[n] == '.') {
		n++
	}
	return n
}

// secretIn returns the kind of secret in a text, or "". The kind never contains a part of the
// secret.
func secretIn(text string) string {
	if strings.Contains(text, "-----BEGIN ") && strings.Contains(text, privateKey) {
		return "a private key"
	}
	if !hasRun(text, shortest) {
		return ""
	}
	for i := range shapes {
		if shapes[i].isFoundIn(text) {
			return shapes[i].what
		}
	}
	if hasToken(text) {
		return "a token (JWT)"
	}
	return ""
}

const shortest = 16

// hasRun reports whether a text contains n consecutive key characters. It searches backwards from
// every n-th byte.
func hasRun(text string, n int) bool {
	for begin := 0; begin+n <= len(text); {
		last := begin + n - 1
		for last >= begin && isKeyByte(text[last]) {
			last--
		}
		if last < begin {
			return true
		}
		begin = last + 1
	}
	return false
}

func (s *secretShape) isFoundIn(text string) bool {
	for rest := text; ; {
		before, after, found := strings.Cut(rest, s.begin)
		if !found {
			return false
		}
		if before == "" && len(rest) == len(text) || before != "" && !isKeyByte(before[len(before)-1]) {
			tail := after[:countKeyBytes(after)]
			if len(tail) >= s.least && (!s.digits || strings.ContainsAny(tail, "0123456789")) {
				return true
			}
		}
		rest = after
	}
}

// hasToken reports whether a text contains a JSON web token: three parts, of which the first two
// start like an encoded JSON object.
func hasToken(text string) bool {
	for rest := text; ; {
		_, after, found := strings.Cut(rest, jwt)
		if !found {
			return false
		}
		header := countKeyBytes(after)
		if payload, ok := strings.CutPrefix(after[header:], "."+jwt); ok && header >= 8 {
			n := countKeyBytes(payload)
			if signature, ok := strings.CutPrefix(payload[n:], "."); ok && n >= 8 && countKeyBytes(signature) >= 8 {
				return true
			}
		}
		rest = after[header:]
	}
}

func countKeyBytes(s string) int {
	n := 0
	for n < len(s) && isKeyByte(s[n]) {
		n++
	}
	return n
}

func isKeyByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
}
