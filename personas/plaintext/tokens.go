package plaintext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Control tokens such as <|im_start|> and [INST] mark the speakers in chat templates. A server that
// concatenates texts and then searches for tokens would take a player's token for a real one.
// Therefore the first character of a token is replaced by a look-alike and word joiners. Unicode
// normalization does not convert the look-alike back. The number of joiners identifies the original
// character, so that MendTokens can restore it in a model's answer.
const (
	joiner     = "\u2060"
	lookAlikes = "‹›⁅⁆꞉"
)

var (
	// markBreaker replaces characters with look-alikes. Several characters have the same
	// look-alike. The first of them gets one joiner, the second two, and so on. markMender reverses
	// that.
	markBreaker = strings.NewReplacer(
		"<", "‹"+joiner, "＜", "‹"+joiner+joiner, "﹤", "‹"+joiner+joiner+joiner, ">", "›"+joiner, "＞", "›"+joiner+joiner, "﹥", "›"+joiner+joiner+joiner,
		"[", "⁅"+joiner, "［", "⁅"+joiner+joiner, "]", "⁆"+joiner, "］", "⁆"+joiner+joiner, ":", "꞉"+joiner, "：", "꞉"+joiner+joiner,
	)
	markMender = strings.NewReplacer(
		"‹"+joiner+joiner+joiner, "﹤", "‹"+joiner+joiner, "＜", "‹"+joiner, "<", "›"+joiner+joiner+joiner, "﹥", "›"+joiner+joiner, "＞", "›"+joiner, ">",
		"⁅"+joiner+joiner, "［", "⁅"+joiner, "[", "⁆"+joiner+joiner, "］", "⁆"+joiner, "]", "꞉"+joiner+joiner, "：", "꞉"+joiner, ":",
	)
)

// Patterns for the parts of the tokens in common templates. They match characters in half and full
// width, and allow invisible characters between the parts.
const (
	unseen   = `[\p{Cf}\x{FE00}-\x{FE0F}]*`
	opens    = `[<＜﹤]`
	shuts    = `[>＞﹥]`
	bar      = unseen + `[|｜]` + unseen
	tagSlash = unseen + `[/／]?` + unseen
	ends     = `[>＞﹥\]］]`
	barToken = opens + bar + ends + `?|` + bar + ends + `|[\[［]` + bar + ends + `?`
	// wordToken matches words in brackets, such as [INST], [/SYSTEM_PROMPT] and [gMASK].
	wordToken = `[\[［]` + unseen + `[/／]?` + unseen + `[a-z]?[A-ZＡ-Ｚ][A-ZＡ-Ｚ_0-9\p{Cf}]{1,40}[\]］]`
	// tokenTag matches tags that are tokens of templates, and roleTag matches tags that mark speakers.
	// Authors may use role tags, tags in capitals and tags such as <house_rules> to structure
	// instructions.
	tokenTag = opens + tagSlash + `(?i:s|sys|[be]os|pad|unk|mask|sop|eop|(?:bos|eos|pad)_token|(?:start|end)_of_(?:turn|utterance|image)|extra_id_\d+|extra_\d+|unused\d+|reserved_\d+|fim[_-]\w+|_user|_system|_bot)` + unseen + shuts
	roleTag  = opens + tagSlash + `(?i:system|user|assistant|human|ai|bot|model|developer|tool|role|message|turn|think(?:ing)?|instructions?|prompt|[\pL\pN\p{Cf}-]*[\pN_▁＿:Ａ-Ｚａ-ｚ][\pL\pN_▁＿:.\p{Cf}-]*)` + unseen + shuts
	loudTag  = opens + tagSlash + `(?:[A-ZＡ-Ｚ][A-ZＡ-Ｚ\p{Cf}]*|[\p{Han}\p{Cf}]+)` + shuts
	// speakers are the words that start a turn in templates without tokens.
	speakers = `system|user|assistant|human|ai|bot|chatbot|model|developer|tool|instructions?|response|input|output|observation|ассистент|пользователь|система`
	// roleLine matches the start of a turn in templates without tokens. That is a speaker and a
	// colon at the start of a line, or a speaker in capitals and a colon anywhere.
	roleLine = `(?:^|[\n\r\x{85}\x{2028}\x{2029}])[ \t#*>_]*(?:[\pL\pN]+ ){0,2}(?i:` + speakers + `)[ \t*_\p{Cf}]*:|\b(?:USER|ASSISTANT|SYSTEM|HUMAN|GPT4 Correct (?:User|Assistant))\p{Cf}*:`
)

// tokenFinder finds tokens. begins matches a token at the start of a text. ends matches the speaker
// of a line, up to the colon, at the end of a text. ends may be nil.
type tokenFinder struct{ begins, ends func() *regexp.Regexp }

var (
	// templateTokens must not occur in a request. speechTokens must not occur in a player's message.
	templateTokens = tokenFinder{begins: compileTokens(barToken, wordToken, tokenTag)}
	speechTokens   = tokenFinder{compileTokens(barToken, wordToken, tokenTag, roleTag, loudTag), Pattern(`(?:` + roleLine + `)\z`)}

	speakerWord = Pattern(`\A(?i:` + speakers + `)\z`)
)

func compileTokens(forms ...string) func() *regexp.Regexp {
	return Pattern(`\A(?:` + strings.Join(forms, "|") + `)`)
}

// maxToken is the maximum number of visible characters that are examined for one token.
const maxToken = 64

// breakText replaces characters of the tokens in text with look-alikes. It examines each character
// at most 2*maxToken times.
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

// matchToken returns the length of the token at an offset. If the offset is that of the colon after
// a speaker, it returns the length of the colon. Otherwise it returns 0.
func (f tokenFinder) matchToken(text string, at int) int {
	if c := text[at]; c != '<' && c != '[' && c != '|' && c != ':' && c != firstOfWide {
		return 0
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	if r == ':' || r == '：' {
		if f.ends != nil && f.ends().MatchString(lineBefore(text[:at])+":") {
			return size
		}
		return 0
	}
	if next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text[at+size:], isUnseen)); !beginsToken(r, next) {
		return 0
	}
	return len(f.begins().FindString(clipVisible(text[at:])))
}

func beginsToken(r, next rune) bool {
	if strings.ContainsRune("|｜", r) {
		return strings.ContainsRune(">＞﹥]］", next)
	}
	return strings.ContainsRune("<＜﹤[［", r) && (unicode.IsLetter(next) || strings.ContainsRune("|｜/／_▁", next))
}

// firstOfWide is the first byte of the full-width characters in UTF-8.
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

// BreakTokens breaks the control tokens in a message. It also breaks tags that look like tokens,
// and the start of a line that looks like another speaker's line. MendTokens reverses it.
func BreakTokens(text string) string { return speechTokens.breakText(text) }

// BreakTemplateTokens breaks the control tokens in an author's text. It leaves tags and lines that
// authors may use unchanged.
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

// CutLookAlike cuts a look-alike off the end of a piece of text. The next piece may begin with the
// joiners that identify the original character.
func CutLookAlike(piece string) (before, cut string) {
	whole := strings.TrimRight(piece, joiner)
	if last, size := utf8.DecodeLastRuneInString(whole); size > 0 && strings.ContainsRune(lookAlikes, last) {
		return piece[:len(whole)-size], piece[len(whole)-size:]
	}
	return piece, ""
}
