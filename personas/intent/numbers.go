package intent

import "strconv"

var units = map[string]float64{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}

var scales = map[string]float64{"hundred": 100, "thousand": 1000, "grand": 1000, "k": 1000, "million": 1e6, "dozen": 12}

// Numbers returns the numbers in a text, written in digits or English words.
func (x *Lexicon) Numbers(text string) []float64 { return x.Read(text).Numbers() }

// Numbers returns the numbers in the text.
func (r *Reading) Numbers() []float64 {
	var out []float64
	var whole, part float64
	open := false
	flush := func() {
		if open {
			out = append(out, whole+part)
		}
		whole, part, open = 0, 0, false
	}
	ts := r.whole.tokens
	for i, t := range ts {
		n, isUnit := units[t.text]
		if f, scale, ok := figure(t.text); ok {
			n, isUnit = f*scale, true
		}
		scale, isScale := scales[t.text]
		switch {
		case isUnit && t.text == "one" && !open && !(i+1 < len(ts) && scales[ts[i+1].text] > 0):
		case isUnit:
			part += n
			open = true
		case isScale && open && scale >= 1000:
			whole, part = whole+max(part, 1)*scale, 0
		case isScale && open:
			part = max(part, 1) * scale
		case isScale && i > 0 && (ts[i-1].text == "a" || ts[i-1].text == "one"):
			part, open = scale, true
			if scale >= 1000 {
				whole, part = scale, 0
			}
		case open && t.text == "and", open && t.text == "a":
		case open && t.text == "half":
			part += 0.5
		default:
			flush()
		}
	}
	flush()
	return out
}

func figure(word string) (n, scale float64, ok bool) {
	scale = 1
	if len(word) > 1 && word[len(word)-1] == 'k' {
		word, scale = word[:len(word)-1], 1000
	}
	n, err := strconv.ParseFloat(word, 64)
	return n, scale, err == nil && n >= 0 && n < 1e12
}
