package intent

import (
	"slices"
	"strings"
)

// Insults and threats by their form: "you ADJECTIVE NOUN", and what would be a pity.

// formNouns insult only whom they name: "you monkey" does, "a monkey" does not.
var formNouns = map[string]bool{
	"fleabag": true, "peasant": true, "savage": true, "wretch": true, "mongrel": true, "cur": true, "dog": true, "hag": true, "crone": true,
	"goat": true, "donkey": true, "mule": true, "monkey": true, "ape": true, "chicken": true, "vulture": true, "crow": true, "peacock": true,
	"newt": true, "lizard": true, "barnacle": true, "lump": true, "tin": true, "windbag": true, "gasbag": true, "blowhard": true, "quack": true,
	"charlatan": true, "hack": true, "nobody": true, "failure": true, "disgrace": true, "joke": true, "muppet": true, "numpty": true, "git": true,
	"plonker": true, "pillock": true, "wimp": true, "weakling": true, "snob": true, "hypocrite": true, "leech": true, "tramp": true, "beggar": true,
	"scoundrel": true, "traitor": true, "snake": true, "weasel": true, "skunk": true, "slug": true, "maggot": true, "cockroach": true, "insect": true,
	"hen": true, "gnome": true, "dwarf": true, "troll": true, "goblin": true, "relic": true, "fossil": true, "dinosaur": true, "dolt": true,
	"ignoramus": true, "nincompoop": true, "twit": true, "airhead": true, "bonehead": true, "meathead": true, "shrew": true, "nag": true, "harpy": true,
	"busybody": true, "pest": true, "nuisance": true, "waste": true, "bag": true, "sack": true, "heap": true, "pile": true, "excuse": true, "brat": true,
	"bully": true, "tyrant": true, "miser": true, "skinflint": true, "crook": true, "swindler": true, "murderer": true, "pervert": true, "sissy": true,
	"whelp": true, "knave": true, "villain": true, "rogue": true, "varlet": true, "scum": true, "mutt": true, "beast": true, "carcass": true,
	"corpse": true, "skeleton": true, "mummy": true, "puppet": true, "robot": true, "toaster": true, "machine": true, "calculator": true, "junk": true,
	"scrap": true, "fishwife": true, "old-timer": true, "geezer": true, "codger": true, "biddy": true, "bat": true, "cripple": true, "baldy": true,
	"lardass": true, "turd": true, "fart": true, "pisspot": true, "stump": true, "stick": true, "scarecrow": true, "broomstick": true, "sponge": true,
	"parrot": true, "sheep": true, "sloth": true, "walrus": true, "whale": true, "hippo": true, "elephant": true, "rhino": true, "toadstool": true,
	"cabbage": true, "potato": true, "turnip": true, "vegetable": true, "mop": true, "rag": true, "doormat": true, "wanker": true, "loser": true,
	"bore": true, "sourpuss": true, "grouch": true, "crybaby": true,
}

// friendlyWords are what is said of whom one likes.
var friendlyWords = map[string]bool{
	"lucky": true, "clever": true, "poor": true, "sweet": true, "dear": true, "beautiful": true, "brave": true, "kind": true, "good": true,
	"great": true, "lovely": true, "gorgeous": true, "funny": true, "wonderful": true, "amazing": true, "magnificent": true, "darling": true,
	"cute": true, "adorable": true, "precious": true, "wise": true, "best": true, "nice": true, "handsome": true, "splendid": true, "noble": true,
	"gentle": true, "brilliant": true, "smart": true, "crafty": true, "cheeky": true, "sly": true, "tough": true, "fine": true, "mighty": true,
	"proud": true, "friend": true, "friends": true, "silly": true,
}

// scornWords may be before what somebody is called: "you old goat". A word with an
// ending of scornEndings may too: "you toothless vulture".
var (
	scornWords = map[string]bool{
		"little": true, "big": true, "old": true, "fat": true, "bloody": true, "fucking": true, "damn": true, "stinking": true, "dirty": true, "total": true,
		"utter": true, "absolute": true, "complete": true, "real": true, "right": true, "up": true, "ugly": true, "mean": true, "vile": true, "foul": true,
		"crazy": true, "mad": true, "blind": true, "deaf": true, "lame": true, "bald": true, "slow": true, "cold": true, "dead": true, "grumpy": true,
		"stupid": true, "dumb": true,
	}
	scornEndings = [...]string{"less", "y", "ed", "ing", "ish", "ous", "en", "nt", "ful"}
	callingWords = map[string]bool{
		"a": true, "an": true, "the": true, "such": true, "just": true, "nothing": true, "but": true, "really": true, "only": true, "more": true, "of": true,
		"like": true, "as": true,
	}
)

// calledNames reports whether the words behind a "you" name whom they address: "you
// toothless vulture", "you are nothing but a windbag".
func calledNames(w []string) bool {
	for i, t := range w {
		if t == "you" && (i == 0 || !takesListener[w[i-1]]) && endsInName(w[i+1:min(len(w), i+9)]) {
			return true
		}
	}
	return false
}

// takesListener are words behind which "you" is given something and not called anything.
var takesListener = map[string]bool{
	"to": true, "for": true, "give": true, "bring": true, "gave": true, "brought": true, "sell": true, "show": true, "tell": true, "told": true,
	"get": true, "buy": true, "offer": true, "with": true, "from": true, "see": true, "saw": true, "do": true, "did": true, "can": true, "could": true,
	"will": true, "would": true, "have": true, "has": true, "if": true, "when": true,
}

// endsInName reports whether some words are what somebody is called: words of scorn and a
// noun, behind "are" also with an article.
func endsInName(w []string) bool {
	called := len(w) > 0 && (w[0] == "are" || w[0] == "were")
	if called {
		w = w[1:]
	}
	for i, t := range w {
		switch {
		case friendlyWords[t]:
			return false
		case formNouns[t] || insultNouns[t]:
			return i == len(w)-1 || !joinsName[w[i+1]]
		case called && callingWords[t] || isScorn(t):
		default:
			return false
		}
	}
	return false
}

func isScorn(t string) bool {
	if scornWords[t] || insultWords[t] {
		return true
	}
	return slices.ContainsFunc(scornEndings[:], func(ending string) bool { return len(t) > len(ending)+2 && strings.HasSuffix(t, ending) })
}

// joinsName are words before which a noun is no name: "you dog is".
var joinsName = map[string]bool{
	"is": true, "was": true, "has": true, "will": true, "would": true, "can": true,
}

// menaces threaten without a violent word, menacing words where "you" or "your" stands too.
var (
	menaces = [][]string{
		{"or", "else"}, {"you", "will", "regret"}, {"you", "will", "be", "sorry"}, {"you", "will", "pay", "for"}, {"know", "where", "you", "live"},
		{"know", "where", "you", "sleep"}, {"last", "time", "i", "ask"}, {"last", "chance"}, {"accidents", "happen"}, {"would", "be", "a", "pity", "if"},
		{"would", "be", "a", "shame", "if"}, {"be", "a", "pity", "if"}, {"be", "a", "shame", "if"}, {"be", "sad", "if"}, {"such", "a", "pity", "if"},
		{"such", "a", "shame", "if"}, {"would", "be", "a", "pity", "were"}, {"you", "would", "not", "want"}, {"watch", "your", "back"}, {"sleep", "lightly"},
		{"sleep", "with", "one", "eye"}, {"one", "more", "word"}, {"before", "i", "lose"}, {"while", "you", "still", "can"},
		{"while", "you", "still", "have"}, {"if", "you", "value"}, {"come", "down", "in", "one", "piece"}, {"say", "your", "prayers"},
		{"i", "will", "make", "you"}, {"my", "friends", "are"}, {"my", "men", "are"}, {"my", "brothers"}, {"my", "boys"}, {"ask", "nicely"},
		{"not", "ask", "again"}, {"not", "ask", "twice"}, {"teach", "you", "a", "lesson"}, {"happened", "to", "you"}, {"happen", "to", "you"},
		{"happens", "to", "you"}, {"happen", "to", "your"}, {"happened", "to", "your"}, {"taste", "my"}, {"be", "your", "last"},
	}
	menacing = map[string]bool{
		"regret": true, "suffer": true, "pity": true, "shame": true,
	}
)

func isMenace(w []string, known phraseTable) bool {
	if known.isIn(w) {
		return true
	}
	return containsAny(w, menacing) && (containsWord(w, "you") || containsWord(w, "your")) && containsWord(w, "if")
}

var (
	insultNouns = map[string]bool{
		"idiot": true, "moron": true, "fool": true, "imbecile": true, "cretin": true, "bastard": true, "bitch": true, "asshole": true, "ass": true, "arsehole": true, "arse": true, "dick": true,
		"dickhead": true, "prick": true, "twat": true, "cunt": true, "wanker": true, "tosser": true, "jerk": true, "loser": true, "liar": true, "thief": true, "cheat": true, "crook": true,
		"fraud": true, "pig": true, "swine": true, "rat": true, "scum": true, "trash": true, "garbage": true, "clown": true, "coward": true, "witch": true, "hag": true, "cow": true,
		"worm": true, "parasite": true, "freak": true, "creep": true, "weirdo": true, "dumbass": true, "dummy": true, "dunce": true, "halfwit": true, "nitwit": true, "buffoon": true, "oaf": true,
		"brute": true, "monster": true, "slob": true, "whore": true, "slut": true, "scumbag": true, "douche": true, "douchebag": true, "fatso": true, "fatty": true, "toad": true, "vermin": true,
		"filth": true, "shithead": true, "bucket": true, "bimbo": true, "simpleton": true, "blockhead": true, "knucklehead": true, "dimwit": true, "pathetic": true, "shit": true, "crap": true,
		"fleabag": true, "wretch": true, "windbag": true, "blowhard": true, "muppet": true, "numpty": true, "git": true, "plonker": true, "pillock": true, "weakling": true, "dolt": true, "ignoramus": true,
		"nincompoop": true, "twit": true, "airhead": true, "bonehead": true, "meathead": true, "scoundrel": true, "charlatan": true, "crybaby": true, "sourpuss": true, "doormat": true,
	}
	insultWords = map[string]bool{
		"stupid": true, "dumb": true, "ugly": true, "fat": true, "pathetic": true, "worthless": true, "useless": true, "idiotic": true, "moronic": true, "brainless": true, "filthy": true, "disgusting": true,
		"damn": true, "damned": true, "bloody": true, "fucking": true, "stinking": true, "smelly": true, "lousy": true, "rotten": true, "crooked": true, "cowardly": true, "ignorant": true, "incompetent": true,
		"lazy": true, "senile": true, "miserable": true, "retarded": true, "insane": true, "rude": true, "lame": true, "boring": true, "hopeless": true, "crap": true, "shitty": true, "ridiculous": true,
		"creepy": true, "clueless": true,
	}
)

// clause is a run of words with at most one verb that acts.
type clause struct {
	words    []string
	question bool
}

// phraseTable has phrases by their first word.
type phraseTable map[string][][]string

// phraseTables are those by which a text's acts are known.
type phraseTables struct {
	quits, curses, menaces phraseTable
}

func newPhraseTable(phrases [][]string) phraseTable {
	t := make(phraseTable, len(phrases))
	for _, p := range phrases {
		t[p[0]] = append(t[p[0]], p)
	}
	return t
}

// findLongest returns how many words the longest phrase has that is in w; 0 for none.
func (t phraseTable) findLongest(w []string) int {
	longest := 0
	for i, first := range w {
		for _, p := range t[first] {
			if len(p) > longest && i+len(p) <= len(w) && slices.Equal(w[i:i+len(p)], p) {
				longest = len(p)
			}
		}
	}
	return longest
}

func containsWord(w []string, word string) bool { return slices.Contains(w, word) }

// maxPhraseWords is how many words of a clause are searched for phrases.
const maxPhraseWords = 60

// isIn reports whether a phrase stands among the first words of a clause.
func (t phraseTable) isIn(w []string) bool { return t.findLongest(w[:min(len(w), maxPhraseWords)]) > 0 }

func containsAny(w []string, set map[string]bool) bool {
	return slices.ContainsFunc(w, func(t string) bool { return set[t] })
}
