package nlu

import "slices"

// Stance is how a speaker stands to what he says: whether he does it, holds it out, or
// takes it back. Each is from 0 (not at all) to 1 (for certain).
type Stance struct {
	Hedged      float64 // a deed that he may do: "I could pay, perhaps"
	Withheld    float64 // what is said first is taken back, or lost: "here it is, but you won't get it"
	Conditional float64 // "only if you pay me"
	Declined    float64 // a soft no: "no idea", "I would rather not"
	Promised    float64 // of doing and of not doing
	LastDenies  bool    // the last clause is negated
}

var (
	hedgeWords = map[string]bool{
		"maybe": true, "perhaps": true, "possibly": true, "probably": true, "supposedly": true, "someday": true,
	}
	hedgePhrases = [][]string{
		{"i", "might"}, {"we", "might"}, {"i", "may"}, {"we", "may"}, {"i", "guess"}, {"i", "suppose"}, {"i", "would", "think", "about"},
		{"i", "will", "think", "about"}, {"think", "about", "it"}, {"think", "it", "over"}, {"let", "me", "think"}, {"we", "will", "see"}, {"some", "day"},
		{"one", "day"}, {"not", "sure", "if"}, {"not", "sure", "whether"}, {"i", "do", "not", "know", "if"}, {"would", "consider"}, {"will", "consider"},
		{"might", "be"}, {"might", "have"}, {"it", "depends"}, {"sort", "of"}, {"kind", "of"}, {"if", "i", "feel", "like"}, {"or", "maybe", "not"},
		{"or", "not"},
	}
	ableTo = [][]string{
		{"i", "could"}, {"we", "could"},
	}
	lossWords = map[string]bool{
		"lost": true, "lose": true, "ate": true, "eaten": true, "sold": true, "stolen": true, "forgot": true, "forgotten": true, "burned": true,
		"burnt": true, "gone": true, "ruined": true, "spilled": true, "spilt": true, "dropped": true, "wasted": true, "misplaced": true, "drowned": true,
		"vanished": true, "missing": true, "empty": true,
	}
	conditions = [][]string{
		{"if", "you"}, {"only", "if"}, {"unless"}, {"as", "long", "as"}, {"provided"}, {"in", "return"}, {"but", "first"}, {"only", "when"},
		{"on", "condition"}, {"not", "before"}, {"not", "until"},
	}
	softNoes = [][]string{
		{"no", "idea"}, {"no", "clue"}, {"i", "am", "afraid"}, {"unfortunately"}, {"do", "not", "know"}, {"do", "not", "remember"},
		{"can", "not", "remember"}, {"rather", "not"}, {"prefer", "not"}, {"not", "your", "business"}, {"not", "business"},
		{"none", "of", "your", "business"}, {"not", "of", "your", "business"}, {"why", "should", "i"}, {"not", "sure"}, {"do", "not", "promise"},
		{"can", "not", "promise"}, {"not", "say"}, {"not", "tell"}, {"no", "comment"}, {"not", "telling"}, {"do", "not", "feel", "like"},
		{"not", "in", "the", "mood"}, {"do", "not", "want", "to"}, {"do", "not", "care"}, {"not", "my", "problem"}, {"not", "really"}, {"not", "now"},
		{"not", "yet"}, {"maybe", "later"}, {"some", "other", "time"}, {"another", "time"}, {"what", "for"}, {"who", "cares"}, {"not", "interested"},
		{"hard", "to", "say"}, {"do", "not", "see", "why"}, {"what", "is", "it", "to", "you"},
	}
	promises = [][]string{
		{"promise"}, {"swear"}, {"vow"}, {"pledge"}, {"my", "word"}, {"my", "honour"}, {"my", "honor"}, {"my", "oath"}, {"cross", "my", "heart"},
		{"never", "again"}, {"i", "will", "not"}, {"we", "will", "not"}, {"i", "will", "never"}, {"i", "shall", "not"}, {"i", "shall", "never"},
		{"not", "going", "to"}, {"you", "can", "count", "on", "me"}, {"rely", "on", "me"}, {"i", "would", "never"}, {"guarantee"}, {"depend", "on", "me"},
		{"on", "my", "life"}, {"so", "help", "me"},
	}
	contrasts = map[string]bool{
		"but": true, "though": true, "although": true, "however": true, "except": true, "yet": true, "only": true, "still": true,
	}
)

// maxStances is how many clauses of a text are read for the speaker's stance.
const maxStances = 100

// noteClauses adds what clauses that follow each other say of the speaker's stance.
func (s *Stance) noteClauses(clauses []clause, known *phraseTables) {
	contrast := false
	for _, c := range clauses[:min(len(clauses), maxStances)] {
		negated := isNegated(c.words)
		contrast = contrast || containsAny(c.words[:min(2, len(c.words))], contrasts)
		s.LastDenies = negated
		if c.question {
			s.Declined = max(s.Declined, asShare(known.softNoes.isIn(c.words))/2)
			continue
		}
		s.noteHedge(c.words, known)
		s.noteLoss(c.words, contrast, negated)
		s.Declined = max(s.Declined, asShare(known.softNoes.isIn(c.words)))
		s.Promised = max(s.Promised, asShare(known.promises.isIn(c.words)))
		s.Conditional = max(s.Conditional, asShare(known.conditions.isIn(c.words)))
	}
}

func (s *Stance) noteHedge(w []string, known *phraseTables) {
	word, able := containsAny(w, hedgeWords) || known.hedges.isIn(w), known.ableTo.isIn(w)
	switch {
	case word:
		s.Hedged = 1
	case able:
		s.Hedged = max(s.Hedged, 0.6)
	}
}

// noteLoss notes what is taken back: by a denial behind a "but", or by a loss.
func (s *Stance) noteLoss(w []string, contrast, negated bool) {
	lost := containsAny(w, lossWords)
	switch {
	case contrast && (negated || lost):
		s.Withheld = 1
	case lost && (containsAny(w, ownWords)):
		s.Withheld = max(s.Withheld, 0.7)
	}
}

var ownWords = map[string]bool{
	"i": true, "we": true, "my": true, "our": true, "it": true, "them": true, "they": true,
}

func asShare(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func isNegated(w []string) bool {
	return slices.ContainsFunc(w, func(t string) bool {
		switch t {
		case "not", "never", "no", "nobody", "without", "nor", "neither", "hardly", "none", "nothing":
			return true
		}
		return false
	})
}
