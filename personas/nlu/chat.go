package nlu

import "strings"

// chatSpelling are words as people type them in a hurry, and in plays, with what
// they stand for.
var chatSpelling = map[string]string{
	"u": "you", "ur": "your", "r": "are", "ya": "you", "yer": "your", "ye": "yes",
	"y'all": "you", "yall": "you", "thou": "you", "thee": "you", "thy": "your", "thine": "your",
	"dost": "do", "doth": "do", "hast": "have", "hath": "have", "shalt": "shall", "im": "i am",
	"ive": "i have", "youre": "you are", "youve": "you have", "youll": "you will", "hes": "he is", "shes": "she is",
	"theyre": "they are", "theyve": "they have", "its": "it is", "thats": "that is", "theres": "there is", "whats": "what is",
	"wheres": "where is", "whos": "who is", "hows": "how is", "whens": "when is", "lets": "let us", "dont": "do not",
	"doesnt": "does not", "didnt": "did not", "wont": "will not", "wouldnt": "would not", "cant": "can not", "cannot": "can not",
	"couldnt": "could not", "shouldnt": "should not", "isnt": "is not", "arent": "are not", "wasnt": "was not", "werent": "were not",
	"havent": "have not", "hasnt": "has not", "hadnt": "had not", "aint": "is not", "mustnt": "must not", "gonna": "going to",
	"gunna": "going to", "gon": "going to", "wanna": "want to", "gotta": "have to", "hafta": "have to", "tryna": "trying to",
	"imma": "i will", "ima": "i will", "lemme": "let me", "gimme": "give me", "kinda": "kind of", "sorta": "sort of",
	"outta": "out of", "lotta": "lot of", "dunno": "do not know", "idk": "i do not know", "idc": "i do not care", "idgaf": "i do not care",
	"iirc": "i remember", "pls": "please", "plz": "please", "pleeease": "please", "thx": "thanks", "thanx": "thanks",
	"tnx": "thanks", "ty": "thank you", "tysm": "thank you", "sry": "sorry", "soz": "sorry", "np": "no problem",
	"omw": "on my way", "brb": "back soon", "gtg": "goodbye", "cya": "goodbye", "tbh": "honestly", "fr": "really",
	"ngl": "honestly", "rn": "right now", "asap": "quickly", "abt": "about", "w": "with", "w/": "with",
	"wo": "without", "n": "and", "nd": "and", "bc": "because", "cuz": "because", "coz": "because",
	"cos": "because", "b4": "before", "bout": "about", "tho": "though", "thru": "through", "tmr": "tomorrow",
	"tmrw": "tomorrow", "yday": "yesterday", "sth": "something", "smth": "something", "smthn": "something", "sb": "somebody",
	"sbdy": "somebody", "ppl": "people", "msg": "message", "pic": "picture", "wat": "what", "wut": "what",
	"wot": "what", "whut": "what", "hav": "have", "luv": "love", "nite": "night", "tonite": "tonight",
	"lil": "little", "yo": "hey", "hiya": "hello", "heya": "hello", "heyy": "hey", "heyyy": "hey",
	"helo": "hello", "hii": "hi", "hiii": "hi", "k": "ok", "kk": "ok", "okey": "ok",
	"okie": "ok", "oki": "ok", "alright": "ok", "yup": "yes", "yep": "yes", "yea": "yes",
	"yeh": "yes", "yh": "yes", "nah": "no", "nope": "no", "naw": "no", "nay": "no",
	"aye": "yes", "stfu": "shut up", "gtfo": "get out", "wtf": "what", "wth": "what", "omg": "oh", "whoa": "oh", "woah": "oh",
	"lol": "haha", "lmao": "haha", "rofl": "haha", "bruh": "friend", "bro": "friend", "dude": "friend",
	"mate": "friend", "m8": "friend", "fck": "fuck", "fuk": "fuck", "fk": "fuck", "effing": "fucking",
	"frickin": "fucking", "wuss": "coward", "knw": "know", "noe": "know", "tht": "that", "dat": "that",
	"dis": "this", "dem": "them", "da": "the", "teh": "the", "waht": "what", "taht": "that",
	"adn": "and", "recieve": "receive", "definately": "definitely", "becuase": "because", "beacuse": "because", "freind": "friend",
	"wierd": "weird", "wud": "would", "cud": "could", "shud": "should", "bcuz": "because", "becuz": "because", "sumthing": "something", "sumthin": "something",
	"somethin": "something", "sumone": "someone", "sum1": "someone", "some1": "someone", "nuthin": "nothing", "nothin": "nothing", "gud": "good", "dnt": "do not",
	"jus": "just", "jst": "just", "hv": "have", "wen": "when", "wats": "what is", "wuts": "what is", "wuz": "was", "thnx": "thanks",
	"wnat": "want", "wnt": "want", "wana": "want to", "realy": "really", "plese": "please",
}

// wantsSome are words behind which "sum" is "some" and no amount.
var wantsSome = map[string]bool{
	"want": true, "wants": true, "have": true, "has": true, "need": true, "get": true, "got": true, "give": true, "like": true, "try": true, "eat": true, "take": true,
	"bring": true, "brought": true, "you": true, "me": true, "with": true, "is": true, "love": true,
}

// Span is a part of a message: what the player says, does or quotes.
type Span struct {
	Text   string
	Action bool // between stars, underscores or brackets: what the player does
	Quoted bool // between quotation marks, with other words around it
}

// maxSpan is how many bytes an action or a quotation may have; what is longer is
// said.
const maxSpan = 1000

// SplitSpans cuts a message into what is said, done (*nods*, **nods**, _nods_,
// (nods), [nods]) and quoted. A message that stands as a whole in quotation marks is
// said.
func SplitSpans(message string) []Span {
	var out []Span
	start := 0
	flush := func(end int) {
		if strings.TrimSpace(message[start:end]) != "" {
			out = append(out, Span{Text: message[start:end]})
		}
	}
	for i := 0; i < len(message); i++ {
		closing, quote := closingMark(message[i:])
		if closing == "" || i > 0 && isWordByte(message[i-1]) {
			continue
		}
		opening := len(closing)
		if quote {
			opening = len(openingQuote(message[i:]))
		}
		end := strings.Index(message[i+opening:min(len(message), i+opening+maxSpan)], closing)
		if end <= 0 || strings.Contains(message[i+opening:i+opening+end], "\n\n") {
			continue
		}
		flush(i)
		out = append(out, Span{Text: message[i+opening : i+opening+end], Action: !quote, Quoted: quote})
		i += opening + end + len(closing) - 1
		start = i + 1
	}
	flush(len(message))
	if len(out) == 1 {
		out[0].Quoted = false
	}
	return out
}

func isWordByte(b byte) bool {
	return b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func openingQuote(s string) string {
	for _, q := range [...]string{`"`, "“", "„", "«"} {
		if strings.HasPrefix(s, q) {
			return q
		}
	}
	return ""
}

// closingMark returns what closes the mark at the beginning of a text.
func closingMark(s string) (closing string, quote bool) {
	switch s[0] {
	case '*':
		if strings.HasPrefix(s, "**") {
			return "**", false
		}
		return "*", false
	case '_':
		return "_", false
	case '(':
		return ")", false
	case '[':
		return "]", false
	}
	switch openingQuote(s) {
	case `"`:
		return `"`, true
	case "“":
		return "”", true
	case "„":
		return "“", true
	case "«":
		return "»", true
	}
	return "", false
}
