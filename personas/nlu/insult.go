package nlu

import (
	"slices"
	"strings"
)

// Insults and threats by their form: "you ADJECTIVE NOUN", and what would be a pity.

// formNouns insult only whom they name: "you monkey" does, "a monkey" does not.
var formNouns = makeSet(`fleabag peasant savage wretch mongrel cur dog hag crone goat donkey mule monkey ape chicken vulture crow peacock newt lizard barnacle lump tin windbag gasbag blowhard
	quack charlatan hack nobody failure disgrace joke muppet numpty git plonker pillock wimp weakling snob hypocrite leech tramp beggar scoundrel traitor snake weasel skunk slug maggot
	cockroach insect hen gnome dwarf troll goblin relic fossil dinosaur dolt ignoramus nincompoop twit airhead bonehead meathead shrew nag harpy busybody pest nuisance waste
	bag sack heap pile excuse brat bully tyrant miser skinflint crook swindler murderer pervert sissy whelp knave villain rogue varlet scum dog mutt beast carcass corpse skeleton mummy
	puppet robot toaster machine calculator junk scrap fishwife old-timer geezer codger biddy bat cripple baldy lardass turd fart pisspot stump stick scarecrow broomstick sponge parrot
	sheep sloth walrus whale hippo elephant rhino toadstool cabbage potato turnip vegetable mop rag doormat wanker loser bore sourpuss grouch crybaby`)

// friendlyWords are what is said of whom one likes.
var friendlyWords = makeSet(`lucky clever poor sweet dear beautiful brave kind good great lovely gorgeous funny wonderful amazing magnificent darling cute adorable precious wise best nice handsome splendid noble
	gentle brilliant smart crafty cheeky sly tough fine mighty proud friend friends silly`)

// scornWords may stand before what somebody is called: "you old goat". A word with an
// ending of scornEndings may too: "you toothless vulture".
var (
	scornWords   = makeSet(`little big old fat bloody fucking damn stinking dirty total utter absolute complete real right up ugly mean vile foul crazy mad blind deaf lame bald slow cold dead grumpy stupid dumb`)
	scornEndings = [...]string{"less", "y", "ed", "ing", "ish", "ous", "en", "nt", "ful"}
	callingWords = makeSet(`a an the such just nothing but really only more of like as`)
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
var takesListener = makeSet("to for give bring gave brought sell show tell told get buy offer with from see saw do did can could will would have has if when")

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
var joinsName = makeSet("is was has will would can")

// menaces threaten without a violent word, menacing words where "you" or "your" stands too.
var (
	menaces  = splitPhrases("or else|you will regret|you will be sorry|you will pay for|know where you live|know where you sleep|last time i ask|last chance|accidents happen|would be a pity if|would be a shame if|be a pity if|be a shame if|be sad if|such a pity if|such a shame if|would be a pity were|you would not want|watch your back|sleep lightly|sleep with one eye|one more word|before i lose|while you still can|while you still have|if you value|come down in one piece|say your prayers|i will make you|my friends are|my men are|my brothers|my boys|ask nicely|not ask again|not ask twice|teach you a lesson|happened to you|happen to you|happens to you|happen to your|happened to your|taste my|be your last")
	menacing = makeSet("regret suffer pity shame")
)

func isMenace(w []string) bool {
	if containsPhrase(w, menaces) {
		return true
	}
	return containsAny(w, menacing) && (containsWord(w, "you") || containsWord(w, "your")) && containsWord(w, "if")
}
