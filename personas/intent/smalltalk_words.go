package intent

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// maxBeginnings is how many beginnings an expression may have for it to be looked up by
// them.
const maxBeginnings = 500

// firstWords returns the words with which what an expression matches can begin, each with a
// blank behind it: the first two where these can be listed, else the first; none where
// neither can.
func firstWords(expression string) []string {
	re, err := syntax.Parse(expression+" ", syntax.Perl)
	if err != nil {
		return nil
	}
	for words := 2; words > 0; words-- {
		texts := beginnings(re, words)
		if texts != nil && !slices.ContainsFunc(texts, func(text string) bool { return !hasWords(text, 1) }) {
			return cutWords(texts, words)
		}
	}
	return nil
}

// cutWords cuts texts behind so many words, where they have more.
func cutWords(texts []string, words int) []string {
	for i, text := range texts {
		texts[i] = firstFields(text, words)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// firstFields returns a text to the blank behind so many words, or all of it.
func firstFields(text string, words int) string {
	end := 0
	for range words {
		next := strings.IndexByte(text[end:], ' ')
		if next < 0 {
			return text
		}
		end += next + 1
	}
	return text[:end]
}

// hasWords reports whether a text has so many words, each with a blank behind it.
func hasWords(text string, words int) bool { return strings.Count(text, " ") >= words }

// beginnings returns the texts with which an expression can begin, each at least to the
// blank behind so many words, or to its end; none where they cannot be listed.
func beginnings(re *syntax.Regexp, words int) []string {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		return classLetters(re.Rune)
	case syntax.OpCapture:
		return beginnings(re.Sub[0], words)
	case syntax.OpQuest:
		return orNothing(beginnings(re.Sub[0], words))
	case syntax.OpStar:
		return orNothing(onceOnly(beginnings(re.Sub[0], words), words))
	case syntax.OpPlus:
		return onceOnly(beginnings(re.Sub[0], words), words)
	case syntax.OpRepeat:
		if re.Min == 0 {
			return orNothing(onceOnly(beginnings(re.Sub[0], words), words))
		}
		return onceOnly(beginnings(re.Sub[0], words), words)
	case syntax.OpAlternate:
		return alternatives(re.Sub, words)
	case syntax.OpConcat:
		return sequence(re.Sub, words)
	}
	return nil
}

func orNothing(texts []string) []string {
	if texts == nil {
		return nil
	}
	return append(slices.Clip(texts), "")
}

// onceOnly returns up on a repetition whose text has fewer words: "hm+" begins endless ones.
func onceOnly(texts []string, words int) []string {
	if slices.ContainsFunc(texts, func(text string) bool { return !hasWords(text, words) }) {
		return nil
	}
	return texts
}

// classLetters are the characters of a small class.
func classLetters(ranges []rune) []string {
	var out []string
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > 3 {
			return nil
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			out = append(out, string(r))
		}
	}
	return out
}

func alternatives(parts []*syntax.Regexp, words int) []string {
	var out []string
	for _, part := range parts {
		texts := beginnings(part, words)
		if texts == nil {
			return nil
		}
		out = append(out, texts...)
	}
	return out
}

func sequence(parts []*syntax.Regexp, words int) []string {
	out := []string{""}
	for _, part := range parts {
		if !slices.ContainsFunc(out, func(text string) bool { return !hasWords(text, words) }) {
			return out
		}
		texts := beginnings(part, words)
		if texts == nil || len(out)*len(texts) > maxBeginnings {
			return nil
		}
		var longer []string
		for _, text := range out {
			if hasWords(text, words) {
				longer = append(longer, text)
				continue
			}
			for _, more := range texts {
				longer = append(longer, text+more)
			}
		}
		out = longer
	}
	return out
}
