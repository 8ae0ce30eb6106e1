package nlu

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

// linkWords may stand between "you" and what somebody is called.
var linkWords = makeSet(`are were a an the such just nothing but of really only so absolute complete total utter little big old fat bloody fucking damn stinking always and`)

// calledNames reports whether the words behind a "you" name whom they address: at most
// four, the last of them a noun that insults.
func calledNames(w []string) bool {
	for i, t := range w {
		if t != "you" || i > 0 && (w[i-1] == "to" || w[i-1] == "for" || w[i-1] == "give" || w[i-1] == "bring") {
			continue
		}
		if endsInName(w[i+1 : min(len(w), i+7)]) {
			return true
		}
	}
	return false
}

// endsInName reports whether some words are adjectives and a name: no pronoun, no verb
// but "are", nothing friendly.
func endsInName(w []string) bool {
	adjectives := 0
	for i, t := range w {
		switch {
		case friendlyWords[t]:
			return false
		case formNouns[t] || insultNouns[t]:
			return i == len(w)-1 || !joinsName[w[i+1]]
		case linkWords[t] || insultWords[t]:
		default:
			adjectives++
		}
		if adjectives > 2 || asks[t] && t != "are" && t != "were" || ownWords[t] {
			return false
		}
	}
	return false
}

// joinsName are words before which a noun is no name: "your dog is", "you dog the".
var joinsName = makeSet("is was has will would can")

// menaces threaten without a violent word, menacing words where "you" or "your" stands too.
var (
	menaces  = splitPhrases("or else|you will regret|you will be sorry|you will pay for|know where you live|know where you sleep|last time i ask|last chance|accidents happen|would be a pity if|would be a shame if|be a pity if|be a shame if|be sad if|such a pity if|such a shame if|would be a pity were|you would not want|watch your back|sleep lightly|sleep with one eye|one more word|or you will|before i lose|while you still can|while you still have|if you value|come down in one piece|say your prayers|i will make you|my friends are|my men are|my brothers|my boys|ask nicely|not ask again|not ask twice|teach you a lesson|happened to you|happen to you|happens to you|happen to your|happened to your|taste my|be your last")
	menacing = makeSet("regret suffer pity shame")
)

func isMenace(w []string) bool {
	if containsPhrase(w, menaces) {
		return true
	}
	return containsAny(w, menacing) && (containsWord(w, "you") || containsWord(w, "your")) && containsWord(w, "if")
}
