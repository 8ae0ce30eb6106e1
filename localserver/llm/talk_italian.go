package llm

import "github.com/parley-npc/parley/personas/nlu"

// italianTalk is englishTalk in Italian.
var italianTalk = map[nlu.Talk][]string{
	nlu.AskAge:       {"Abbastanza anni.", "({name} ha smesso di contarli, e lo dice.)"},
	nlu.AskFamily:    {"È una lunga storia, ed è la mia.", "({name} sorride appena e lascia fuori la famiglia.)"},
	nlu.AskOrigin:    {"Tutti vengono da qualche parte.", "({name} fa un gesto vago.) Da laggiù, un tempo."},
	nlu.AskWork:      {"Ci sono giorni e giorni.", "Qualcuno deve pur farlo."},
	nlu.AskDay:       {"Il solito.", "Niente di speciale."},
	nlu.AskTaste:     {"Dipende dai giorni.", "({name} ci pensa.) Ne riparliamo quando ci conosceremo meglio.", "Mi piace quello che conosco, {player}.", "({name} deve pensarci.) Non mi viene in mente niente."},
	nlu.AskOpinion:   {"({name} ci pensa un momento.) Difficile dirlo.", "Ci sono due lati.", "Chiedi a dieci persone e avrai dieci risposte, {player}.", "({name} ci riflette.) Non ho ancora deciso."},
	nlu.AskFeeling:   {"Abbastanza bene. Gentile da parte tua chiedere.", "Non peggio di ieri."},
	nlu.AskPersonal:  {"(Senza cattiveria.) Quante domande.", "Questo lo tengo per me.", "Quanta curiosità, {player}.", "({name} lascia la domanda dov'è.)"},
	nlu.AskTime:      {"({name} guarda la luce.) Più tardi di prima.", "C'è ancora tempo."},
	nlu.AskPrice:     {"Dipende, e non solo dai soldi.", "Di soldi parliamo un'altra volta."},
	nlu.Weather:      {"({name} guarda in alto.) Il tempo fa quello che vuole.", "({name} annuisce.) Si è visto di peggio.", "Il tempo c'è sempre, {player}."},
	nlu.Compliment:   {"({name} non riesce a nascondere del tutto un sorriso.)", "Quanta gentilezza.", "Gentile da parte tua, {player}.", "({name} fa finta di niente.)"},
	nlu.BadNews:      {"({name} tace un momento.) Mi dispiace.", "(A voce più bassa.) È dura."},
	nlu.GoodNews:     {"Questa sì che è una buona notizia.", "({name} se ne rallegra.) Complimenti."},
	nlu.Weariness:    {"Si vede.", "Ci sono giorni così."},
	nlu.AboutPlayer:  {"Davvero?", "({name} ascolta e annuisce.)", "Ma guarda.", "Capisco, {player}.", "({name} ne prende atto.)"},
	nlu.KnockKnock:   {"Chi è?", "({name} sospira.) Chi è?"},
	nlu.JokeTold:     {"({name} accenna un sorriso con l'angolo della bocca.)", "({name} sbuffa.) Questa è vecchia."},
	nlu.Laughter:     {"({name} quasi sorride.)", "Almeno qualcuno si diverte."},
	nlu.Agreement:    {"({name} annuisce.)", "Bene. ({name} aspetta.)", "Allora siamo d'accordo, {player}.", "({name} lo sente volentieri.)"},
	nlu.Disagreement: {"Come vuoi.", "({name} lascia correre.)"},
	nlu.Wonder:       {"Eh già.", "Ci si abitua.", "({name} guarda anche lì.)"},
	nlu.Remark:       {"Può darsi.", "Se lo dici tu, {player}.", "({name} ci pensa.)", "Così dicono."},
	nlu.Pondering:    {"Con calma.", "({name} aspetta.)"},
	nlu.Apology:      {"Non fa niente.", "({name} fa un gesto, come a dire che non è nulla.)"},
	nlu.Complaint:    {"(Senza scomporsi.) Me lo dicono in tanti.", "({name} ha già sentito altre lamentele e lascia passare anche questa.)"},
	nlu.Swearing:     {"({name} alza un sopracciglio davanti a quelle parole.)", "Che linguaggio."},
	nlu.SoundCheck:   {"Ti sento.", "Forte e chiaro."},
	nlu.Silence:      {"({name} rispetta il silenzio.)", "({name} aspetta una parola.)", "(Per un momento nessuno dice niente.)"},
	nlu.Gesture:      {"({name} osserva.)", "({name} ne prende nota senza dire nulla.)", "({name} lo vede e lascia fare.)"},
	nlu.SmallGesture: {"({name} osserva.)", "({name} ne prende nota senza dire nulla.)", "({name} se ne accorge.)"},
}
