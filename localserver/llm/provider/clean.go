package provider

import (
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	// maxSaid is the maximum length of a quotation from a provider, in characters.
	maxSaid = 200
	// shred is the shortest piece of a key that is taken out of a text.
	shred = 8
	// maskedKey replaces a key or a piece of one.
	maskedKey = "[key]"
)

// keyLike matches the keys of providers, also half masked, and very long words.
var keyLike = plaintext.Pattern(`(?i)\b(?:bearer\s+\S+|(?:sk|pk|rk|gsk|xai|hf|key|tgp|csk|nvapi)[-_][-_a-z0-9.*]{6,}|AIza[-_a-z0-9*]{6,}|[a-z0-9]{32,})`)

// withoutKeys removes keys from the text of an error, everything that looks like a key, and pieces
// of the keys: providers often repeat the beginning and the end of one.
func withoutKeys(text string, keys []string) string {
	pieces := map[string]bool{}
	for _, key := range keys {
		if key == "" {
			continue
		}
		for _, form := range formsOf(key) {
			text = strings.ReplaceAll(text, form, maskedKey)
		}
		for i := 0; i+shred <= len(key); i++ {
			pieces[key[i:i+shred]] = true
		}
	}
	return withoutPieces(keyLike().ReplaceAllString(text, maskedKey), pieces)
}

// withoutPieces masks each run of a text that consists of pieces.
func withoutPieces(text string, pieces map[string]bool) string {
	var out strings.Builder
	kept := 0
	for i := 0; i+shred <= len(text); {
		if !pieces[text[i:i+shred]] {
			i++
			continue
		}
		end := i + shred
		for end < len(text) && pieces[text[end-shred+1:end+1]] {
			end++
		}
		out.WriteString(text[kept:i])
		out.WriteString(maskedKey)
		kept, i = end, end
	}
	out.WriteString(text[kept:])
	return out.String()
}
