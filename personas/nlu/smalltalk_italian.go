package nlu

// italianTalk is englishTalk in Italian.
var italianTalk = []talkRule{
	{talk: AskBot, words: `(chatgpt|gpt|openai|claude|gemini|chatbot)`},
	{talk: Farewell, words: `(arrivederci|addio|a presto|a domani|buonanotte|buona notte)
((devo|dobbiamo) (andare|scappare)|me ne vado)`},
	{talk: KnockKnock, words: `toc toc( toc)?`},
	{talk: JokeTold, words: `(era|e) (solo )?(uno scherzo|una battuta)
(sto |stavo )?(scherzando|scherzo|scherzavo)`},
	{talk: SoundCheck, whole: true, words: `(prova|test)( (prova|test|uno|due|tre))*
(mi senti|mi sente|c e (qualcuno|nessuno))( \w+){0,2}`},
	{talk: BadNews, words: `(il mio|la mia|mio|mia|i miei|nostro|nostra) (\w+ ){1,3}(e (morto|morta|malato|malata|in ospedale|scappato)|mi ha lasciato|mi ha lasciata)
ho perso (il|la|i|le|lavoro)
(sono|mi sento) (cosi |molto |un po |davvero |tanto )*(triste|malato|malata|male|depresso|depressa|disperato|disperata)
(cattive|brutte) notizie
mi manca \w+`},
	{talk: GoodNews, words: `(ho vinto|ho superato|ho passato|mi sposo|ci sposiamo|sono incinta|ho trovato lavoro|aspettiamo un (bambino|figlio))
sono (cosi |molto |davvero |tanto )*(felice|contento|contenta|innamorato|innamorata|orgoglioso|orgogliosa|emozionato|emozionata)
(buone notizie|e il mio compleanno|buon compleanno|buon natale|buon anno)`},
	{talk: AskAge, words: `(quanti anni|che eta) (hai|ha)
quando (e il tuo compleanno|e il suo compleanno|sei nato|sei nata)`},
	{talk: AskFamily, words: `(hai|ha) (un |una |dei |molti )?(figli|figlio|figlia|famiglia|fratelli|sorelle|fratello|sorella|moglie|marito|fidanzato|fidanzata|ragazzo|ragazza|animali|cane|gatto|amici)
(sei|e) (sposato|sposata|single|divorziato|divorziata|fidanzato|fidanzata)
(come|chi|dove) (sta|si chiama|e) (tua|sua|tuo|suo) (moglie|marito|madre|padre|fratello|sorella|figlio|figlia|famiglia)`},
	{talk: AskOrigin, words: `(di|da) dove (sei|e|vieni|viene)
dove (vivi|vive|abiti|abita|sei nato|sei nata|sei cresciuto|sei cresciuta)
(sei|e) (di qui|di queste parti)
(vivi|abiti) (qui|lontano|da solo|da sola|vicino)`},
	{talk: AskWork, words: `ti piace (il tuo|questo|il) (lavoro|mestiere)
da quanto (tempo )?(lavori|lavora|lo fai|sei|vivi)
e (duro|difficile|faticoso|noioso|pericoloso)`},
	{talk: AskDay, words: `com (e andata|e stata|era)
(hai|ha) (dormito|mangiato|pranzato|cenato)
(che|cosa|che cosa) (hai|ha) (mangiato|fatto|bevuto)`},
	{talk: AskTaste, words: `(qual|chi|quali) (e|sono) (il |la |i |le )?(tuo|tua|suo|sua|tuoi|tue) (\w+ )?(preferito|preferita|preferiti|colore|cibo|canzone|film|libro)
ti (piace|piacciono) \w+
(cosa ti piace|preferisci|preferisce|odi|ami)`},
	{talk: AskOpinion, words: `(che|cosa|che cosa) (ne )?(pensi|pensa|dici|dice|ne pensi)
(credi|pensi|crede|pensa) (che|in|di|sia) \w+
qual e (la tua|la sua) opinione`},
	{talk: AskFeeling, words: `(sei|e) (cosi |molto |un po |sempre |ancora )*(triste|stanco|stanca|arrabbiato|arrabbiata|felice|solo|sola|malato|malata|nervoso|nervosa|occupato|occupata)
(hai|ha) (fame|freddo|sete|paura|sonno|caldo)
(che succede|tutto bene|cosa c e che non va)`},
	{talk: AskPersonal, words: `(sai|sa|puoi|puo) (cantare|ballare|nuotare|cucinare|leggere|giocare|volare)
(hai|sei) mai \w+
(che|cosa|che cosa) (leggi|bevi|mangi|fai|scrivi|stai (facendo|leggendo|bevendo|mangiando))`},
	{talk: AskTime, words: `(che (ora|ore|giorno|data)) (e|sono)
(quanto tempo|a che ora|quanto manca)`},
	{talk: AskPrice, words: `quanto (costa|costano|viene|fa|vale|guadagni|guadagna|pagano|devo|le devo)
(e|costa) (\w+ )?(caro|economico|gratis)
qual e il prezzo`},
	{talk: Weather, words: `fa (cosi |molto |un po |tanto |davvero |troppo )*(freddo|caldo|bello|brutto)
(piove|nevica|sta piovendo|sta nevicando|c e (il sole|vento|nebbia))
(che|bel|brutto|questo|il) tempo (fa|bello|brutto|orribile|e)?`},
	{talk: Compliment, words: `(sei|lei e) (cosi |molto |un |una |il |la |davvero |proprio )*(gentile|simpatico|simpatica|divertente|bello|bella|bravo|brava|intelligente|furbo|furba|geniale|affascinante|migliore|carino|carina|adorabile)
(bel|bello|bella|belle|begli|bei|che bel|che bella|che bello) (cappello|vestito|cappotto|scarpe|voce|occhi|casa|negozio|posto|gatto|baffi|grembiule)
mi (piace|piacciono) (molto |tanto )?(il tuo|la tua|i tuoi|le tue|il suo|la sua|questo posto)
(ben fatto|bel lavoro|bravo|brava|complimenti)`},
	{talk: Swearing, whole: true, words: `(oh |che |ma )*(merda|cazzo|accidenti|maledizione|dannazione|cavolo|diavolo|porca miseria|mannaggia)( (di nuovo|ancora))*`},
	{talk: Complaint, words: `(questo|e|non e|questa) (e |non e |cosi |molto |troppo |un po )*(noioso|noiosa|stupido|stupida|ingiusto|giusto|difficile|ridicolo|impossibile|lento)
(sei|lei e) (cosi |molto |troppo )*(noioso|noiosa|impossibile|maleducato|maleducata|antipatico|antipatica|lento|lenta)
(l hai|lo hai|l ha) gia detto
(dai su|sbrigati|basta|ho fretta|non ho tempo|smettila)`},
	{talk: Apology, words: `(mi dispiace|scusa|scusi|scusami|mi scusi|perdonami|mi perdoni|chiedo scusa|perdono)`},
	{talk: Weariness, words: `(sono|mi sento) (cosi |molto |un po |gia |davvero )*(stanco|stanca|esausto|esausta|annoiato|annoiata|solo|sola|perso|persa|nervoso|nervosa|bagnato|bagnata|confuso|confusa|bene|meglio)
ho (tanta |tanto |molta |molto |un po di )*(fame|sete|freddo|caldo|sonno|paura|mal di \w+)
(mi annoio|mi fa male|mi fanno male|sto (bene|male|meglio))`},
	{talk: Laughter, whole: true, words: `(oh )?(haha|hahaha|ahah|ahahah|ha|ah ah|hehe|eheh|lol|xd)+( (haha|ahah|lol|che ridere|molto divertente))*
(che |molto |e )*(divertente|buffo|ridere)`},
	{talk: Agreement, whole: true, words: `(ah |oh |si |molto |ma |ok |va )*(si|ok|bene|va bene|certo|certamente|esatto|esattamente|vero|e vero|d accordo|capito|perfetto|capisco|ho capito|volentieri|hai ragione|ha ragione|giusto|ottimo|sicuro|naturalmente|perche no|buono)( (si|bene|allora|grazie|signore|signora))*`},
	{talk: Disagreement, whole: true, words: `(no|oh |ma )*(no|mai|per niente|certo che no|falso|non e vero|non credo|non sono d accordo|affatto|sciocchezze|assolutamente no)( (no|grazie|signore|signora))*`},
	{talk: Wonder, whole: true, words: `(oh |ah |che |molto |ma )*(wow|oh|ah|interessante|davvero|sul serio|incredibile|strano|curioso|affascinante|caspita|pero)( (davvero|strano))*`},
	{talk: Pondering, whole: true, words: `(hm+|eh+|beh|allora|vediamo|aspetta|aspetti|un momento|un attimo|un secondo|fammi pensare|mi faccia pensare|non so|non lo so|forse|dipende|boh|fa niente)( (hm+|per favore|ancora))*`},
	{talk: AboutPlayer, words: `(sono|io sono|vengo|vivo|abito|lavoro|studio|ho|parlo|penso|credo|odio|amo|adoro|gioco|suono|spero|sto) \w+
mi (piace|piacciono|chiamo) \w+
(il mio|la mia|mio|mia|i miei|le mie) (\w+ ){1,3}(e|sono|ha|era|dice|vive|lavora|si chiama|vuole) \w+`},
}

// italianInsults are what somebody is called who is insulted.
const italianInsults = `idiota|idioti|imbecille|imbecilli|cretino|cretina|stupido|stupida|scemo|scema|deficiente|stronzo|stronza|stronzi|bastardo|bastarda|porco|maiale|cane|puttana|troia|coglione|cogliona|coglioni|buffone|pagliaccio|verme|schifoso|schifosa|ratto|somaro|asino|ladro|bugiardo|bugiarda|canaglia|mascalzone|fallito|fallita|incapace|vigliacco|buono a nulla|nullita`

// italianHostility are the words of attacks, and italianOwn those with which somebody speaks of himself,
// denies or tells; see hostileRules.
var italianHostility = []talkRule{
	{talk: Threatening, words: `(ti|vi|la|lo) (ammazzo|uccido|picchio|spacco|rompo|accoltello|sparo|sputo|strangolo|prendo a (pugni|calci|schiaffi)|faccio (male|fuori|a pezzi)|brucio|sgozzo|meno|schiaffeggio|colpisco|attacco)( \w+){0,4}
(ti|vi) (voglio|devo) (ammazzare|uccidere|picchiare|spaccare|rompere|fare male)
(io )?(voglio|vado a) (ucciderti|ammazzarti|picchiarti|colpirti|spaccarti)( \w+){0,3}
(morirai|te ne pentirai|la pagherai|sanguinerai|ve ne pentirete|pagherai)( \w+){0,2}
(dammi|datemi|dacci) (\w+ ){1,5}o (ti|vi) \w+
mani in alto
(rubo|mi prendo) (la|il|i|il tuo|la tua|i tuoi|l) (cassa|soldi|borsa|oro|portafoglio|incasso|denaro)( \w+){0,2}
(tiro fuori|estraggo|sfodero) (il|la|un|una|mio|mia|il mio|la mia) (coltello|pistola|spada|pugnale|arma)
(ti|le|vi) (tiro|lancio|getto|rovescio) (\w+ ){1,4}(in faccia|in testa|addosso)
(do|appicco) fuoco`},
	{talk: Insulting, words: `(sei|lei e|siete|brutto|brutta|razza di|pezzo di|vecchio|vecchia|maledetto|maledetta|sporco|sporca|che|stupido|stupida) (un |uno |una |proprio |davvero |solo |il |la |un povero |brutto |vecchio |gran |pezzo di |peggior |peggiore |piu grande |piu gran )*(` + italianInsults + `)
(sei|siete|lei e) (proprio |davvero |cosi |molto |un |uno |una )*(merda|brutto|brutta|stupido|stupida|schifoso|schifosa|ridicolo|ridicola|patetico|patetica|disgustoso|disgustosa|incapace|inutile|orribile)
(chiudi|chiuda|chiudete) (la bocca|il becco|quella bocca)
(stai|sta) zitto (\w+ )?(` + italianInsults + `)
(vai|va|vada|andate) (al diavolo|all inferno|a quel paese|a fanculo|affanculo|a farti fottere|a cagare)
(vaffanculo|fanculo|fottiti|figlio di puttana|figlia di puttana|figlio di un cane)
(ti|vi) (odio|disprezzo|detesto)
(puzzi|puzzate)( \w+){0,3}`},
	{talk: Insulting, whole: true, words: `(brutto |brutta |vecchio |vecchia |pezzo di |razza di |che |maledetto )*(` + italianInsults + `)`},
}

var italianOwn = []string{"sono ", "non sei", "non e ", "non ti ", "non vo", "mi ha detto", "mi ha chiamato", "mai "}
