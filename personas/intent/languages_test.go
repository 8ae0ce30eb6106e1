package intent

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestLanguages(t *testing.T) {
	t.Parallel()
	files, err := languageFiles.ReadDir("languages")
	assert.NoError(t, err)
	assert.Equal(t, len(files), len(languageCodes), "files")
	known := append(intentNames(), smallTalk)
	for _, code := range languageCodes {
		texts, err := readLanguage(code)
		assert.NoError(t, err, code)
		assert.True(t, len(texts.Help) != 0, "%s: no pattern for help", code)
		for _, pattern := range texts.Help {
			assert.Value(regexp.Compile(pattern))(t, code)
		}
		for intent := range texts.Intents {
			assert.True(t, slices.Contains(known, intent), "%s: unknown intent %q", code, intent)
		}
		for _, intent := range known {
			lines := texts.Intents[intent]
			assert.True(t, len(lines) != 0, "%s: no line for %q", code, intent)
			for i, line := range lines {
				assert.True(t, strings.TrimSpace(line) == line && line != "" && !slices.Contains(lines[:i], line), "%s: %q: bad or repeated line %q", code, intent, line)
			}
		}
	}
}

func TestTalkFiles(t *testing.T) {
	t.Parallel()
	english, err := readTalkTexts("en")
	assert.NoError(t, err)
	var kinds []Talk
	for _, r := range english.SmallTalk {
		kinds = append(kinds, r.Kind)
	}
	for _, code := range languageCodes {
		texts, err := readTalkTexts(code)
		assert.NoError(t, err, code)
		assert.True(t, code == "en" || len(texts.Hostility) != 0 && len(texts.NotHostile) != 0, "%s has no hostility", code)
		for _, r := range slices.Concat(texts.SmallTalk, texts.Hostility) {
			assert.True(t, slices.Contains(kinds, r.Kind) || r.Kind == Attack, "%s: no kind %q in English", code, r.Kind)
			assert.True(t, len(r.Patterns) != 0, "%s: %s has no pattern", code, r.Kind)
			for _, p := range r.Patterns {
				assert.Value(regexp.Compile(p))(t, "%s: %s", code, r.Kind)
			}
		}
	}
}

func TestDetectLanguage(t *testing.T) {
	for message, want := range map[string]string{
		"hola amigo!": "es", "Hola": "es", "gracias": "es", "bonjour": "fr", "danke": "de", "¿Dónde está la puerta, por favor?": "es", "quiero comprar un libro": "es",
		"Bonjour, je voudrais un livre": "fr", "Je ne parle pas anglais": "fr", "Où est la gare ?": "fr",
		"Guten Tag, ich möchte ein Buch kaufen": "de", "ich verstehe nicht": "de", "Wo ist der Bahnhof?": "de",
		"Olá, eu quero comprar um livro": "pt", "não falo inglês": "pt",
		"Buongiorno, vorrei un libro per favore": "it", "non parlo inglese": "it",
		"Ik wil graag een boek": "nl", "Nie mam czasu, prosze": "pl", "ben bir kitap istiyorum": "tr",
		"jag vill ha en bok, tack": "sv", "saya mau buku ini": "id",
		"駅はどこですか": "ja", "你好，我想买一本书": "zh", "안녕하세요": "ko", "Привет, как дела?": "ru", "مرحبا كيف حالك": "ar",
		"नमस्ते, आप कैसे हैं": "hi", "আপনি কেমন আছেন": "bn", "สวัสดีครับ": "th", "Καλημέρα": "el", "שלום": "he",
		// English, or too little to tell.
		"": "", "ok": "", "oui": "", "si": "", "OK!": "", "no": "", "No.": "", "nah": "", "Maren": "", "I am Maren": "", "Mara Voss": "", "Marta": "", "hi": "", "yo": "", "me": "", "a": "",
		"I will pay the toll": "", "my name is Juan": "", "Señor, I have a permit": "", "42": "", "?!": "", "*nods*": "", "the": "", "lol": "", "die": "",
		"come on": "", "I am a man": "", "will you die for me": "", "what is that in German?": "", "I was in the war": "", "so": "", "fire in the hole": "", "Um, a horse.": "", "um a torch?": "", "er, hi": "", "um": "", "er...": "", "um, er": "", "um cavalo e um gato": "pt", "well, i sue somebody lol": "",
		"привет": "ru", "Ж": "ru", "I met Иван at the gate": "",
	} {
		assert.Equal(t, testLexicon().detectLanguage(message, "en"), want, "%q is taken for", message)
	}
}

// TestOwnLanguageIsNotForeign: a persona's own language is never foreign. English is foreign to a
// persona in another language.
func TestOwnLanguageIsNotForeign(t *testing.T) {
	for _, tt := range []struct{ message, own, want string }{
		{"hola amigo!", "es", ""}, {"Je voudrais payer.", "fr", ""}, {"Ich verstehe nicht", "de", ""}, {"Eu quero um livro", "pt", ""}, {"Vorrei un libro", "it", ""},
		{"駅はどこですか", "ja", ""}, {"I would like a sandwich, please.", "fr", "en"}, {"what do you want from me?", "de", "en"}, {"ok", "fr", ""}, {"Ada", "it", ""}, {"ça va bien. un thé", "fr", ""},
		{"l'addition", "fr", ""}, {"Non.", "fr", ""}, {"no", "fr", ""}, {"oui", "it", "fr"}, {"nein", "fr", "de"},
	} {
		assert.Equal(t, testLexicon().detectLanguage(tt.message, tt.own), tt.want, "%q to a persona of %s", tt.message, tt.own)
	}
}

func FuzzDetectLanguage(f *testing.F) {
	f.Add("hola amigo", "en")
	f.Add("駅は", "ja")
	f.Fuzz(func(t *testing.T, message, own string) {
		got := testLexicon().detectLanguage(message, own)
		assert.True(t, got != own || own == "", "%q is in another language than %q: %q", message, own, got)
	})
}
