package cassette

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	masked                  = "[key]"
	minSecret               = 8
	minOpaque               = 32 // length of a key without a known form
	maxAnnouncementDistance = 48 // bytes between a word such as "password" and a key
)

var knownKeys = plaintext.Pattern(`(^|[^A-Za-z0-9])(?:` +
	`(?:sk|pk|rk|gsk|xai|hf|tgp|csk|nvapi|pplx|r8|fw|glpat|gho|ghp|ghs|ghu|github_pat)[-_][-_A-Za-z0-9]{12,}` +
	`|xox[a-z]-[-A-Za-z0-9]{10,}|AIza[-_A-Za-z0-9]{16,}|ya29\.[-_A-Za-z0-9]{16,}|A(?:KIA|SIA)[A-Z0-9]{12,}` +
	`|eyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}(?:\.[-_A-Za-z0-9]*)*)`)

var opaqueKeys = []func() *regexp.Regexp{
	plaintext.Pattern(`[A-Za-z0-9]{32,}`), plaintext.Pattern(`[-_A-Za-z0-9]{40,}`),
}

var announcement = plaintext.Pattern(`(?i)(?:authorization|bearer|basic|api[-_ ]?key|access[-_ ]?token|secret|password)\\?["']?(?:\s*[:=]|\s+is)?\s*\\?["']?$`)

type scrubber struct{ values *strings.Replacer }

func newScrubber(secrets []llm.Secret) scrubber {
	var forms []string
	for _, s := range secrets {
		value := plainText(s.Reveal())
		if len(value) < minSecret {
			continue
		}
		forms = append(forms, value, url.QueryEscape(value), url.PathEscape(value))
	}
	if len(forms) == 0 {
		return scrubber{}
	}
	// A longer secret may begin with a shorter one.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, masked)
	}
	return scrubber{values: strings.NewReplacer(pairs...)}
}

func (s scrubber) cleanText(text string) string {
	text = plainText(text)
	for {
		once := text
		if s.values != nil {
			once = s.values.Replace(once)
		}
		once = withoutKeys(once)
		if once == text {
			return text
		}
		text = once
	}
}

var keyRuns = plaintext.Pattern(`[-_.~+/A-Za-z0-9]{12,}`)

func withoutKeys(text string) string {
	var out strings.Builder
	copied := 0
	for _, match := range keyRuns().FindAllStringIndex(text, -1) {
		start, end := match[0], match[1]
		before := text[max(0, start-maxAnnouncementDistance):start]
		out.WriteString(text[copied:start])
		out.WriteString(maskRun(before, text[start:end]))
		copied = end
	}
	return out.String() + text[copied:]
}

func maskRun(before, run string) string {
	if isJumbled(run) && announcement().MatchString(before) {
		return masked
	}
	run = knownKeys().ReplaceAllStringFunc(run, maskKnownKey)
	if len(run) < minOpaque {
		return run
	}
	for _, form := range opaqueKeys {
		run = form().ReplaceAllStringFunc(run, maskMixed)
	}
	return run
}

// maskKnownKey keeps words with dashes, for example hf-bearer-of-the-tower. No word begins with
// sk-.
func maskKnownKey(piece string) string {
	edge := ""
	if strings.IndexByte("-_.~+/", piece[0]) >= 0 {
		edge, piece = piece[:1], piece[1:]
	}
	if !strings.HasPrefix(piece, "sk-") && !isJumbled(piece) {
		return edge + piece
	}
	return edge + masked
}

func maskMixed(piece string) string {
	if isKeyLike(piece) {
		return masked
	}
	return piece
}

// isKeyLike requires a capital after a small letter in a piece with dashes or underscores.
func isKeyLike(piece string) bool {
	letters := strings.ContainsFunc(piece, func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' })
	digits := strings.ContainsAny(piece, "0123456789")
	if !letters || !digits {
		return false
	}
	return !strings.ContainsAny(piece, "-_") || isJumbled(strings.Map(noDigits, piece))
}

func noDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return -1
	}
	return r
}

func isJumbled(run string) bool {
	small := false
	for _, r := range run {
		if '0' <= r && r <= '9' || small && 'A' <= r && r <= 'Z' {
			return true
		}
		small = small || 'a' <= r && r <= 'z'
	}
	return false
}
