package llm

import "strings"

// foreign is how a language says that it is not understood, with {who} for the
// character and {language} for the language that is; and what that language's
// six are called in it.
type foreign struct {
	line  string
	names [6]string // of foreignOrder
}

var foreignOrder = [6]string{"en", "fr", "de", "es", "pt", "it"}

var foreignLines = map[string]foreign{
	"en": {"({who} does not understand English. Please write in {language}.)", [6]string{"English", "French", "German", "Spanish", "Portuguese", "Italian"}},
	"zh": {"（{who}听不懂中文。请用{language}。）", [6]string{"英语", "法语", "德语", "西班牙语", "葡萄牙语", "意大利语"}},
	"hi": {"({who} को हिंदी समझ में नहीं आती। कृपया {language} में लिखें।)", [6]string{"अंग्रेज़ी", "फ़्रेंच", "जर्मन", "स्पेनिश", "पुर्तगाली", "इतालवी"}},
	"es": {"({who} no entiende el español. Escribe en {language}, por favor.)", [6]string{"inglés", "francés", "alemán", "español", "portugués", "italiano"}},
	"ar": {"({who}: العربية غير مفهومة هنا. من فضلك اكتب باللغة {language}.)", [6]string{"الإنجليزية", "الفرنسية", "الألمانية", "الإسبانية", "البرتغالية", "الإيطالية"}},
	"fr": {"({who} ne comprend pas le français. Écrivez en {language}, s'il vous plaît.)", [6]string{"anglais", "français", "allemand", "espagnol", "portugais", "italien"}},
	"bn": {"({who} বাংলা বোঝে না। অনুগ্রহ করে {language} ভাষায় লিখুন।)", [6]string{"ইংরেজি", "ফরাসি", "জার্মান", "স্প্যানিশ", "পর্তুগিজ", "ইতালীয়"}},
	"pt": {"({who} não entende português. Escreva em {language}, por favor.)", [6]string{"inglês", "francês", "alemão", "espanhol", "português", "italiano"}},
	"ru": {"({who} не понимает по-русски. Пожалуйста, пишите на {language}.)", [6]string{"английском", "французском", "немецком", "испанском", "португальском", "итальянском"}},
	"ja": {"（{who}は日本語がわかりません。{language}でお願いします。）", [6]string{"英語", "フランス語", "ドイツ語", "スペイン語", "ポルトガル語", "イタリア語"}},
	"de": {"({who} versteht kein Deutsch. Bitte schreib auf {language}.)", [6]string{"Englisch", "Französisch", "Deutsch", "Spanisch", "Portugiesisch", "Italienisch"}},
	"it": {"({who} non capisce l'italiano. Scrivi in {language}, per favore.)", [6]string{"inglese", "francese", "tedesco", "spagnolo", "portoghese", "italiano"}},
	"id": {"({who} tidak mengerti bahasa Indonesia. Silakan tulis dalam bahasa {language}.)", [6]string{"Inggris", "Prancis", "Jerman", "Spanyol", "Portugis", "Italia"}},
}

// foreignLine says in another language that the character does not understand
// it; in the persona's own where no words for that language are known.
func foreignLine(input Input, code string) string {
	own := languageOf(input)
	f, known := foreignLines[code]
	if !known {
		return plainOf(input).unknownLanguage(input)
	}
	name := f.names[0]
	for i, c := range foreignOrder {
		if c == own {
			name = f.names[i]
		}
	}
	return strings.NewReplacer("{who}", speakerName(input), "{language}", name).Replace(f.line)
}

func (t *plainTexts) unknownLanguage(input Input) string {
	return fillPlain(input, input.State, t.lines.Unknown[0])
}
