package plaintext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Control tokens such as <|im_start|> and [INST] mark the speakers in chat templates. A server that
// concatenates texts and searches for tokens afterwards would mistake a player's token for a real
// one. So the character that makes a token is replaced by a look-alike that Unicode normalization
// does not reverse, followed by word joiners; their number identifies the original character. In an
// answer the replacement is reversed.
const (
	joiner     = "\u2060"
	lookAlikes = "‹›⁅⁆꞉"
)

var (
	// markBreaker replaces characters by look-alikes: if several characters share one, the first
	// has one joiner behind it, the next one two. markMender reverses that.
	markBreaker = strings.NewReplacer(
		"<", "‹"+joiner, "＜", "‹"+joiner+joiner, "﹤", "‹"+joiner+joiner+joiner, ">", "›"+joiner, "＞", "›"+joiner+joiner, "﹥", "›"+joiner+joiner+joiner,
		"[", "⁅"+joiner, "［", "⁅"+joiner+joiner, "]", "⁆"+joiner, "］", "⁆"+joiner+joiner, ":", "꞉"+joiner, "：", "꞉"+joiner+joiner,
	)
	markMender = strings.NewReplacer(
		"‹"+joiner+joiner+joiner, "﹤", "‹"+joiner+joiner, "＜", "‹"+joiner, "<", "›"+joiner+joiner+joiner, "﹥", "›"+joiner+joiner, "＞", "›"+joiner, ">",
		"⁅"+joiner+joiner, "［", "⁅"+joiner, "[", "⁆"+joiner+joiner, "］", "⁆"+joiner, "]", "꞉"+joiner+joiner, "：", "꞉"+joiner, ":",
	)
)

// The parts of the tokens in common templates, in half and full width, with invisible characters in
// between.
const (
	unseen   = `[\p{Cf}\x{FE00}-\x{FE0F}]*`
	opens    = `[<＜﹤]`
	shuts    = `[>＞﹥]`
	bar      = unseen + `[|｜]` + unseen
	tagSlash = unseen + `[/／]?` + unseen
	ends     = `[>＞﹥\]］]`
	barToken = opens + bar + ends + `?|` + bar + ends + `|[\[［]` + bar + ends + `?`
	// wordToken are words in brackets, such as [INST], [/SYSTEM_PROMPT] and [gMASK].
	wordToken = `[\[［]` + unseen + `[/／]?` + unseen + `[a-z]?[A-ZＡ-Ｚ][A-ZＡ-Ｚ_0-9\p{Cf}]{1,40}[\]］]`
	// tokenTag matches tags that are tokens of templates, roleTag those of speakers. An author may
	// structure instructions with the latter, with words like <house_rules> and with capitals.
	tokenTag = opens + tagSlash + `(?i:s|sys|[be]os|pad|unk|mask|sop|eop|(?:bos|eos|pad)_token|(?:start|end)_of_(?:turn|utterance|image)|extra_id_\d+|extra_\d+|unused\d+|reserved_\d+|fim[_-]\w+|_user|_system|_bot)` + unseen + shuts
	roleTag  = opens + tagSlash + `(?i:system|user|assistant|human|ai|bot|model|developer|tool|role|message|turn|think(?:ing)?|instructions?|prompt|[\pL\pN\p{Cf}-]*[\pN_▁＿:Ａ-Ｚａ-ｚ][\pL\pN_▁＿:.\p{Cf}-]*)` + unseen + shuts
	loudTag  = opens + tagSlash + `(?:[A-ZＡ-Ｚ][A-ZＡ-Ｚ\p{Cf}]*|[\p{Han}\p{Cf}]+)` + shuts
	// speakers are the words with which templates without tokens begin a turn.
	speakers = `system|user|assistant|human|ai|bot|chatbot|model|developer|tool|instructions?|response|input|output|observation|ассистент|пользователь|система`
	// roleLine begins a line, or in capitals a turn, as templates without tokens do.
	roleLine = `(?:^|[\n\r\x{85}\x{2028}\x{2029}])[ \t#*>_]*(?:[\pL\pN]+ ){0,2}(?i:` + speakers + `)[ \t*_\p{Cf}]*:|\b(?:USER|ASSISTANT|SYSTEM|HUMAN|GPT4 Correct (?:User|Assistant))\p{Cf}*:`
)

// tokenFinder finds tokens: begins matches one at the beginning of a text, ends one that ends
// with a colon at its end; nil looks for none.
type tokenFinder struct{ begins, ends func() *regexp.Regexp }

var (
	// templateTokens must not occur anywhere in a request; speechTokens must not occur in speech.
	templateTokens = tokenFinder{begins: compileTokens(barToken, wordToken, tokenTag)}
	speechTokens   = tokenFinder{compileTokens(barToken, wordToken, tokenTag, roleTag, loudTag), Pattern(`(?:` + roleLine + `)\z`)}

	// speakerWord is the end of a text that names a speaker.
	speakerWord = Pattern(`\A(?i:` + speakers + `)\z`)
)

func compileTokens(forms ...string) func() *regexp.Regexp {
	return Pattern(`\A(?:` + strings.Join(forms, "|") + `)`)
}

// maxToken is how many visible characters of a text are looked at for one token.
const maxToken = 64

// breakText puts look-alikes into the tokens of a text. It looks at each character at most
// 2*maxToken times.
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

// matchToken returns the length of the token at an offset, or of the colon if the line begins like
// one of a speaker; 0 without a token. For most offsets the next character already excludes a
// token.
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

// beginsToken reports for two characters that follow each other whether a token can begin so.
func beginsToken(r, next rune) bool {
	if strings.ContainsRune("|｜", r) {
		return strings.ContainsRune(">＞﹥]］", next)
	}
	return strings.ContainsRune("<＜﹤[［", r) && (unicode.IsLetter(next) || strings.ContainsRune("|｜/／_▁", next))
}

// firstOfWide is the first byte of the forms in full width.
const firstOfWide = 0xEF

func isUnseen(r rune) bool { return unicode.Is(unicode.Cf, r) || r >= 0xFE00 && r <= 0xFE0F }

// clipVisible returns the beginning of a text up to maxToken visible characters.
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

// lineBefore returns the last maxToken visible characters of a text; "" where its last word
// names no speaker.
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

// BreakTokens removes control tokens from a message, including tags that look like them and lines
// that begin like those of another speaker. MendTokens reverses it.
func BreakTokens(text string) string { return speechTokens.breakText(text) }

// BreakTemplateTokens returns an author's text without the control tokens that no author
// writes.
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

// MendTokens restores the original characters of broken tokens that a model repeats.
func MendTokens(text string) string {
	if !strings.Contains(text, joiner) {
		return text
	}
	return markMender.Replace(text)
}

// CutLookAlike cuts a look-alike off the end of a piece of a text, because joiners that identify
// its original may follow in the next piece.
func CutLookAlike(piece string) (before, cut string) {
	whole := strings.TrimRight(piece, joiner)
	if last, size := utf8.DecodeLastRuneInString(whole); size > 0 && strings.ContainsRune(lookAlikes, last) {
		return piece[:len(whole)-size], piece[len(whole)-size:]
	}
	return piece, ""
}
