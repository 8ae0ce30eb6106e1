package nlu

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// maxFirstWords is how many words an expression may begin with for it to be looked up
// by them.
const maxFirstWords = 500

// firstWords returns the words with which what an expression matches can begin; known is
// false where they cannot be listed.
func firstWords(expression string) (words []string, known bool) {
	re, err := syntax.Parse(expression+" ", syntax.Perl)
	if err != nil {
		return nil, false
	}
	for _, text := range beginnings(re) {
		word, _, whole := strings.Cut(text, " ")
		if !whole {
			return nil, false
		}
		words = append(words, word)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	return words, len(words) > 0
}

// beginnings returns the texts with which an expression can begin, each to its first
// blank; none where they cannot be listed.
func beginnings(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		return classLetters(re.Rune)
	case syntax.OpCapture:
		return beginnings(re.Sub[0])
	case syntax.OpQuest:
		return orNothing(beginnings(re.Sub[0]))
	case syntax.OpStar:
		return orNothing(onceOnly(beginnings(re.Sub[0])))
	case syntax.OpPlus:
		return onceOnly(beginnings(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min == 0 {
			return orNothing(onceOnly(beginnings(re.Sub[0])))
		}
		return onceOnly(beginnings(re.Sub[0]))
	case syntax.OpAlternate:
		return alternatives(re.Sub)
	case syntax.OpConcat:
		return sequence(re.Sub)
	}
	return nil
}

func orNothing(texts []string) []string {
	if texts == nil {
		return nil
	}
	return append(slices.Clip(texts), "")
}

// onceOnly gives up on a repetition whose text has no blank: "hm+" begins endless words.
func onceOnly(texts []string) []string {
	if slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(text, " ") }) {
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

func alternatives(parts []*syntax.Regexp) []string {
	var out []string
	for _, part := range parts {
		texts := beginnings(part)
		if texts == nil {
			return nil
		}
		out = append(out, texts...)
	}
	return out
}

func sequence(parts []*syntax.Regexp) []string {
	out := []string{""}
	for _, part := range parts {
		if !slices.ContainsFunc(out, func(text string) bool { return !strings.Contains(text, " ") }) {
			return out
		}
		texts := beginnings(part)
		if texts == nil || len(out)*len(texts) > maxFirstWords {
			return nil
		}
		var longer []string
		for _, text := range out {
			if strings.Contains(text, " ") {
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
