package intent

import (
	"cmp"
	"strings"

	"github.com/blevesearch/snowballstem"
	stemenglish "github.com/blevesearch/snowballstem/english"
	stemfrench "github.com/blevesearch/snowballstem/french"
	stemgerman "github.com/blevesearch/snowballstem/german"
	stemitalian "github.com/blevesearch/snowballstem/italian"
	stemportuguese "github.com/blevesearch/snowballstem/portuguese"
	stemspanish "github.com/blevesearch/snowballstem/spanish"

	"github.com/parley-npc/parley/personas/cache"
)

const (
	agreeing = 1 // the group of yes and its like
	refusing = 2 // the group of no and its like
)

// Lexicon is what the matcher knows of languages. It is immutable except for its
// memories of stems and corrections, which are bounded, and of tables of small talk;
// none changes a result.
type Lexicon struct {
	vectors     *vectors
	words       map[string]*wordEntry
	strange     *wordEntry // of every word that is not in words
	stems       *cache.Cache[stemKey, wordStem]
	corrections *cache.Cache[string, string]    // of words that nobody knows
	talk        map[string]func() *languageTalk // by language
	phrases     phraseTables
}

// wordEntry is what the Lexicon knows of one word.
type wordEntry struct {
	common   language // the languages in which it carries little
	asks     bool
	light    bool
	denies   bool // the rest of its clause
	overall  bool // denies its whole clause
	kin      uint16
	opposite string
	idioms   []idiom // that begin with it
}

type idiom struct {
	words []string
	means string
}

type stemKey struct {
	word string
	in   language
}

type wordStem struct {
	word string
	kin  uint16
}

const (
	// maxMemory is how many stems, and how many corrections, are kept.
	maxMemory   = 4096
	maxStemSize = 32
	maxSlips    = 64 // words of a text that are corrected
	// maxTokens bounds what a comparison can cost; the rest of a text is not
	// looked at. 8,000 characters of ordinary talk have fewer words and stops.
	maxTokens = 2000
)

func NewLexicon() *Lexicon {
	v, err := parseVectors(vectorTable)
	if err != nil {
		panic(err)
	}
	x := &Lexicon{
		vectors: v, words: make(map[string]*wordEntry), strange: new(wordEntry), stems: cache.New[stemKey, wordStem](maxMemory), corrections: cache.New[string, string](maxMemory),
		talk: prepareTalk(), phrases: newPhraseTables(),
	}
	for in, words := range commonWords {
		x.noteWords(words, func(l *wordEntry) { l.common |= in })
	}
	x.noteWords(askingWords, func(l *wordEntry) { l.asks = true })
	x.noteWords(lightWords, func(l *wordEntry) { l.light = true })
	x.noteWords(negators+" "+bareNegations, func(l *wordEntry) { l.denies = true })
	x.noteWords(clauseNegators, func(l *wordEntry) { l.overall = true })
	for word, opposite := range opposites {
		x.noteWords(word, func(l *wordEntry) { l.opposite = opposite })
	}
	for phrase, means := range idioms {
		words := strings.Fields(phrase)
		x.noteWords(words[0], func(l *wordEntry) { l.idioms = append(l.idioms, idiom{words, means}) })
	}
	x.noteRelated(agreeing, agreement)
	x.noteRelated(refusing, refusal)
	for i, group := range kindred {
		x.noteRelated(uint16(refusing+1+i), group)
	}
	return x
}

func (x *Lexicon) noteWords(words string, set func(*wordEntry)) {
	for _, w := range strings.Fields(words) {
		l := x.words[w]
		if l == nil {
			l = new(wordEntry)
			x.words[w] = l
		}
		set(l)
	}
}

// noteRelated puts words and their stems into a group, unless an earlier one has
// them or the stem is a word of another kind: the stem of "willing" is "will".
func (x *Lexicon) noteRelated(group uint16, words string) {
	join := func(l *wordEntry) { l.kin = cmp.Or(l.kin, group) }
	x.noteWords(words, join)
	for _, w := range strings.Fields(words) {
		if s := stemWord(w, english); x.words[s] == nil {
			x.noteWords(s, join)
		}
	}
}

// tokensOf returns a text's tokens with what the Lexicon knows of them.
func (x *Lexicon) tokensOf(text string) []token {
	folded := Fold(text)
	ts := x.setEntries(cutTokens(folded, false))
	if x.languageOf(ts, english) == english {
		ts = x.setEntries(cutTokens(folded, true))
	}
	x.correctTokens(ts, listNames(text))
	for i := range ts {
		if ts[i].kind == wordToken {
			ts[i].vector = x.vectors.find(ts[i].text)
		}
	}
	return ts
}

func (x *Lexicon) setEntries(ts []token) []token {
	ts = ts[:min(len(ts), maxTokens)]
	for i := range ts {
		ts[i].entry = x.entryFor(ts[i].text)
	}
	return ts
}

func (x *Lexicon) entryFor(word string) *wordEntry {
	if l := x.words[word]; l != nil {
		return l
	}
	return x.strange
}

// stemmers are Snowball's.
var stemmers = map[language]func(*snowballstem.Env) bool{
	english: stemenglish.Stem, german: stemgerman.Stem, spanish: stemspanish.Stem,
	french: stemfrench.Stem, portuguese: stemportuguese.Stem, italian: stemitalian.Stem,
}

// stemWord returns the stem of a folded word.
func stemWord(word string, in language) string {
	if in == spanish {
		word = withoutPronoun(word)
	}
	env := snowballstem.NewEnv(word)
	stemmers[in](env)
	return env.Current()
}

// withoutPronoun takes the pronoun off a Spanish infinitive: "matarte".
func withoutPronoun(word string) string {
	for _, pronoun := range [...]string{"nos", "los", "las", "les", "me", "te", "se", "lo", "la", "le", "os"} {
		verb, ok := strings.CutSuffix(word, pronoun)
		if ok && len(verb) >= 4 && (strings.HasSuffix(verb, "ar") || strings.HasSuffix(verb, "er") || strings.HasSuffix(verb, "ir")) {
			return verb
		}
	}
	return word
}

func (x *Lexicon) stemOf(word string, in language) wordStem {
	if len(word) > maxStemSize {
		return wordStem{word: word}
	}
	key := stemKey{word, in}
	s, ok := x.stems.Find(key)
	if ok {
		return s
	}
	s.word = stemWord(word, in)
	s.kin = x.entryFor(s.word).kin
	key.word = strings.Clone(word)
	x.stems.Keep(key, s, 1)
	return s
}

// IsCommon reports whether a folded word says little about what an English text is about.
func (x *Lexicon) IsCommon(word string) bool {
	l := x.entryFor(word)
	return l.common&english != 0 || l.asks
}

// Stem returns the stem of a folded English word.
func (x *Lexicon) Stem(word string) string { return x.stemOf(word, english).word }

func newPhraseTables() phraseTables {
	return phraseTables{quits: newPhraseTable(quits), curses: newPhraseTable(curses), menaces: newPhraseTable(menaces)}
}

// A language is one whose common words and endings the matcher knows.
// Others are matched by whole words, by their beginnings and by trigrams.
type language uint8

const (
	english language = 1 << iota
	german
	spanish
	french
	portuguese
	italian
)

// languages is the order in which equal evidence is resolved.
var languages = [...]language{english, german, spanish, french, portuguese, italian}

// commonWords carry little of what a message is about. They are written as the
// tokenizer leaves them: lower case, without accents.
var commonWords = map[language]string{
	english: `a about after again all also am an and any are as at back be because been before being both but by came can come
		could did do does doing done down each else even every for from get gets getting got had has have having he her here hers
		him his i id if ill im in into is it its itself ive just let lets like ll make makes many may maybe me might mine more
		most much must my myself now of off oh on once one only or other our ours out over own perhaps put quite rather re
		really say says see seem shall she should since so some still such sure than that the their them then there these they
		thing things this those though through thus to too under until up upon us ve very was way we well went were while will
		wish with would yet you youd your youre yours yourself`,
	german: `aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine deinen deiner dem den denn
		der des dich die dies diese dieser dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure euren
		fur gern gerne habe haben habt hat hatte hier ich ihm ihn ihnen ihr ihre im in ist ja kann kannst konnen konnte machen mal
		man mein meine meinem meinen mich mir mit mochte muss nach noch nun nur ob oder schon sehr sein seid sich sie sind so soll
		um und uns unser vom von vor war ware was weil wenn werde werden wie wieder will wir wird wo wurde zu zum zur`,
	spanish: `a al algo ante aqui asi como con cual cuando de del desde donde el ella ellos en era es esa ese eso esta este esto estoy
		fue ha hay he la las le les lo los mas me mi mis mucho muy nos o os para pero por porque puedo puede que quiero se ser si
		sin sobre son soy su sus tan te tengo ti tu tus un una uno usted ustedes va voy y ya yo`,
	french: `ai au aux avec avez ce ces cet cette comme dans de des du elle en es est et etes etre eux il ils j je la le les leur lui
		ma mais me meme mes moi mon ne nos notre nous on ou par pas peux plus pour puis qu que qui sa se ses si son suis sur ta te
		tes toi ton tu un une veux vos votre vous y`,
	portuguese: `a ao aos aquele aquela aqui as ate com como da das de dele dela deles do dos e ela elas ele eles em entre era essa esse esta estao estar
		estava este estou eu foi ha isso isto ja la lhe lhes mais mas me meu meus minha minhas muito na nao nas nem no nos nossa nosso num numa o os ou para
		pela pelo por pode posso quando que quem quero se sem ser seu seus so somos sou sua suas tambem te tem tenho ter teu teve tu tua um uma vai voce voces vou`,
	italian: `a abbiamo ai al alla alle anche avere c che chi ci come con cosa cui da dal dalla degli dei del della delle di dove e ed era essere fa
		fare gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie mio molto ne nel nella no noi non nostra nostro o ogni per perche piu
		posso puo puoi quando quella quello questa questo qui quindi se sei si sia sono sta stato su sua sue suo tu tua tuo un una uno va vi voglio vorrei vostra voi`,
}

// askingWords open questions and requests; they tell these apart, but not by
// much.
const askingWords = `please bitte what who whom whose which where when why how was wer wen wem wo wohin woher wann warum wieso welche
	que quien donde cuando como cuanto qui quoi quand comment pourquoi combien quem onde quanto qual porque che chi cosa dove quando perche quanto quale`

// lightWords are verbs of all work: of some substance, but in every second
// sentence.
const lightWords = `want need go going come coming take taking make making give giving tell telling ask asking think know like use look mean try`

// negators turn what follows them in their clause into its opposite.
const negators = `not never without refuse refuses refused decline declines nor neither hardly forget forgot forgotten lost lose losing lack lacks lacking misplaced mislaid`

// clauseNegators turn their whole clause into its opposite.
const clauseNegators = `nothing nobody none nowhere nicht nie niemals kein keine keinen keinem keiner keines keins nichts nix weder jamais
	nunca jamas nada nadie tampoco ne pas rien aucun aucune nao nem ninguem niente nulla nessuno mai`

// opposites are words that deny another one.
var opposites = map[string]string{
	"forget": "know", "forgot": "know", "forgotten": "know",
	"dishonest": "honest", "dishonestly": "honest", "unfair": "fair", "unfairly": "fair", "distrust": "trust", "mistrust": "trust",
	"disagree": "agree", "unwilling": "willing", "unkind": "kind", "untrue": "true", "disloyal": "loyal", "unarmed": "armed",
	"disobey": "obey", "unsafe": "safe", "insecure": "secure", "impossible": "possible", "unable": "able", "irresponsible": "responsible",
	"unwelcome": "welcome", "unfriendly": "friend", "disrespect": "respect", "unlike": "alike",
}

// bareNegations are negated verbs as people type them without an apostrophe.
const bareNegations = `dont doesnt didnt wont wouldnt cant couldnt shouldnt isnt arent wasnt werent havent hasnt hadnt aint mustnt`

// japaneseNegations end a clause that says the opposite.
var japaneseNegations = [...]string{"ない", "ません", "なかった", "いや", "いいえ", "嫌"}

// idioms mean another word than their parts; they are replaced before all else.
var idioms = map[string]string{
	"of course": "yes", "no problem": "yes", "no worries": "yes", "why not": "yes", "sounds good": "yes", "fair enough": "yes",
	"all right": "yes", "you bet": "yes", "no doubt": "yes", "for sure": "yes", "do not mind": "yes", "dont mind": "yes",
	"por supuesto": "yes", "de acuerdo": "yes", "bien sur": "yes", "d accord": "yes", "auf jeden fall": "yes", "no hay problema": "yes",
	"no way": "no", "not a chance": "no", "no chance": "no", "forget it": "no", "no thanks": "no", "no thank you": "no",
	"auf keinen fall": "no", "de ninguna manera": "no", "pas question": "no",
	"not only": "", "nothing but": "", "not just": "", "no matter": "", "kind of": "", "sort of": "", "a lot": "",
	"good morning": "hello", "good day": "hello", "good evening": "hello", "good afternoon": "hello", "well met": "hello",
	"guten tag": "hello", "guten morgen": "hello", "guten abend": "hello", "buenos dias": "hello", "buenas tardes": "hello",
	"could you": "please", "can you": "please", "would you": "please", "will you": "please", "can i": "please", "could i": "please",
	"may i": "please", "por favor": "please", "s il vous plait": "please", "s il te plait": "please",
	"how much": "price", "what does it cost": "price", "shut up": "idiot", "piss off": "idiot", "screw you": "idiot", "get lost": "idiot",
	"get out": "leave", "go away": "leave", "give up": "surrender", "no harm": "peace", "hurry up": "hurry", "find out": "learn",
	"look for": "search", "looking for": "search", "work together": "cooperate", "in charge": "boss", "tell me more": "elaborate",
	"say more": "elaborate", "go on": "elaborate", "come in": "enter", "let me in": "enter", "let me through": "enter",
	"let me pass": "enter", "let us in": "enter", "let us through": "enter", "get in": "enter", "go in": "enter", "pass through": "enter",
}

// agreement and refusal are the two groups that negation turns into each other.
const (
	agreement = `yes yeah yep yup yea aye ok okay agree agreed accept accepted deal absolutely definitely certainly gladly willing fine
		ja jawohl klar einverstanden oui vale claro`
	refusal = `no nope nah refuse decline reject nein nee non`
)

// kindred are groups of words that players use for the same thing. They count a
// little less than the word itself.
var kindred = [...]string{
	`hello hi hey greetings welcome hallo hola bonjour salut moin servus`,
	`bye goodbye farewell tschuss adios`,
	`thanks thank thx grateful gratitude appreciate danke gracias merci`,
	`sorry apologize apologise apology forgive pardon regret remorse entschuldigung verzeihung perdon lo-siento`,
	`help aid assist assistance support hilfe helfen ayuda ayudar`,
	`money coin coins gold cash silver funds purse geld dinero`,
	`pay payment paying paid spend`,
	`buy purchase acquire kaufen comprar`,
	`price cost costs fee charge toll preis precio`,
	`sell selling sold verkaufen vender`,
	`trade barter exchange swap bargain haggle negotiate business handel`,
	`cheap cheaper discount lower reduce bargain`,
	`expensive pricey costly overpriced steep`,
	`honest honestly honesty fair fairly fairness sincere truthful truth true just`,
	`lie liar lying lied deceive deception trick cheat cheated fraud swindle scam`,
	`steal stole stolen thief rob robbed robber theft burgle loot`,
	`kill murder slay slaughter stab assassinate`,
	`fight attack battle combat duel war kampf`,
	`hurt harm injure wound`,
	`threat threaten threatening warn`,
	`idiot stupid fool foolish moron dumb imbecile clown scum pathetic worthless`,
	`hate despise detest loathe`,
	`friend friends ally allies companion comrade buddy freund amigo ami`,
	`peace peaceful peacefully calm truce`,
	`danger dangerous risk risky peril hazard`,
	`want wish desire need require`,
	`elaborate explain describe clarify detail details`,
	`know known knew understand realize realise grasp remember recall`,
	`learn study discover`,
	`give hand offer provide hands`,
	`bring deliver fetch carry`,
	`enter entry access admission inside`,
	`gate door entrance`,
	`let allow permit permission`,
	`letter note message document documents papers paper permit`,
	`king ruler monarch majesty`,
	`work job employment career profession arbeit trabajo`,
	`hire employ recruit`,
	`boss manager supervisor leader chief`,
	`team colleague colleagues coworker coworkers teammates`,
	`afraid scared fear frightened terrified`,
	`hurry quick quickly fast rush immediately`,
	`stop quit cease end`,
	`leave depart going`,
	`begin start commence`,
	`fix repair mend restore`,
	`find search seek locate`,
	`child children kid kids son daughter`,
	`food eat meal bread hungry starving`,
	`drink beer ale wine thirsty mead`,
	`sword blade dagger knife weapon weapons`,
	`guard guards soldier sentry watchman`,
	`city town village`,
	`trust faith believe`,
	`promise swear vow oath pledge guarantee word`,
	`secret hidden hide conceal`,
	`mistake error fault blame guilty`,
	`problem trouble issue difficulty`,
	`small little tiny`,
	`big large huge great`,
	`good excellent wonderful nice finest`,
	`bad awful terrible horrible`,
	`beautiful lovely gorgeous pretty`,
	`strange odd weird`,
	`sick ill illness disease`,
	`cure heal remedy medicine`,
	`protect defend shield safe`,
	`ask question`,
	`answer reply respond`,
	`cooperate collaborate together collaboration`,
	`travel journey trip traveller traveler voyage`,
	`story tale legend`,
	`bribe bribery corrupt`,
	`responsible responsibility accountable ownership own`,
	`surrender yield`,
}
