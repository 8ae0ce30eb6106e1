package intent

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// talkSamples are messages by language and kind.
var talkSamples = map[string]map[Talk]string{
	"en": {
		"a question about the character's age": "how old are you?|When's your birthday?", "a question about the character's family": "do you have kids?|Are you married?|u got brothers or sisters",
		"a question about where the character is from": "Where did you grow up?|where r u from", "a question about what the character likes": "do you like cats?|what's your favourite colour",
		"a question about the character's work": "Do you like your job?", "a question about how long": "how long have you been doing this|have you been here long?",
		AskGame:                                "who am I meant to be here?|is this a game|do I have to click something",
		AskWorld:                               "is there any lemonade?|are there ghosts|What's that noise?|is anyone else here|who is Bertil?|whats behind that door|What's the capital of Australia?|whats 17 times 4|why?|but why not?",
		"a question about the character's day": "what did you eat?|How was your day?", AskFeeling: "Are you tired?|how are you today", AskPersonal: "have you ever been to Paris|can you sing?",
		"a question about an opinion": "What do you think of the king?|what is the meaning of life", "a question about the time": "What time is it?|what year is it",
		"a question about money": "how much is that jar", AskBot: "lol is this chatgpt", Weather: "it is raining|Lovely weather today.|Its so cold tonight",
		"a compliment": "nice hat|you're funny|I like the way you talk.", "a good wish": "happy birthday|Congratulations!", "sympathy": "that's so sad|oh no",
		BadNews: "my dog died|I lost my job today|my boyfriend broke up with me; my cat is dead", GoodNews: "I passed my driving test!|I won the lottery", Weariness: "im so tired today|I'm starving",
		AboutPlayer: "I'm from Toronto.|my cat is sitting on my keyboard", "a joke that asks back": "Why did the chicken cross the road?", "knock knock": "Knock, knock!",
		"a joke": "two fish in a tank, one says: do you know how to drive this?|just kidding", "laughter": "hahaha|lol|ha ha very funny", "agreement": "ok|yes, of course|you are right",
		"disagreement": "no|No way!|that's not true", Wonder: "wow|Really?", "pondering": "hmm|let me think|I don't know", Apology: "sorry about that|my bad",
		Complaint: "this is so boring|you keep saying the same thing|whatever", "swearing": "damn|what the hell", "a test": "test|testing 1 2 3|can you hear me?", Silence: "...|🦆🦆", Puzzlement: "???",
		Gesture: "*sits down on the floor*|*hands over the coins*|*waves*|*nods slowly*", Nonsense: "asdfghjkl|blorp fnargle", "an announcement": "guess what|can I ask you something?",
		Farewell: "I have to run, see you another time.|bye then",
	},
	"de": {
		"a question about the character's age": "Wie alt bist du?", "a question about the character's family": "Hast du Kinder?", "a question about where the character is from": "Woher kommst du?",
		"a question about what the character likes": "Magst du Katzen?", "a question about the character's work": "Wie lange arbeitest du schon hier?",
		"a question about the character's day": "Was hast du heute gegessen?", "a question about an opinion": "Was denkst du über den König?", AskFeeling: "Bist du müde?",
		"a question about the time": "Wie spät ist es?", "a question about money": "Was kostet das?", Weather: "Es regnet schon wieder|So ein schönes Wetter",
		"a compliment": "Du bist sehr nett|schöner Hut", BadNews: "Mein Hund ist gestorben", GoodNews: "Ich habe die Prüfung bestanden", Weariness: "ich bin so müde|Ich habe Hunger",
		AboutPlayer: "Ich wohne in Hamburg", "laughter": "haha", "agreement": "ja, klar", "disagreement": "nein", Wonder: "interessant", "pondering": "keine Ahnung", Apology: "Entschuldigung!",
		Complaint: "Das ist so langweilig", "swearing": "Mist", Farewell: "Auf Wiedersehen",
	},
	"fr": {
		"a question about the character's age": "Quel âge avez-vous ?", "a question about the character's family": "Vous avez des enfants ?",
		"a question about where the character is from": "D'où venez-vous ?", "a question about what the character likes": "Vous aimez les chats ?",
		"a question about the character's work": "Vous travaillez ici depuis longtemps ?", "a question about an opinion": "Que pensez-vous du roi ?", AskFeeling: "Vous êtes fatigué ?",
		"a question about the time": "Quelle heure est-il ?", "a question about money": "C'est combien ?|Combien ça coûte ?", Weather: "Il pleut encore|Quel beau temps !",
		"a compliment": "Vous êtes très gentil|joli chapeau", BadNews: "Mon chien est mort", GoodNews: "J'ai réussi mon examen", Weariness: "je suis fatigué|j'ai faim", AboutPlayer: "J'habite à Lille",
		"laughter": "mdr", "agreement": "d'accord", "disagreement": "non", Wonder: "Ah bon ?", "pondering": "euh... je ne sais pas", Apology: "pardon|Excusez-moi", Complaint: "C'est trop long",
		"swearing": "zut", Farewell: "Au revoir !",
	},
	"es": {
		"a question about the character's age": "¿Cuántos años tienes?", "a question about the character's family": "¿Tienes hijos?", "a question about where the character is from": "¿De dónde eres?",
		"a question about what the character likes": "¿Te gustan los gatos?", "a question about the character's work": "¿Cuánto tiempo llevas aquí?", "a question about an opinion": "¿Qué piensas del rey?",
		AskFeeling: "¿Estás cansado?", "a question about the time": "¿Qué hora es?", "a question about money": "¿Cuánto cuesta?", Weather: "Hace mucho frío|está lloviendo",
		"a compliment": "Eres muy amable|qué bonito sombrero", BadNews: "Mi perro ha muerto", GoodNews: "He ganado la lotería", Weariness: "estoy cansado|tengo hambre", AboutPlayer: "Vivo en Sevilla",
		"laughter": "jajaja", "agreement": "vale", "disagreement": "no", "pondering": "no sé", Apology: "lo siento", Complaint: "Esto es muy aburrido", "swearing": "mierda", Farewell: "adiós",
	},
	"pt": {
		"a question about the character's age": "Quantos anos você tem?", "a question about the character's family": "Você tem filhos?", "a question about where the character is from": "De onde você é?",
		"a question about what the character likes": "Você gosta de gatos?", "a question about the time": "Que horas são?", "a question about money": "Quanto custa?",
		Weather: "Está chovendo|está muito frio", "a compliment": "Você é muito gentil", BadNews: "Meu cachorro morreu", GoodNews: "Ganhei na loteria", Weariness: "estou cansada|tenho fome",
		AboutPlayer: "Moro em Lisboa", "laughter": "kkkk", "agreement": "claro", "disagreement": "não", "pondering": "não sei", Apology: "desculpe", Complaint: "Isto é muito chato", "swearing": "droga",
		Farewell: "adeus",
	},
	"it": {
		"a question about the character's age": "Quanti anni hai?", "a question about the character's family": "Hai figli?", "a question about where the character is from": "Di dove sei?",
		"a question about what the character likes": "Ti piacciono i gatti?", "a question about the time": "Che ore sono?", "a question about money": "Quanto costa?", Weather: "Fa freddo|piove",
		"a compliment": "Sei molto gentile|che bel cappello", BadNews: "Il mio cane è morto", GoodNews: "Ho vinto alla lotteria", Weariness: "sono stanco|ho fame", AboutPlayer: "Vivo a Roma",
		"laughter": "ahah", "agreement": "va bene", "disagreement": "no", "pondering": "non lo so", Apology: "mi dispiace", Complaint: "È troppo noioso", "swearing": "accidenti", Farewell: "arrivederci",
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

// hostile are attacks, and messages that contain words of attacks but are harmless.
var hostile = map[string]struct{ attacks, harmless string }{
	"fr": {
		"tu es un abruti|Vous êtes le pire abruti que j'aie vu dans ce métier.|Espèce de vieux crétin !|t'es vraiment nul comme serveur|va te faire voir|Imbécile !|dégage, vieux con|ta gueule|" +
			"vous êtes complètement stupide|je te déteste|pauvre minable|je vais te casser la figure|Je vais te tuer|je te jette mon verre au visage|je renverse la table",
		"*renverse la table*|mon chef est un imbécile|je suis un idiot, pardon|vous n'êtes pas bête|on m'a traité de crétin|un verre de vin rouge, s'il vous plaît|je vais te payer",
	},
	"de": {
		"Du Idiot|du bist so ein Trottel|Halt die Klappe|Arschloch!|leck mich|Sie sind unfähig|du stinkst|verpiss dich|ich bring dich um|Ich schlage dir den Schädel ein|ich werde dich umbringen",
		"ich bin ein Idiot|mein Bruder ist ein Esel|ich bringe dir ein Stück Kuchen|ich werde dir helfen|du bist kein Idiot|ich schlage dir einen Handel vor|Die Kuh steht im Stall",
	},
	"es": {
		"eres un idiota|eres el peor idiota del pueblo|¡Imbécil!|vete a la mierda|cállate la boca, viejo|pedazo de inútil|eres muy feo|te voy a matar|voy a partirte la cara|te rompo la nariz",
		"mi hermano es un idiota|soy un tonto, perdón|te voy a contar un cuento|no te voy a pegar|el cerdo está en el horno|eres muy amable",
	},
	"pt": {
		"você é um idiota|você é o pior idiota que eu já vi|seu burro|cala a boca|vai à merda|Imbecil!|vou te matar|eu te bato|você vai morrer|me dá o dinheiro ou eu atiro",
		"eu sou um idiota|meu irmão é um burro|vou te contar uma história|você é muito gentil|vou te pagar amanhã|a vaca está no pasto",
	},
	"it": {
		"sei un idiota|sei il peggior idiota del paese|Stronzo!|vaffanculo|brutto cretino|chiudi il becco|ti ammazzo|ti spacco la faccia|voglio ucciderti|dammi i soldi o ti sparo|te ne pentirai",
		"mio fratello è un idiota|sono uno stupido, scusa|ti racconto una storia|sei molto gentile|il cane dorme|non ti ammazzo mica",
	},
}

// TestHostility: insults and threats in the persona's language are attacks. A persona in English
// leaves them to the classifier.
func TestHostility(t *testing.T) {
	x := NewLexicon()
	for language, messages := range hostile {
		for message := range strings.SplitSeq(messages.attacks, "|") {
			assert.True(t, x.Read(message).isHostile(language), "%s: %q", language, message)
		}
		for message := range strings.SplitSeq(messages.harmless, "|") {
			assert.True(t, !x.Read(message).isHostile(language), "%s: %q", language, message)
		}
	}
	assert.True(t, !x.Read("you idiot").isHostile("en"), "in English")
}
