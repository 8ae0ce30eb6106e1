package llm

import "github.com/parley-npc/parley/personas/nlu"

// germanTalk is englishTalk in German.
var germanTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"„Alt genug“, sagt {who}.", "{who} hat aufgehört zu zählen und sagt das auch."},
	nlu.AskFamily:    {"„Das ist eine lange Geschichte“, sagt {who}, „und sie gehört mir.“", "{who} lächelt ein wenig und lässt die Familie aus dem Spiel."},
	nlu.AskOrigin:    {"„Irgendwoher kommt jeder“, sagt {who}.", "{who} deutet in keine bestimmte Richtung. „Von dort, früher.“"},
	nlu.AskWork:      {"„Es gibt solche und solche Tage“, sagt {who}.", "„Einer muss es ja machen“, sagt {who}."},
	nlu.AskDay:       {"„Wie immer“, sagt {who}.", "„Nichts Besonderes“, sagt {who}."},
	nlu.AskTaste:     {"„Das kommt auf den Tag an“, sagt {who}.", "{who} denkt darüber nach. „Frag mich noch einmal, wenn wir uns besser kennen.“"},
	nlu.AskOpinion:   {"„Schwer zu sagen“, sagt {who} nach kurzem Nachdenken.", "„Das hat zwei Seiten“, sagt {who}."},
	nlu.AskFeeling:   {"„Gut genug“, sagt {who}. „Nett, dass du fragst.“", "„Nicht schlechter als gestern“, sagt {who}."},
	nlu.AskPersonal:  {"„Du fragst viel“, sagt {who}, nicht unfreundlich.", "„Das behalte ich für mich“, sagt {who}."},
	nlu.AskTime:      {"{who} prüft das Licht. „Später als vorhin.“", "„Noch ist Zeit“, sagt {who}."},
	nlu.AskPrice:     {"„Das kommt darauf an“, sagt {who}, „und nicht nur aufs Geld.“", "„Über Geld reden wir ein andermal“, sagt {who}."},
	nlu.Weather:      {"„Das Wetter macht, was es will“, sagt {who} mit einem Blick nach oben.", "{who} nickt. „Wir hatten schon schlimmeres Wetter.“"},
	nlu.Compliment:   {"{who} kann ein Lächeln nicht ganz verbergen.", "„Zu freundlich“, sagt {who}."},
	nlu.BadNews:      {"{who} ist einen Augenblick still. „Das tut mir leid.“", "„Das ist schwer“, sagt {who}, leiser als zuvor."},
	nlu.GoodNews:     {"„Das ist doch eine gute Nachricht“, sagt {who}.", "{who} freut sich mit. „Schön für dich.“"},
	nlu.Weariness:    {"„Das sieht man“, sagt {who}.", "„So ein Tag ist das heute“, sagt {who}."},
	nlu.AboutPlayer:  {"„Ach ja?“, sagt {who}.", "{who} hört zu und nickt.", "„Was du nicht sagst“, sagt {who}."},
	nlu.KnockKnock:   {"„Wer ist da?“, fragt {who}.", "{who} seufzt. „Wer ist da?“"},
	nlu.JokeTold:     {"{who} verzieht fast den Mund zu einem Lächeln.", "{who} stöhnt. „Der ist alt.“"},
	nlu.Laughter:     {"{who} lächelt beinahe.", "„Schön, dass es jemanden freut“, sagt {who}."},
	nlu.Agreement:    {"{who} nickt.", "„Gut“, sagt {who} und wartet."},
	nlu.Disagreement: {"„Wie du meinst“, sagt {who}.", "{who} lässt das so stehen."},
	nlu.Wonder:       {"„So ist es“, sagt {who}.", "„Man gewöhnt sich daran“, sagt {who}."},
	nlu.Pondering:    {"„Lass dir Zeit“, sagt {who}.", "{who} wartet."},
	nlu.Apology:      {"„Schon gut“, sagt {who}.", "{who} winkt ab."},
	nlu.Complaint:    {"„Das höre ich oft“, sagt {who} ungerührt.", "{who} hat schon manche Klage gehört und lässt auch diese vorüberziehen."},
	nlu.Swearing:     {"{who} hebt bei dieser Ausdrucksweise eine Braue.", "„Na, na“, sagt {who}."},
	nlu.SoundCheck:   {"„Ich höre dich“, sagt {who}.", "„Laut und deutlich“, sagt {who}."},
	nlu.Silence:      {"{who} lässt die Stille gelten.", "{who} wartet auf ein Wort."},
	nlu.Gesture:      {"{who} sieht zu.", "{who} nimmt das ohne ein Wort zur Kenntnis."},
	nlu.SmallGesture: {"{who} sieht zu.", "{who} nimmt das ohne ein Wort zur Kenntnis."},
}
