package llm

import "github.com/parley-npc/parley/personas/nlu"

// germanTalk is englishTalk in German.
var germanTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"Alt genug.", "({name} hat aufgehört zu zählen und sagt das auch.)"},
	nlu.AskFamily:    {"Das ist eine lange Geschichte, und sie gehört mir.", "({name} lächelt ein wenig und lässt die Familie aus dem Spiel.)"},
	nlu.AskOrigin:    {"Irgendwoher kommt jeder.", "({name} deutet in keine bestimmte Richtung.) Von dort, früher."},
	nlu.AskWork:      {"Es gibt solche und solche Tage.", "Einer muss es ja machen."},
	nlu.AskDay:       {"Wie immer.", "Nichts Besonderes."},
	nlu.AskTaste:     {"Das kommt auf den Tag an.", "({name} denkt darüber nach.) Frag mich noch einmal, wenn wir uns besser kennen.", "Ich mag, was ich kenne, {player}.", "({name} muss darüber nachdenken.) Mir fällt nichts ein."},
	nlu.AskOpinion:   {"({name} denkt kurz nach.) Schwer zu sagen.", "Das hat zwei Seiten.", "Frag zehn Leute, und du hörst zehn Antworten, {player}.", "({name} wägt es ab.) Da bin ich noch unentschieden."},
	nlu.AskFeeling:   {"Gut genug. Nett, dass du fragst.", "Nicht schlechter als gestern."},
	nlu.AskPersonal:  {"(Nicht unfreundlich.) Du fragst viel.", "Das behalte ich für mich.", "Neugierig bist du, {player}.", "({name} lässt die Frage stehen, wo sie steht.)"},
	nlu.AskTime:      {"({name} prüft das Licht.) Später als vorhin.", "Noch ist Zeit."},
	nlu.AskPrice:     {"Das kommt darauf an, und nicht nur aufs Geld.", "Über Geld reden wir ein andermal."},
	nlu.Weather:      {"({name} blickt nach oben.) Das Wetter macht, was es will.", "({name} nickt.) Wir hatten schon schlimmeres Wetter.", "Wetter ist immer, {player}."},
	nlu.Compliment:   {"({name} kann ein Lächeln nicht ganz verbergen.)", "Zu freundlich.", "Nett gesagt, {player}.", "({name} tut so, als wäre nichts.)"},
	nlu.BadNews:      {"({name} ist einen Augenblick still.) Das tut mir leid.", "(Leiser als zuvor.) Das ist schwer."},
	nlu.GoodNews:     {"Das ist doch eine gute Nachricht.", "({name} freut sich mit.) Schön für dich."},
	nlu.Weariness:    {"Das sieht man.", "So ein Tag ist das heute."},
	nlu.AboutPlayer:  {"Ach ja?", "({name} hört zu und nickt.)", "Was du nicht sagst.", "Verstehe, {player}.", "({name} nimmt das zur Kenntnis.)"},
	nlu.KnockKnock:   {"Wer ist da?", "({name} seufzt.) Wer ist da?"},
	nlu.JokeTold:     {"({name} verzieht fast den Mund zu einem Lächeln.)", "({name} stöhnt.) Der ist alt."},
	nlu.Laughter:     {"({name} lächelt beinahe.)", "Schön, dass es jemanden freut."},
	nlu.Agreement:    {"({name} nickt.)", "Gut. ({name} wartet.)", "Dann sind wir uns einig, {player}.", "({name} hört das gern.)"},
	nlu.Disagreement: {"Wie du meinst.", "({name} lässt das so stehen.)"},
	nlu.Wonder:       {"So ist es.", "Man gewöhnt sich daran.", "({name} sieht auch hin.)"},
	nlu.Remark:       {"Kann sein.", "Wenn du meinst, {player}.", "({name} denkt darüber nach.)", "So sagt man."},
	nlu.Pondering:    {"Lass dir Zeit.", "({name} wartet.)"},
	nlu.Apology:      {"Schon gut.", "({name} winkt ab.)"},
	nlu.Complaint:    {"(Ungerührt.) Das höre ich oft.", "({name} hat schon manche Klage gehört und lässt auch diese vorüberziehen.)"},
	nlu.Swearing:     {"({name} hebt bei dieser Ausdrucksweise eine Braue.)", "Na, na."},
	nlu.SoundCheck:   {"Ich höre dich.", "Laut und deutlich."},
	nlu.Silence:      {"({name} lässt die Stille gelten.)", "({name} wartet auf ein Wort.)", "(Einen Augenblick lang sagt niemand etwas.)"},
	nlu.Gesture:      {"({name} sieht zu.)", "({name} nimmt das ohne ein Wort zur Kenntnis.)", "({name} sieht es und lässt es geschehen.)"},
	nlu.SmallGesture: {"({name} sieht zu.)", "({name} nimmt das ohne ein Wort zur Kenntnis.)", "({name} bemerkt es.)"},
}
