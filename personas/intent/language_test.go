package intent

import "testing"

func TestDetectLanguage(t *testing.T) {
	for message, want := range map[string]string{
		// Twelve languages and more.
		"hola amigo!": "es", "Hola": "es", "gracias": "es", "bonjour": "fr", "danke": "de", "¿Dónde está la puerta, por favor?": "es", "quiero comprar un libro": "es",
		"Bonjour, je voudrais un livre": "fr", "Je ne parle pas anglais": "fr", "Où est la gare ?": "fr",
		"Guten Tag, ich möchte ein Buch kaufen": "de", "ich verstehe nicht": "de", "Wo ist der Bahnhof?": "de",
		"Olá, eu quero comprar um livro": "pt", "não falo inglês": "pt",
		"Buongiorno, vorrei un libro per favore": "it", "non parlo inglese": "it",
		"Ik wil graag een boek": "nl", "Nie mam czasu, prosze": "pl", "ben bir kitap istiyorum": "tr",
		"jag vill ha en bok, tack": "sv", "saya mau buku ini": "id",
		"駅はどこですか": "ja", "你好，我想买一本书": "zh", "안녕하세요": "ko", "Привет, как дела?": "ru", "مرحبا كيف حالك": "ar",
		"नमस्ते, आप कैसे हैं": "hi", "আপনি কেমন আছেন": "bn", "สวัสดีครับ": "th", "Καλημέρα": "el", "שלום": "he",
		// English, or nothing that tells.
		"": "", "ok": "", "oui": "", "si": "", "OK!": "", "no": "", "No.": "", "nah": "", "Maren": "", "I am Maren": "", "Mara Voss": "", "Marta": "", "hi": "", "yo": "", "me": "", "a": "",
		"I will pay the toll": "", "my name is Juan": "", "Señor, I have a permit": "", "42": "", "?!": "", "*nods*": "", "the": "", "lol": "", "die": "",
		"come on": "", "I am a man": "", "will you die for me": "", "what is that in German?": "", "I was in the war": "", "so": "", "fire in the hole": "", "Um, a horse.": "", "um a torch?": "", "er, hi": "", "um": "", "er...": "", "um, er": "", "um cavalo e um gato": "pt",
		"привет": "ru", "Ж": "ru", "I met Иван at the gate": "",
	} {
		t.Run(message, func(t *testing.T) {
			if got := testLexicon().DetectLanguage(message, "en"); got != want {
				t.Errorf("%q is taken for %q, not %q", message, got, want)
			}
		})
	}
}

// TestOwnLanguageIsNotForeign: a persona's own language is never another, and English is,
// where it is not the persona's.
func TestOwnLanguageIsNotForeign(t *testing.T) {
	for _, tt := range []struct{ message, own, want string }{
		{"hola amigo!", "es", ""}, {"Je voudrais payer.", "fr", ""}, {"Ich verstehe nicht", "de", ""}, {"Eu quero um livro", "pt", ""}, {"Vorrei un libro", "it", ""},
		{"駅はどこですか", "ja", ""}, {"I would like a sandwich, please.", "fr", "en"}, {"what do you want from me?", "de", "en"}, {"ok", "fr", ""}, {"Ada", "it", ""},
		{"la la laaa, da di dum, la la laaa", "en", ""}, {"na na na, hey hey", "en", ""}, {"la la la, la casa di mio padre", "en", "it"},
	} {
		if got := testLexicon().DetectLanguage(tt.message, tt.own); got != tt.want {
			t.Errorf("%q to a persona of %s is %q, not %q", tt.message, tt.own, got, tt.want)
		}
	}
}

func FuzzDetectLanguage(f *testing.F) {
	f.Add("hola amigo", "en")
	f.Add("駅は", "ja")
	f.Fuzz(func(t *testing.T, message, own string) {
		if got := testLexicon().DetectLanguage(message, own); got == own && own != "" {
			t.Errorf("%q is in another language than %q: %q", message, own, got)
		}
	})
}
