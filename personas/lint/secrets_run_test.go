package lint

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestRunsAreFoundAsWhenEachByteIsLookedAt compares hasRun with a function that skips no bytes.
func TestRunsAreFoundAsWhenEachByteIsLookedAt(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20000 {
		text := make([]byte, random.IntN(40))
		for i := range text {
			text[i] = "abc-_9 .\xff"[random.IntN(9)]
		}
		n := 1 + random.IntN(6)
		want := longestRunOf(text) >= n
		if want {
			found++
		}
		got := hasRun(string(text), n)
		assert.Must(t, got == want, "%d in %q: %v, want %v", n, text, got, want)
	}
	assert.Must(t, found >= 1000, "only %d texts had a run: the test is too weak", found)
}

func longestRunOf(text []byte) int {
	longest, run := 0, 0
	for _, c := range text {
		if run++; !isKeyByte(c) {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// TestEveryKindOfSecret: keys of every known provider are found from their minimum length on.
func TestEveryKindOfSecret(t *testing.T) {
	t.Parallel()
	kinds := map[string]struct {
		least int
		what  string
	}{
		"sk-": {20, "an API key (sk-...)"}, "sk_live_": {16, "a live API key (sk_live_...)"}, "rk_live_": {16, "a live API key (rk_live_...)"},
		"pk_live_": {16, "an API key of a persona service (pk_live_...)"}, "pk_test_": {32, "an API key (pk_test_...)"},
		"xai-": {30, "an API key of xAI"}, "pplx-": {30, "an API key of Perplexity"}, "nvapi-": {30, "an API key of NVIDIA"}, "r8_": {30, "a token of Replicate"},
		"AKIA": {16, "an access key of AWS"}, "ASIA": {16, "an access key of AWS"},
		"AIza": {30, "an API key of Google"}, "ya29.": {30, "a token of Google"}, "GOCSPX-": {20, "a client secret of Google"},
		"ghp_": {30, "a token of GitHub"}, "gho_": {30, "a token of GitHub"}, "ghs_": {30, "a token of GitHub"}, "ghu_": {30, "a token of GitHub"},
		"ghr_": {30, "a token of GitHub"}, "github_pat_": {30, "a token of GitHub"}, "glpat-": {18, "a token of GitLab"},
		"hf_": {30, "a token of Hugging Face"}, "gsk_": {30, "an API key (gsk_...)"},
		"xoxb-": {18, "a token of Slack"}, "xoxp-": {18, "a token of Slack"}, "xoxa-": {18, "a token of Slack"}, "xoxs-": {18, "a token of Slack"}, "xapp-": {18, "a token of Slack"},
		"npm_": {30, "a token of npm"}, "pypi-": {30, "a token of PyPI"}, "dop_v1_": {40, "a token of DigitalOcean"},
		"SG.": {20, "an API key of SendGrid"}, "hvs.": {20, "a token of Vault"}, "AGE-SECRET-KEY-1": {40, "a private key (age)"},
	}
	assert.Equal(t, len(kinds), len(shapes), "kinds")
	for begin, kind := range kinds {
		key := strings.Repeat("a1B2", kind.least)
		assert.Equal(t, secretIn("Say "+begin+key[:kind.least]+" to nobody."), kind.what, "%s: it is called", begin)
		assert.Equal(t, secretIn("Say "+begin+key[:kind.least-1]+" to nobody."), "", "%s: a shorter word is called", begin)
	}
}
