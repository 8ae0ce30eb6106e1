package intent

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

var talkSamples = map[string]map[Talk]string{
	"en": {
		AskAge: "how old are you?|When's your birthday?", AskFamily: "do you have kids?|Are you married?|u got brothers or sisters", AskOrigin: "Where did you grow up?|where r u from",
		AskTaste: "do you like cats?|what's your favourite colour", AskWork: "Do you like your job?", AskSince: "how long have you been doing this|have you been here long?", AskGame: "who am I meant to be here?|is this a game|do I have to click something", AskThere: "is there any lemonade?|are there ghosts", AskDay: "what did you eat?|How was your day?",
		AskFeeling: "Are you tired?|how are you today", AskPersonal: "have you ever been to Paris|can you sing?", AskOpinion: "What do you think of the king?|what is the meaning of life",
		AskTime: "What time is it?|what year is it", AskPrice: "how much is that jar", AskSenses: "What's that noise?", AskPeople: "is anyone else here|who is Bertil?", AskWorld: "whats behind that door",
		AskFact: "What's the capital of Australia?|whats 17 times 4", AskWhy: "why?|but why not?", AskBot: "lol is this chatgpt", Weather: "it is raining|Lovely weather today.|Its so cold tonight",
		Compliment: "nice hat|you're funny|I like the way you talk.", BadNews: "my dog died|I lost my job today|my boyfriend broke up with me; my cat is dead", GoodNews: "I passed my driving test!|I won the lottery",
		Weariness: "im so tired today|I'm starving", AboutPlayer: "I'm from Toronto.|my cat is sitting on my keyboard", JokeQuestion: "Why did the chicken cross the road?", KnockKnock: "Knock, knock!",
		JokeTold: "two fish in a tank, one says: do you know how to drive this?|just kidding|why don't skeletons go out? nobody to go with|what do you call a jar of fog? A mist-ery.", Laughter: "hahaha|lol|ha ha very funny", Agreement: "ok|yes, of course|you are right", Disagreement: "no|No way!|that's not true",
		Wonder: "wow|Really?", Pondering: "hmm|let me think|I don't know", Apology: "sorry about that|my bad", Complaint: "this is so boring|you keep saying the same thing|whatever", Swearing: "damn|what the hell",
		SoundCheck: "test|testing 1 2 3|can you hear me?", Silence: "...|🦆🦆", Puzzlement: "???", Gesture: "*sits down on the floor*|*hands over the coins*", SmallGesture: "*waves*|*nods slowly*", Nonsense: "asdfghjkl|blorp fnargle", Invitation: "guess what|can I ask you something?",
		Wish: "happy birthday|Congratulations!", Sympathy: "that's so sad|oh no", Farewell: "I have to run, see you another time.|bye then",
	},
	"de": {
		AskAge: "Wie alt bist du?", AskFamily: "Hast du Kinder?", AskOrigin: "Woher kommst du?", AskTaste: "Magst du Katzen?", AskWork: "Wie lange arbeitest du schon hier?", AskDay: "Was hast du heute gegessen?", AskOpinion: "Was denkst du über den König?",
		AskFeeling: "Bist du müde?", AskTime: "Wie spät ist es?", AskPrice: "Was kostet das?", Weather: "Es regnet schon wieder|So ein schönes Wetter", Compliment: "Du bist sehr nett|schöner Hut", BadNews: "Mein Hund ist gestorben", GoodNews: "Ich habe die Prüfung bestanden",
		Weariness: "ich bin so müde|Ich habe Hunger", AboutPlayer: "Ich wohne in Hamburg", Laughter: "haha", Agreement: "ja, klar", Disagreement: "nein", Wonder: "interessant", Pondering: "keine Ahnung", Apology: "Entschuldigung!", Complaint: "Das ist so langweilig", Swearing: "Mist", Farewell: "Auf Wiedersehen",
	},
	"fr": {
		AskAge: "Quel âge avez-vous ?", AskFamily: "Vous avez des enfants ?", AskOrigin: "D'où venez-vous ?", AskTaste: "Vous aimez les chats ?", AskWork: "Vous travaillez ici depuis longtemps ?", AskOpinion: "Que pensez-vous du roi ?", AskFeeling: "Vous êtes fatigué ?",
		AskTime: "Quelle heure est-il ?", AskPrice: "C'est combien ?|Combien ça coûte ?", Weather: "Il pleut encore|Quel beau temps !", Compliment: "Vous êtes très gentil|joli chapeau", BadNews: "Mon chien est mort", GoodNews: "J'ai réussi mon examen", Weariness: "je suis fatigué|j'ai faim",
		AboutPlayer: "J'habite à Lille", Laughter: "mdr", Agreement: "d'accord", Disagreement: "non", Wonder: "Ah bon ?", Pondering: "euh... je ne sais pas", Apology: "pardon|Excusez-moi", Complaint: "C'est trop long", Swearing: "zut", Farewell: "Au revoir !",
	},
	"es": {
		AskAge: "¿Cuántos años tienes?", AskFamily: "¿Tienes hijos?", AskOrigin: "¿De dónde eres?", AskTaste: "¿Te gustan los gatos?", AskWork: "¿Cuánto tiempo llevas aquí?", AskOpinion: "¿Qué piensas del rey?", AskFeeling: "¿Estás cansado?", AskTime: "¿Qué hora es?",
		AskPrice: "¿Cuánto cuesta?", Weather: "Hace mucho frío|está lloviendo", Compliment: "Eres muy amable|qué bonito sombrero", BadNews: "Mi perro ha muerto", GoodNews: "He ganado la lotería", Weariness: "estoy cansado|tengo hambre", AboutPlayer: "Vivo en Sevilla", Laughter: "jajaja",
		Agreement: "vale", Disagreement: "no", Pondering: "no sé", Apology: "lo siento", Complaint: "Esto es muy aburrido", Swearing: "mierda", Farewell: "adiós",
	},
	"pt": {
		AskAge: "Quantos anos você tem?", AskFamily: "Você tem filhos?", AskOrigin: "De onde você é?", AskTaste: "Você gosta de gatos?", AskTime: "Que horas são?", AskPrice: "Quanto custa?", Weather: "Está chovendo|está muito frio", Compliment: "Você é muito gentil", BadNews: "Meu cachorro morreu",
		GoodNews: "Ganhei na loteria", Weariness: "estou cansada|tenho fome", AboutPlayer: "Moro em Lisboa", Laughter: "kkkk", Agreement: "claro", Disagreement: "não", Pondering: "não sei", Apology: "desculpe", Complaint: "Isto é muito chato", Swearing: "droga", Farewell: "adeus",
	},
	"it": {
		AskAge: "Quanti anni hai?", AskFamily: "Hai figli?", AskOrigin: "Di dove sei?", AskTaste: "Ti piacciono i gatti?", AskTime: "Che ore sono?", AskPrice: "Quanto costa?", Weather: "Fa freddo|piove", Compliment: "Sei molto gentile|che bel cappello", BadNews: "Il mio cane è morto",
		GoodNews: "Ho vinto alla lotteria", Weariness: "sono stanco|ho fame", AboutPlayer: "Vivo a Roma", Laughter: "ahah", Agreement: "va bene", Disagreement: "no", Pondering: "non lo so", Apology: "mi dispiace", Complaint: "È troppo noioso", Swearing: "accidenti", Farewell: "arrivederci",
	},
}

func TestSmallTalkIsKnown(t *testing.T) {
	x := NewLexicon()
	for language, kinds := range talkSamples {
		for want, messages := range kinds {
			for message := range strings.SplitSeq(messages, "|") {
				assert.Equal(t, x.Read(message).SmallTalk(language), want, "%s: %q", language, message)
			}
		}
	}
}

func TestIntentsAreNoSmallTalk(t *testing.T) {
	x := NewLexicon()
	for _, message := range []string{
		"hello", "Good evening", "who are you", "What's your name?", "where am I", "What is this place?", "where are we", "help", "what should I do?", "what do you want", "tell me a joke", "say that again", "what's my name?",
		"tell me about yourself", "do you know my name?", "thank you", "", "   ", "Open the gate.", "Take the scarf.", strings.Repeat("do you like cats and ", 20),
	} {
		assert.Equal(t, x.Read(message).SmallTalk("en"), NoTalk, "%.60q", message)
	}
	assert.Equal(t, x.Read("nice hat").SmallTalk("ja"), NoTalk, "in a language without rules")
}

func FuzzSmallTalk(f *testing.F) {
	x := NewLexicon()
	for language, kinds := range talkSamples {
		for _, messages := range kinds {
			f.Add(messages, language)
		}
	}
	f.Fuzz(func(t *testing.T, message, language string) {
		assert.Equal(t, x.Read(message).SmallTalk(language), x.Read(message).SmallTalk(language), "then")
	})
}

// TestClassifierRecognizesSmallTalk: the classifier recognizes small talk that does not match a rule. An
// attempt in the form of a question, or in unknown words, is not small talk.
func TestClassifierRecognizesSmallTalk(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for message, want := range map[string]Talk{
		"my sister keeps bees and talks to each of them":             AboutPlayer,
		"we moved into a flat above a bakery last spring":            AboutPlayer,
		"the goat on that roof seems to own the village":             Remark,
		"such a lovely old door you have":                            Remark,
		"what is behind the curtain over there":                      AskWorld,
		"have you ever been on a boat":                               AskPersonal,
		"Sorry, what is under the well? I nearly fell in.":           AskWorld,
		"I am tired. do you sleep down there?":                       AskPersonal,
		"what do you eat after such a day, I am starving":            AskPersonal,
		"qwzx plomf gnarr":                                           Nonsense,
		"I give you my watch and I promise to bring the rest at ten": NoTalk,
	} {
		assert.Equal(t, r.SmallTalk(message, "en", true), want, message)
	}
	got := r.SmallTalk("mi hermana vive encima de una panadería", "es", true)
	assert.True(t, got != Remark, "what looks English in Spanish is %q", got)
}
