package offline

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// textForm is a regular expression with what a text must contain for it to be found: the
// search for these is far cheaper, and hardly a message has any of them. It is compiled when
// it is first needed.
type textForm struct {
	required func() []string // of which one must stand in the folded text; none for any text
	words    func() *regexp.Regexp
}

// maxClassTexts is from how many characters on a class says nothing.
const maxClassTexts = 8

func newTextForm(expression string) textForm {
	return textForm{
		required: sync.OnceValue(func() []string {
			tree, err := syntax.Parse(expression, syntax.Perl)
			if err != nil {
				return nil
			}
			return dropLonger(requiredTexts(tree.Simplify()))
		}),
		words: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) }),
	}
}

// dropLonger leaves out the texts that contain another one.
func dropLonger(texts []string) []string {
	slices.Sort(texts)
	texts = slices.Compact(texts)
	return slices.DeleteFunc(slices.Clone(texts), func(long string) bool {
		return slices.ContainsFunc(texts, func(part string) bool { return part != long && strings.Contains(long, part) })
	})
}

// isIn reports whether the form is in a text, which is given folded, too.
func (f *textForm) isIn(text, folded string) bool {
	if required := f.required(); len(required) > 0 && !slices.ContainsFunc(required, func(part string) bool { return strings.Contains(folded, part) }) {
		return false
	}
	return f.words().MatchString(text)
}

// foldLetters returns a text in small letters, those included that an expression takes for
// others of the alphabet whatever their case.
func foldLetters(text string) string {
	return strings.ReplaceAll(strings.ToLower(text), "ſ", "s")
}

// requiredTexts returns texts, folded, of which one is in whatever an expression matches;
// none where nothing can be said.
func requiredTexts(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{foldLetters(string(re.Rune))}
	case syntax.OpCharClass:
		return classTexts(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return requiredTexts(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredTexts(re.Sub[0])
		}
	case syntax.OpAlternate:
		return requiredOfEach(re.Sub)
	case syntax.OpConcat:
		return requiredOfAny(re.Sub)
	}
	return nil
}

// classTexts returns the characters of a small class, given as ranges; none for a large one.
func classTexts(ranges []rune) []string {
	var out []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(out) == maxClassTexts {
				return nil
			}
			out = append(out, foldLetters(string(r)))
		}
	}
	return out
}

// requiredOfEach returns what one of several expressions requires; none where one of them
// requires nothing.
func requiredOfEach(parts []*syntax.Regexp) []string {
	var out []string
	for _, part := range parts {
		texts := requiredTexts(part)
		if texts == nil {
			return nil
		}
		out = append(out, texts...)
	}
	return out
}

// requiredOfAny returns what that part of a sequence requires which tells the most: of which
// the shortest text is longest, and of such parts one with few texts.
func requiredOfAny(parts []*syntax.Regexp) []string {
	var best []string
	for _, part := range parts {
		texts := requiredTexts(part)
		switch size := shortest(texts); {
		case size > shortest(best), size == shortest(best) && len(texts) < len(best):
			best = texts
		}
	}
	return best
}

func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	size := len(texts[0])
	for _, text := range texts {
		size = min(size, len(text))
	}
	return size
}
