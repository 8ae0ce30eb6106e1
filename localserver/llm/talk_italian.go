package llm

import "github.com/parley-npc/parley/personas/nlu"

// italianTalk is englishTalk in Italian.
var italianTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"«Abbastanza anni.»", "*ha smesso di contarli, e lo dice.*"},
	nlu.AskFamily:    {"«È una lunga storia, ed è la mia.»", "*sorride appena e lascia fuori la famiglia.*"},
	nlu.AskOrigin:    {"«Tutti vengono da qualche parte.»", "*fa un gesto vago.* «Da laggiù, un tempo.»"},
	nlu.AskWork:      {"«Ci sono giorni e giorni.»", "«Qualcuno deve pur farlo.»"},
	nlu.AskDay:       {"«Il solito.»", "«Niente di speciale.»"},
	nlu.AskTaste:     {"«Dipende dai giorni.»", "*ci pensa.* «Ne riparliamo quando ci conosceremo meglio.»"},
	nlu.AskOpinion:   {"*ci pensa un momento.* «Difficile dirlo.»", "«Ci sono due lati.»"},
	nlu.AskFeeling:   {"«Abbastanza bene. Gentile da parte tua chiedere.»", "«Non peggio di ieri.»"},
	nlu.AskPersonal:  {"*senza cattiveria* «Quante domande.»", "«Questo lo tengo per me.»"},
	nlu.AskTime:      {"*guarda la luce.* «Più tardi di prima.»", "«C'è ancora tempo.»"},
	nlu.AskPrice:     {"«Dipende, e non solo dai soldi.»", "«Di soldi parliamo un'altra volta.»"},
	nlu.Weather:      {"*guarda in alto.* «Il tempo fa quello che vuole.»", "*annuisce.* «Si è visto di peggio.»"},
	nlu.Compliment:   {"*non riesce a nascondere del tutto un sorriso.*", "«Quanta gentilezza.»"},
	nlu.BadNews:      {"*tace un momento.* «Mi dispiace.»", "*a voce più bassa* «È dura.»"},
	nlu.GoodNews:     {"«Questa sì che è una buona notizia.»", "*se ne rallegra.* «Complimenti.»"},
	nlu.Weariness:    {"«Si vede.»", "«Ci sono giorni così.»"},
	nlu.AboutPlayer:  {"«Davvero?»", "*ascolta e annuisce.*", "«Ma guarda.»"},
	nlu.KnockKnock:   {"«Chi è?»", "*sospira.* «Chi è?»"},
	nlu.JokeTold:     {"*accenna un sorriso con l'angolo della bocca.*", "*sbuffa.* «Questa è vecchia.»"},
	nlu.Laughter:     {"*quasi sorride.*", "«Almeno qualcuno si diverte.»"},
	nlu.Agreement:    {"*annuisce.*", "«Bene.» *aspetta.*"},
	nlu.Disagreement: {"«Come vuoi.»", "*lascia correre.*"},
	nlu.Wonder:       {"«Eh già.»", "«Ci si abitua.»"},
	nlu.Pondering:    {"«Con calma.»", "*aspetta.*"},
	nlu.Apology:      {"«Non fa niente.»", "*fa un gesto, come a dire che non è nulla.*"},
	nlu.Complaint:    {"*senza scomporsi* «Me lo dicono in tanti.»", "*ha già sentito altre lamentele e lascia passare anche questa.*"},
	nlu.Swearing:     {"*alza un sopracciglio davanti a quelle parole.*", "«Che linguaggio.»"},
	nlu.SoundCheck:   {"«Ti sento.»", "«Forte e chiaro.»"},
	nlu.Silence:      {"*rispetta il silenzio.*", "*aspetta una parola.*"},
	nlu.Gesture:      {"*osserva.*", "*ne prende nota senza dire nulla.*"},
	nlu.SmallGesture: {"*osserva.*", "*ne prende nota senza dire nulla.*"},
}
