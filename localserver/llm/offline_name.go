package llm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
)

// maxCalled is how many characters of a name are kept that a player says of himself.
const maxCalled = 40

// introduction is how a language says by which name somebody goes.
type introduction struct {
	// surely come before a name, and loosely also before anything else, so that only
	// a capital letter tells a name.
	surely, loosely []string
	// never are words behind them that are no name, with or without a capital letter.
	never string
}

var introducing = map[string]introduction{
	"en": {
		[]string{"my name is", "my name's", "the name is", "the name's", "name's", "i am called", "i'm called", "im called", "call me", "they call me", "people call me", "everybody calls me", "everyone calls me", "friends call me"},
		[]string{"i am", "i'm", "im"},
		"english american british irish scottish welsh french german dutch spanish italian portuguese swedish danish norwegian finnish polish russian chinese japanese korean indian canadian australian mexican brazilian turkish greek swiss austrian african european asian christian catholic muslim jewish buddhist mr mrs ms miss dr god santa back here there ok okay sorry when if later tomorrow today unknown important none secret mine maybe crazy old-fashioned",
	},
	"de": {
		[]string{"mein name ist", "ich heisse", "nenn mich", "nennen sie mich", "man nennt mich", "alle nennen mich"}, []string{"ich bin"},
		"deutscher deutsche franzose englander kunde kundin gast lehrer lehrerin student studentin arzt arztin herr frau mutter vater freund freundin bruder schwester single vegetarier tourist hier da wichtig egal",
	},
	"fr": {
		[]string{"je m'appelle", "mon nom est", "mon prenom est", "appelle-moi", "appelez-moi", "on m'appelle"}, []string{"je suis", "moi c'est"},
		"francais anglais allemand suisse belge canadien monsieur madame mademoiselle docteur dieu ici desole important",
	},
	"es": {
		[]string{"me llamo", "mi nombre es", "llamame", "me llaman", "me dicen"}, []string{"soy", "yo soy"},
		"espanol mexicano argentino ingles dios senor senora doctor importante aqui",
	},
	"pt": {
		[]string{"meu nome e", "o meu nome e", "me chamo", "chamo-me", "eu me chamo", "me chame de", "me chamam de"}, []string{"sou", "eu sou", "sou o", "sou a"},
		"portugues brasileira brasileiro ingles deus senhor senhora doutor importante aqui",
	},
	"it": {
		[]string{"mi chiamo", "il mio nome e", "chiamami", "mi chiamano"}, []string{"sono", "io sono"},
		"italiano inglese tedesco dio signore signora dottore importante qui",
	},
}

// calledName is what the player is called: as he last introduced himself in this
// conversation, of which the summary keeps the name, else as he is signed in; empty
// where neither is known.
func (in Input) calledName() string {
	if name := introducedName(in, in.Message); name != "" {
		return name
	}
	for i := len(in.Recent) - 1; i >= 0; i-- {
		if in.Recent[i].Role != "user" {
			continue
		}
		if name := introducedName(in, in.Recent[i].Text); name != "" {
			return name
		}
	}
	if name := summaryName(in); name != "" {
		return name
	}
	return in.Player.Name
}

// summaryName is what a summary of the offline model calls the player; empty where the
// summary is another's, and where it knows no name.
func summaryName(in Input) string {
	head, _, _ := strings.Cut(in.Summary, "\n")
	name, _, found := strings.Cut(head, headVerb+plaintext.ClipWithin(speakerName(in), maxItem))
	if !found || !strings.HasSuffix(head, headEnd) || name == "The player" || utf8.RuneCountInString(name) > maxCalled {
		return ""
	}
	return name
}

// introducedName is the name by which a message introduces the player; empty for none.
func introducedName(in Input, message string) string {
	words, _, _ := CutDirectorMark(message)
	fields := strings.Fields(plaintext.ClipWithin(words, 400))
	folded := make([]string, len(fields))
	for i, field := range fields {
		folded[i] = strings.Trim(nlu.Fold(field), `(:"“*`)
	}
	known := introducing[languageOf(in)]
	if name := nameBehind(fields, folded, known.surely, known.never, true); name != "" {
		return name
	}
	return nameBehind(fields, folded, known.loosely, known.never, false)
}

// nameBehind is the name behind one of the phrases.
func nameBehind(fields, folded, phrases []string, never string, sure bool) string {
	for _, phrase := range phrases {
		want := strings.Fields(phrase)
		for i := 0; i+len(want) < len(fields); i++ {
			if !slices.Equal(folded[i:i+len(want)], want) || i > 0 && (isOthers(folded[i-1]) || len(want) == 1 && want[0] == "name's") {
				continue
			}
			if name := nameFrom(fields[i+len(want):], never, sure); name != "" {
				return name
			}
		}
	}
	return ""
}

// isOthers reports whether a word says that what follows is not about the speaker, or
// is denied.
func isOthers(word string) bool {
	switch word {
	case "not", "never", "don't", "dont", "her", "his", "their", "its", "your", "nicht", "no", "pas", "ne", "non", "nao", "if", "wenn", "si", "se":
		return true
	}
	return false
}

// nameFrom is the name with which words begin: one word, and the capitalised ones that
// follow it. Behind a loose introduction the first is capitalised, or alone before "by
// the way".
func nameFrom(words []string, never string, sure bool) string {
	first := bareName(words[0])
	shown := sure || isCapitalized(first) || isByTheWay(words[1:]) && !isStateWord(first)
	if !shown || !isName(first, never) {
		return ""
	}
	if rest := words[1:]; !sure && len(rest) > 0 && !endsClause(words[0]) && !isCapitalized(rest[0]) && !isNameTail(rest[0]) && !isByTheWay(rest) {
		return ""
	}
	name := []string{capitalizeName(first)}
	for i := 1; i < len(words) && i < 3 && !endsClause(words[i-1]); i++ {
		if next := bareName(words[i]); isCapitalized(next) && isName(next, never) {
			name = append(name, next)
			continue
		}
		break
	}
	return plaintext.ClipWithin(strings.Join(name, " "), maxCalled)
}

// isNameTail reports whether a word may follow a name that stands in the middle of a
// sentence.
func isNameTail(word string) bool {
	switch nlu.Fold(bareName(word)) {
	case "and", "from", "the", "by", "but", "of", "und", "aus", "et", "de", "y", "e", "da", "von", "nice", "pleased", "who", "your", "what", "i":
		return true
	}
	return false
}

// isByTheWay reports whether words begin with "btw" or what it stands for.
func isByTheWay(words []string) bool {
	text := nlu.Fold(strings.Join(words, " "))
	return strings.HasPrefix(text, "btw") || strings.HasPrefix(text, "by the way")
}

// isStateWord reports whether a word says how somebody is, and so is no name.
func isStateWord(word string) bool {
	return slices.Contains(strings.Fields("tired bored hungry thirsty cold hot lost confused late new fine good great well ready done sick ill sad happy angry busy alone lonely scared nervous single married broke drunk old young male female a an not so very just only in on at from"), nlu.Fold(word))
}

func bareName(word string) string {
	return strings.Trim(word, ".,;:!?()[]*\"“”„«»'’-_")
}

// isName reports whether a word may be a name: letters, and within them a hyphen or an
// apostrophe that is no genitive's.
func isName(word, never string) bool {
	folded := nlu.Fold(word)
	if utf8.RuneCountInString(word) < 2 || strings.HasSuffix(folded, "'s") || slices.Contains(strings.Fields(never), folded) || isFunctionWord(folded) {
		return false
	}
	return strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' && r != '\'' && r != '’'
	}) < 0
}

// isFunctionWord reports whether a folded word is one of those that hold sentences
// together.
func isFunctionWord(word string) bool {
	return slices.Contains(strings.Fields("a an the not no my your his her their our this that it you i we he she they in on at from by to of for with and or but so very too just only still what who how why as if when whatever anything something nothing nobody somebody "+
		"ein eine einen der die das kein keine nicht so sehr nur le la les un une des pas tres el los las una uno muy no o os as um uma nao muito il lo gli non molto"), word)
}

func endsClause(word string) bool { return strings.ContainsAny(word[len(word)-1:], ".,;:!?") }

func capitalizeName(word string) string {
	if word != strings.ToLower(word) {
		return word
	}
	r, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[size:]
}

// lastSaid is what the character said last, without what only repeats something.
func lastSaid(in Input) string {
	said := lastReply(in.Recent)
	for _, intent := range [...]personas.Intent{personas.IntentRepeat, personas.IntentNotUnderstood} {
		for _, line := range plainOf(in).intents[intent] {
			before, _, repeats := strings.Cut(line, "{last}")
			start := fillPlain(in, in.State, before)
			if rest, again := strings.CutPrefix(said, start); repeats && again {
				return strings.TrimSpace(rest)
			}
		}
	}
	return said
}
