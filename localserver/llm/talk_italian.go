package llm

import "github.com/parley-npc/parley/personas/nlu"

// italianTalk is englishTalk in Italian.
var italianTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"«Abbastanza anni», dice {who}.", "{who} ha smesso di contarli, e lo dice."},
	nlu.AskFamily:    {"«È una lunga storia», dice {who}, «ed è la mia.»", "{who} sorride appena e lascia fuori la famiglia."},
	nlu.AskOrigin:    {"«Tutti vengono da qualche parte», dice {who}.", "{who} fa un gesto vago. «Da laggiù, un tempo.»"},
	nlu.AskWork:      {"«Ci sono giorni e giorni», dice {who}.", "«Qualcuno deve pur farlo», dice {who}."},
	nlu.AskDay:       {"«Il solito», dice {who}.", "«Niente di speciale», dice {who}."},
	nlu.AskTaste:     {"«Dipende dai giorni», dice {who}.", "{who} ci pensa. «Ne riparliamo quando ci conosceremo meglio.»"},
	nlu.AskOpinion:   {"«Difficile dirlo», dice {who} dopo un momento.", "«Ci sono due lati», dice {who}."},
	nlu.AskFeeling:   {"«Abbastanza bene», dice {who}. «Gentile da parte tua chiedere.»", "«Non peggio di ieri», dice {who}."},
	nlu.AskPersonal:  {"«Quante domande», dice {who}, senza cattiveria.", "«Questo lo tengo per me», dice {who}."},
	nlu.AskTime:      {"{who} guarda la luce. «Più tardi di prima.»", "«C'è ancora tempo», dice {who}."},
	nlu.AskPrice:     {"«Dipende», dice {who}, «e non solo dai soldi.»", "«Di soldi parliamo un'altra volta», dice {who}."},
	nlu.Weather:      {"«Il tempo fa quello che vuole», dice {who} guardando in alto.", "{who} annuisce. «Si è visto di peggio.»"},
	nlu.Compliment:   {"{who} non riesce a nascondere del tutto un sorriso.", "«Quanta gentilezza», dice {who}."},
	nlu.BadNews:      {"{who} tace un momento. «Mi dispiace.»", "«È dura», dice {who}, a voce più bassa."},
	nlu.GoodNews:     {"«Questa sì che è una buona notizia», dice {who}.", "{who} se ne rallegra. «Complimenti.»"},
	nlu.Weariness:    {"«Si vede», dice {who}.", "«Ci sono giorni così», dice {who}."},
	nlu.AboutPlayer:  {"«Davvero?» dice {who}.", "{who} ascolta e annuisce.", "«Ma guarda», dice {who}."},
	nlu.KnockKnock:   {"«Chi è?» chiede {who}.", "{who} sospira. «Chi è?»"},
	nlu.JokeTold:     {"{who} accenna un sorriso con l'angolo della bocca.", "{who} sbuffa. «Questa è vecchia.»"},
	nlu.Laughter:     {"{who} quasi sorride.", "«Almeno qualcuno si diverte», dice {who}."},
	nlu.Agreement:    {"{who} annuisce.", "«Bene», dice {who}, e aspetta."},
	nlu.Disagreement: {"«Come vuoi», dice {who}.", "{who} lascia correre."},
	nlu.Wonder:       {"«Eh già», dice {who}.", "«Ci si abitua», dice {who}."},
	nlu.Pondering:    {"«Con calma», dice {who}.", "{who} aspetta."},
	nlu.Apology:      {"«Non fa niente», dice {who}.", "{who} fa un gesto, come a dire che non è nulla."},
	nlu.Complaint:    {"«Me lo dicono in tanti», dice {who} senza scomporsi.", "{who} ha già sentito altre lamentele e lascia passare anche questa."},
	nlu.Swearing:     {"{who} alza un sopracciglio davanti a quelle parole.", "«Che linguaggio», dice {who}."},
	nlu.SoundCheck:   {"«Ti sento», dice {who}.", "«Forte e chiaro», dice {who}."},
	nlu.Silence:      {"{who} rispetta il silenzio.", "{who} aspetta una parola."},
	nlu.Gesture:      {"{who} osserva.", "{who} ne prende nota senza dire nulla."},
	nlu.SmallGesture: {"{who} osserva.", "{who} ne prende nota senza dire nulla."},
}
