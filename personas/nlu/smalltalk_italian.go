package nlu

// italianTalk is englishTalk in Italian.
var italianTalk = []talkRule{
	{talk: AskBot, words: `(\w+ )?(chatgpt|gpt|openai|claude|gemini|chatbot)( \w+){0,5}`},
	{talk: Farewell, words: `(arrivederci|addio|a presto|a domani|buonanotte|buona notte)( \w+){0,5}
((devo|dobbiamo) (andare|scappare)|me ne vado)( \w+){0,4}`},
	{talk: KnockKnock, words: `toc toc( toc)?`},
	{talk: JokeTold, words: `(era|e) (solo )?(uno scherzo|una battuta)( \w+){0,2}
(sto |stavo )?(scherzando|scherzo|scherzavo)`},
	{talk: SoundCheck, whole: true, words: `(prova|test)( (prova|test|uno|due|tre))*
(mi senti|mi sente|c e (qualcuno|nessuno))( \w+){0,2}`},
	{talk: BadNews, words: `(il mio|la mia|mio|mia|i miei|nostro|nostra) (\w+ ){1,3}(e (morto|morta|malato|malata|in ospedale|scappato)|mi ha lasciato|mi ha lasciata)( \w+){0,4}
ho perso (il|la|i|le|lavoro)( \w+){0,4}
(sono|mi sento) (cosi |molto |un po |davvero |tanto )*(triste|malato|malata|male|depresso|depressa|disperato|disperata)( \w+){0,4}
(cattive|brutte) notizie
mi manca( \w+){1,4}`},
	{talk: GoodNews, words: `(ho vinto|ho superato|ho passato|mi sposo|ci sposiamo|sono incinta|ho trovato lavoro|aspettiamo un (bambino|figlio))( \w+){0,5}
sono (cosi |molto |davvero |tanto )*(felice|contento|contenta|innamorato|innamorata|orgoglioso|orgogliosa|emozionato|emozionata)( \w+){0,4}
(buone notizie|e il mio compleanno|buon compleanno|buon natale|buon anno)( \w+){0,2}`},
	{talk: AskAge, words: `(quanti anni|che eta) (hai|ha)( \w+){0,2}
quando (e il tuo compleanno|e il suo compleanno|sei nato|sei nata)( \w+){0,2}`},
	{talk: AskFamily, words: `(hai|ha) (un |una |dei |molti )?(figli|figlio|figlia|famiglia|fratelli|sorelle|fratello|sorella|moglie|marito|fidanzato|fidanzata|ragazzo|ragazza|animali|cane|gatto|amici)( \w+){0,3}
(sei|e) (sposato|sposata|single|divorziato|divorziata|fidanzato|fidanzata)( \w+){0,2}
(come|chi|dove) (sta|si chiama|e) (tua|sua|tuo|suo) (moglie|marito|madre|padre|fratello|sorella|figlio|figlia|famiglia)( \w+){0,3}`},
	{talk: AskOrigin, words: `(di|da) dove (sei|e|vieni|viene)( \w+){0,3}
dove (vivi|vive|abiti|abita|sei nato|sei nata|sei cresciuto|sei cresciuta)( \w+){0,3}
(sei|e) (di qui|di queste parti)( \w+){0,3}
(vivi|abiti) (qui|lontano|da solo|da sola|vicino)( \w+){0,3}`},
	{talk: AskWork, words: `ti piace (il tuo|questo|il) (lavoro|mestiere)( \w+){0,2}
da quanto (tempo )?(lavori|lavora|lo fai|sei|vivi)( \w+){0,5}
e (duro|difficile|faticoso|noioso|pericoloso)( \w+){0,4}`},
	{talk: AskDay, words: `com (e andata|e stata|era)( \w+){0,5}
(hai|ha) (dormito|mangiato|pranzato|cenato)( \w+){0,3}
(che|cosa|che cosa) (hai|ha) (mangiato|fatto|bevuto)( \w+){0,4}`},
	{talk: AskTaste, words: `(qual|chi|quali) (e|sono) (il |la |i |le )?(tuo|tua|suo|sua|tuoi|tue) (\w+ )?(preferito|preferita|preferiti|colore|cibo|canzone|film|libro)( \w+){0,3}
ti (piace|piacciono)( \w+){1,6}
(cosa ti piace|preferisci|preferisce|odi|ami)( \w+){0,6}`},
	{talk: AskOpinion, words: `(che|cosa|che cosa) (ne )?(pensi|pensa|dici|dice|ne pensi)( \w+){0,8}
(credi|pensi|crede|pensa) (che|in|di|sia)( \w+){1,10}
qual e (la tua|la sua) opinione( \w+){0,5}`},
	{talk: AskFeeling, words: `(sei|e) (cosi |molto |un po |sempre |ancora )*(triste|stanco|stanca|arrabbiato|arrabbiata|felice|solo|sola|malato|malata|nervoso|nervosa|occupato|occupata)( \w+){0,3}
(hai|ha) (fame|freddo|sete|paura|sonno|caldo)( \w+){0,3}
(che succede|tutto bene|cosa c e che non va)( \w+){0,2}`},
	{talk: AskPersonal, words: `(sai|sa|puoi|puo) (cantare|ballare|nuotare|cucinare|leggere|giocare|volare)( \w+){0,3}
(hai|sei) mai( \w+){1,8}
(che|cosa|che cosa) (leggi|bevi|mangi|fai|scrivi|stai (facendo|leggendo|bevendo|mangiando))( \w+){0,5}`},
	{talk: AskTime, words: `(che (ora|ore|giorno|data)) (e|sono)( \w+){0,3}
(quanto tempo|a che ora|quanto manca)( \w+){0,5}`},
	{talk: AskPrice, words: `quanto (costa|costano|viene|fa|vale|guadagni|guadagna|pagano|devo|le devo)( \w+){0,5}
(e|costa) (\w+ )?(caro|economico|gratis)( \w+){0,3}
qual e il prezzo( \w+){0,4}`},
	{talk: Weather, words: `fa (cosi |molto |un po |tanto |davvero |troppo )*(freddo|caldo|bello|brutto)( \w+){0,4}
(piove|nevica|sta piovendo|sta nevicando|c e (il sole|vento|nebbia))( \w+){0,4}
(che|bel|brutto|questo|il) tempo (fa|bello|brutto|orribile|e)?( \w+){0,5}`},
	{talk: Compliment, words: `(sei|lei e) (cosi |molto |un |una |il |la |davvero |proprio )*(gentile|simpatico|simpatica|divertente|bello|bella|bravo|brava|intelligente|furbo|furba|geniale|affascinante|migliore|carino|carina|adorabile)( \w+){0,4}
(bel|bello|bella|belle|begli|bei|che bel|che bella|che bello) (cappello|vestito|cappotto|scarpe|voce|occhi|casa|negozio|posto|gatto|baffi|grembiule)( \w+){0,3}
mi (piace|piacciono) (molto |tanto )?(il tuo|la tua|i tuoi|le tue|il suo|la sua|questo posto)( \w+){0,4}
(ben fatto|bel lavoro|bravo|brava|complimenti)( \w+){0,2}`},
	{talk: Swearing, whole: true, words: `(oh |che |ma )*(merda|cazzo|accidenti|maledizione|dannazione|cavolo|diavolo|porca miseria|mannaggia)( (di nuovo|ancora))*`},
	{talk: Complaint, words: `(questo|e|non e|questa) (e |non e |cosi |molto |troppo |un po )*(noioso|noiosa|stupido|stupida|ingiusto|giusto|difficile|ridicolo|impossibile|lento)( \w+){0,3}
(sei|lei e) (cosi |molto |troppo )*(noioso|noiosa|impossibile|maleducato|maleducata|antipatico|antipatica|lento|lenta)( \w+){0,3}
(l hai|lo hai|l ha) gia detto( \w+){0,3}
(dai su|sbrigati|basta|ho fretta|non ho tempo|smettila)( \w+){0,4}`},
	{talk: Apology, words: `(mi dispiace|scusa|scusi|scusami|mi scusi|perdonami|mi perdoni|chiedo scusa|perdono)( \w+){0,8}`},
	{talk: Weariness, words: `(sono|mi sento) (cosi |molto |un po |gia |davvero )*(stanco|stanca|esausto|esausta|annoiato|annoiata|solo|sola|perso|persa|nervoso|nervosa|bagnato|bagnata|confuso|confusa|bene|meglio)( \w+){0,4}
ho (tanta |tanto |molta |molto |un po di )*(fame|sete|freddo|caldo|sonno|paura|mal di \w+)( \w+){0,3}
(mi annoio|mi fa male|mi fanno male|sto (bene|male|meglio))( \w+){0,4}`},
	{talk: Laughter, whole: true, words: `(oh )?(haha|hahaha|ahah|ahahah|ha|ah ah|hehe|eheh|lol|xd)+( (haha|ahah|lol|che ridere|molto divertente))*
(che |molto |e )*(divertente|buffo|ridere)`},
	{talk: Agreement, whole: true, words: `(ah |oh |si |molto |ma |ok |va )*(si|ok|bene|va bene|certo|certamente|esatto|esattamente|vero|e vero|d accordo|capito|perfetto|capisco|ho capito|volentieri|hai ragione|ha ragione|giusto|ottimo|sicuro|naturalmente|perche no|buono)( (si|bene|allora|grazie|signore|signora))*`},
	{talk: Disagreement, whole: true, words: `(no|oh |ma )*(no|mai|per niente|certo che no|falso|non e vero|non credo|non sono d accordo|affatto|sciocchezze|assolutamente no)( (no|grazie|signore|signora))*`},
	{talk: Wonder, whole: true, words: `(oh |ah |che |molto |ma )*(wow|oh|ah|interessante|davvero|sul serio|incredibile|strano|curioso|affascinante|caspita|pero)( (davvero|strano))*`},
	{talk: Pondering, whole: true, words: `(hm+|eh+|beh|allora|vediamo|aspetta|aspetti|un momento|un attimo|un secondo|fammi pensare|mi faccia pensare|non so|non lo so|forse|dipende|boh|fa niente)( (hm+|per favore|ancora))*`},
	{talk: AboutPlayer, words: `(sono|io sono|vengo|vivo|abito|lavoro|studio|ho|parlo|penso|credo|odio|amo|adoro|gioco|suono|spero|sto)( \w+){1,14}
mi (piace|piacciono|chiamo)( \w+){1,10}
(il mio|la mia|mio|mia|i miei|le mie) (\w+ ){1,3}(e|sono|ha|era|dice|vive|lavora|si chiama|vuole)( \w+){1,12}`},
}
