package plaintext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Chat templates mark speakers with control tokens such as <|im_start|> and [INST]. A model server
// would take a token in a player's message for a real one. BreakTokens therefore replaces the
// brackets of a token with look-alikes and word joiners. Unicode normalization does not convert a
// look-alike back. The number of joiners identifies the original character for MendTokens.
const (
	joiner     = "\u2060"
	lookAlikes = "‹›⁅⁆꞉"
)

var (
	// Variants of one character share a look-alike and differ in the number of joiners. In
	// markMender the longest sequence comes first, because strings.NewReplacer compares in argument
	// order.
	markBreaker = strings.NewReplacer(
		"<", "‹"+joiner, "＜", "‹"+joiner+joiner, "﹤", "‹"+joiner+joiner+joiner,
		">", "›"+joiner, "＞", "›"+joiner+joiner, "﹥", "›"+joiner+joiner+joiner,
		"[", "⁅"+joiner, "［", "⁅"+joiner+joiner, "]", "⁆"+joiner, "］", "⁆"+joiner+joiner,
		":", "꞉"+joiner, "：", "꞉"+joiner+joiner,
	)
	markMender = strings.NewReplacer(
		"‹"+joiner+joiner+joiner, "﹤", "‹"+joiner+joiner, "＜", "‹"+joiner, "<",
		"›"+joiner+joiner+joiner, "﹥", "›"+joiner+joiner, "＞", "›"+joiner, ">",
		"⁅"+joiner+joiner, "［", "⁅"+joiner, "[", "⁆"+joiner+joiner, "］", "⁆"+joiner, "]",
		"꞉"+joiner+joiner, "：", "꞉"+joiner, ":",
	)
)

const (
	unseen    = `[\p{Cf}\x{FE00}-\x{FE0F}]*`
	opens     = `[<＜﹤]`
	shuts     = `[>＞﹥]`
	bar       = unseen + `[|｜]` + unseen
	tagSlash  = unseen + `[/／]?` + unseen
	ends      = `[>＞﹥\]］]`
	barToken  = opens + bar + ends + `?|` + bar + ends + `|[\[［]` + bar + ends + `?`
	wordToken = `[\[［]` + unseen + `[/／]?` + unseen + `[a-z]?[A-ZＡ-Ｚ][A-ZＡ-Ｚ_0-9\p{Cf}]{1,40}[\]］]`
	// tokenTag matches tags that are tokens in every text. Authors may use the tags of roleTag and
	// loudTag to structure instructions.
	tokenTag = opens + tagSlash + `(?i:s|sys|[be]os|pad|unk|mask|sop|eop|(?:bos|eos|pad)_token|(?:start|end)_of_(?:turn|utterance|image)|extra_id_\d+|extra_\d+|unused\d+|reserved_\d+|fim[_-]\w+|_user|_system|_bot)` + unseen + shuts
	roleTag  = opens + tagSlash + `(?i:system|user|assistant|human|ai|bot|model|developer|tool|role|message|turn|think(?:ing)?|instructions?|prompt|[\pL\pN\p{Cf}-]*[\pN_▁＿:Ａ-Ｚａ-ｚ][\pL\pN_▁＿:.\p{Cf}-]*)` + unseen + shuts
	loudTag  = opens + tagSlash + `(?:[A-ZＡ-Ｚ][A-ZＡ-Ｚ\p{Cf}]*|[\p{Han}\p{Cf}]+)` + shuts
	speakers = `system|user|assistant|human|ai|bot|chatbot|model|developer|tool|instructions?|response|input|output|observation|ассистент|пользователь|система`
	roleLine = `(?:^|[\n\r\x{85}\x{2028}\x{2029}])[ \t#*>_]*(?:[\pL\pN]+ ){0,2}(?i:` + speakers + `)[ \t*_\p{Cf}]*:|\b(?:USER|ASSISTANT|SYSTEM|HUMAN|GPT4 Correct (?:User|Assistant))\p{Cf}*:`
)

// tokenFinder finds tokens. begins matches a token at the start of a text. The optional ends
// matches a speaker with a colon at the end of a text.
type tokenFinder struct{ begins, ends func() *regexp.Regexp }

var (
	// templateTokens must not occur in a request. speechTokens must not occur in a player's
	// message.
	templateTokens = tokenFinder{begins: compileTokens(barToken, wordToken, tokenTag)}
	speechTokens   = tokenFinder{
		begins: compileTokens(barToken, wordToken, tokenTag, roleTag, loudTag),
		ends:   Pattern(`(?:` + roleLine + `)\z`),
	}

	speakerWord = Pattern(`\A(?i:` + speakers + `)\z`)
)

func compileTokens(forms ...string) func() *regexp.Regexp {
	return Pattern(`\A(?:` + strings.Join(forms, "|") + `)`)
}

const maxToken = 64

// breakText examines each character at most 2*maxToken times.
func (f tokenFinder) breakText(text string) string {
	var out strings.Builder
	kept := 0
	for at := 0; at < len(text); at++ {
		if size := f.matchToken(text, at); size > 0 {
			out.WriteString(text[kept:at] + markBreaker.Replace(text[at:at+size]))
			kept = at + size
			at = kept - 1
		}
	}
	if kept == 0 {
		return text
	}
	return out.String() + text[kept:]
}

func (f tokenFinder) matchToken(text string, offset int) int {
	if c := text[offset]; c != '<' && c != '[' && c != '|' && c != ':' && c != firstOfWide {
		return 0
	}
	r, size := utf8.DecodeRuneInString(text[offset:])
	if r == ':' || r == '：' {
		if f.ends != nil && f.ends().MatchString(lineBefore(text[:offset])+":") {
			return size
		}
		return 0
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text[offset+size:], isUnseen))
	if !beginsToken(r, next) {
		return 0
	}
	return len(f.begins().FindString(clipVisible(text[offset:])))
}

func beginsToken(r, next rune) bool {
	if strings.ContainsRune("|｜", r) {
		return strings.ContainsRune(">＞﹥]］", next)
	}
	return strings.ContainsRune("<＜﹤[［", r) && (unicode.IsLetter(next) || strings.ContainsRune("|｜/／_▁", next))
}

const firstOfWide = 0xEF

func isUnseen(r rune) bool { return unicode.Is(unicode.Cf, r) || r >= 0xFE00 && r <= 0xFE0F }

func clipVisible(text string) string {
	seen := 0
	for i, r := range text {
		if !isUnseen(r) {
			seen++
		}
		if seen > maxToken {
			return text[:i]
		}
	}
	return text
}

func lineBefore(text string) string {
	named := strings.TrimRightFunc(text, func(r rune) bool { return isUnseen(r) || strings.ContainsRune(" \t*_", r) })
	tail := named[max(0, len(named)-maxToken):]
	word := tail[strings.LastIndexFunc(tail, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	if !speakerWord().MatchString(word) {
		return ""
	}
	start := len(text)
	for seen := 0; start > 0 && seen < maxToken; {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
		if !isUnseen(r) {
			seen++
		}
	}
	return text[start:]
}

// BreakTokens breaks the control tokens in a player's message. BreakTokens also breaks role tags
// and line starts such as "System:". MendTokens reverses the change.
func BreakTokens(text string) string { return speechTokens.breakText(text) }

// BreakTemplateTokens breaks the control tokens in an author's text. Role tags and speaker lines
// stay unchanged.
func BreakTemplateTokens(text string) string { return templateTokens.breakText(text) }

// HasTokens reports whether BreakTokens changes a text.
func HasTokens(text string) bool {
	for at := range len(text) {
		if speechTokens.matchToken(text, at) > 0 {
			return true
		}
	}
	return false
}

// MendTokens restores broken tokens in a model's answer.
func MendTokens(text string) string {
	if !strings.Contains(text, joiner) {
		return text
	}
	return markMender.Replace(text)
}

// CutLookAlike cuts a look-alike off the end of a piece. MendTokens needs the joiners at the start
// of the next piece.
func CutLookAlike(piece string) (before, cut string) {
	whole := strings.TrimRight(piece, joiner)
	if last, size := utf8.DecodeLastRuneInString(whole); size > 0 && strings.ContainsRune(lookAlikes, last) {
		return piece[:len(whole)-size], piece[len(whole)-size:]
	}
	return piece, ""
}
