package llm

import "github.com/parley-npc/parley/personas/nlu"

// germanTalk is englishTalk in German.
var germanTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"„Alt genug.“", "*hat aufgehört zu zählen und sagt das auch.*"},
	nlu.AskFamily:    {"„Das ist eine lange Geschichte, und sie gehört mir.“", "*lächelt ein wenig und lässt die Familie aus dem Spiel.*"},
	nlu.AskOrigin:    {"„Irgendwoher kommt jeder.“", "*deutet in keine bestimmte Richtung.* „Von dort, früher.“"},
	nlu.AskWork:      {"„Es gibt solche und solche Tage.“", "„Einer muss es ja machen.“"},
	nlu.AskDay:       {"„Wie immer.“", "„Nichts Besonderes.“"},
	nlu.AskTaste:     {"„Das kommt auf den Tag an.“", "*denkt darüber nach.* „Frag mich noch einmal, wenn wir uns besser kennen.“"},
	nlu.AskOpinion:   {"*denkt kurz nach.* „Schwer zu sagen.“", "„Das hat zwei Seiten.“"},
	nlu.AskFeeling:   {"„Gut genug. Nett, dass du fragst.“", "„Nicht schlechter als gestern.“"},
	nlu.AskPersonal:  {"*nicht unfreundlich* „Du fragst viel.“", "„Das behalte ich für mich.“"},
	nlu.AskTime:      {"*prüft das Licht.* „Später als vorhin.“", "„Noch ist Zeit.“"},
	nlu.AskPrice:     {"„Das kommt darauf an, und nicht nur aufs Geld.“", "„Über Geld reden wir ein andermal.“"},
	nlu.Weather:      {"*blickt nach oben.* „Das Wetter macht, was es will.“", "*nickt.* „Wir hatten schon schlimmeres Wetter.“"},
	nlu.Compliment:   {"*kann ein Lächeln nicht ganz verbergen.*", "„Zu freundlich.“"},
	nlu.BadNews:      {"*ist einen Augenblick still.* „Das tut mir leid.“", "*leiser als zuvor* „Das ist schwer.“"},
	nlu.GoodNews:     {"„Das ist doch eine gute Nachricht.“", "*freut sich mit.* „Schön für dich.“"},
	nlu.Weariness:    {"„Das sieht man.“", "„So ein Tag ist das heute.“"},
	nlu.AboutPlayer:  {"„Ach ja?“", "*hört zu und nickt.*", "„Was du nicht sagst.“"},
	nlu.KnockKnock:   {"„Wer ist da?“", "*seufzt.* „Wer ist da?“"},
	nlu.JokeTold:     {"*verzieht fast den Mund zu einem Lächeln.*", "*stöhnt.* „Der ist alt.“"},
	nlu.Laughter:     {"*lächelt beinahe.*", "„Schön, dass es jemanden freut.“"},
	nlu.Agreement:    {"*nickt.*", "„Gut.“ *wartet.*"},
	nlu.Disagreement: {"„Wie du meinst.“", "*lässt das so stehen.*"},
	nlu.Wonder:       {"„So ist es.“", "„Man gewöhnt sich daran.“"},
	nlu.Pondering:    {"„Lass dir Zeit.“", "*wartet.*"},
	nlu.Apology:      {"„Schon gut.“", "*winkt ab.*"},
	nlu.Complaint:    {"*ungerührt* „Das höre ich oft.“", "*hat schon manche Klage gehört und lässt auch diese vorüberziehen.*"},
	nlu.Swearing:     {"*hebt bei dieser Ausdrucksweise eine Braue.*", "„Na, na.“"},
	nlu.SoundCheck:   {"„Ich höre dich.“", "„Laut und deutlich.“"},
	nlu.Silence:      {"*lässt die Stille gelten.*", "*wartet auf ein Wort.*"},
	nlu.Gesture:      {"*sieht zu.*", "*nimmt das ohne ein Wort zur Kenntnis.*"},
	nlu.SmallGesture: {"*sieht zu.*", "*nimmt das ohne ein Wort zur Kenntnis.*"},
}
