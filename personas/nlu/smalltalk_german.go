package nlu

// germanTalk is englishTalk in German.
var germanTalk = []talkRule{
	{talk: AskBot, words: `(chatgpt|gpt|openai|claude|gemini|chatbot)`},
	{talk: Farewell, words: `(tschuss|tschuess|auf wiedersehen|bis bald|bis dann|bis spater|gute nacht|leb wohl|mach s gut|mach gut)
(ich (muss|sollte) (los|gehen|weiter|nach hause))`},
	{talk: KnockKnock, words: `klopf klopf( wer ist da)?`},
	{talk: JokeTold, words: `(war|ist) (nur |bloss )?(ein )?(witz|scherz|spass)
kommt ein( \w+){1,4} (zum|ins|in) \w+`},
	{talk: SoundCheck, whole: true, words: `test( test)*
(hallo )?(kannst du|konnen sie|hort ihr) mich( \w+)? horen
(hallo )?ist (da |hier )?(jemand|wer)( da| hier)?`},
	{talk: BadNews, words: `(mein|meine|unser|unsere) (\w+ ){1,3}(ist (gestern |heute )?(gestorben|tot|krank|verstorben|weg|im krankenhaus|weggelaufen)|starb|hat mich verlassen)
ich (habe|hab) (\w+ )?(mein|meine|meinen) (\w+ )?(verloren|job verloren)
ich (bin|fuhle mich) (so |sehr |ganz |wirklich |heute )*(traurig|krank|verzweifelt|ungluecklich|unglucklich|am ende)
(schlechte|traurige) (nachrichten|nachricht)
ich vermisse \w+`},
	{talk: GoodNews, words: `ich (habe|hab) (\w+ ){0,4}(gewonnen|bestanden|den job( bekommen)?|geburtstag)
(ich|wir) (heirate|heiraten|werde vater|werde mutter|bekommen ein (kind|baby)|bin schwanger)
ich bin (so |sehr |richtig |ganz )*(glucklich|gluecklich|froh|verliebt|stolz)
gute (nachrichten|nachricht)
(alles gute|frohe weihnachten|frohes neues)`},
	{talk: AskAge, words: `wie alt (bist du|sind sie|seid ihr)
wann (hast du|haben sie|ist dein|bist du) (geburtstag|geboren)`},
	{talk: AskFamily, words: `(hast du|haben sie|habt ihr) (eine |einen |ein |viele )?(kinder|kind|familie|geschwister|bruder|schwester|frau|mann|freund|freundin|haustiere|haustier|eltern|freunde)
(bist du|sind sie) (verheiratet|ledig|single|geschieden|verlobt)
(wie|wer|wo|was) (heisst|ist|sind|macht|geht es) (dein|deine|deiner|deinem|ihre|ihr) (frau|mann|mutter|vater|bruder|schwester|sohn|tochter|kinder|eltern|familie)`},
	{talk: AskOrigin, words: `(woher|wo) (kommst du|kommen sie|stammst du|wohnst du|wohnen sie|lebst du|bist du aufgewachsen|bist du geboren|bist du her)
(wohnst|lebst) du (hier|allein|weit|in)`},
	{talk: AskWork, words: `(magst du|gefallt dir|mogen sie) (deine arbeit|deinen job|deinen beruf|ihre arbeit|ihren beruf|die arbeit)
(wie lange|seit wann) (arbeitest|machst|bist|stehst|arbeiten|machen|sind|lebst) (du|sie)
ist (das|die arbeit|deine arbeit) (schwer|anstrengend|langweilig|gefahrlich)`},
	{talk: AskDay, words: `wie war (dein|deine|der|ihr) (tag|nacht|woche|morgen|abend)
(hast du|haben sie) (gut |schon |heute )*(geschlafen|gegessen|gefruhstuckt)
was (hast du|haben sie) (heute |gestern )*(gegessen|gemacht|getrunken|vor)`},
	{talk: AskTaste, words: `(was|wer|welche|welches|welcher) (ist|sind) (dein|deine|ihr|ihre) (lieblings\w+)
(magst du|mogen sie|liebst du|hasst du) \w+
was (magst du|isst du gern|trinkst du gern|machst du gern|mogen sie)`},
	{talk: AskOpinion, words: `was (denkst|haltst|meinst|glaubst|denken|halten|meinen) (du|sie)
(glaubst|denkst|findest|meinst) du \w+
wie findest du \w+`},
	{talk: AskFeeling, words: `(bist du|sind sie) (so |sehr |immer |noch |heute )*(traurig|mude|bose|wutend|glucklich|einsam|hungrig|krank|allein|nervos|verliebt|schuchtern)
(geht es dir|geht es ihnen|alles) (gut|schlecht|ok|okay|klar|in ordnung)
(was ist|stimmt etwas nicht) (los|mit dir)
du (siehst|wirkst|klingst) (\w+ ){0,2}(traurig|mude|bose|krank)`},
	{talk: AskPersonal, words: `(kannst|konnen) (du|sie) (singen|tanzen|schwimmen|kochen|lesen|fliegen|spielen)
(hast|bist) du (schon mal|jemals|je|schon einmal) \w+
was (liest|machst|trinkst|isst|strickst|schreibst|denkst) du`},
	{talk: AskTime, words: `(wie spat|wieviel uhr|wie viel uhr) (ist es|haben wir)
(welcher tag|welches jahr|welches datum)
wie lange (dauert|noch)`},
	{talk: AskPrice, words: `(wie viel|wieviel|was) (kostet|kosten|macht|zahlst|verdient)
(ist|sind) (das|es|die) (\w+ )?(teuer|billig|kostenlos|umsonst)`},
	{talk: Weather, words: `(schones|schlechtes|tolles|mieses|furchtbares|gutes|so ein) wetter
(das|dieses) wetter
(es|regnet|schneit|sturmt) (regnet|schneit|sturmt|friert|es|ist (so |sehr |ganz |ziemlich |zu )*(kalt|heiss|warm|dunkel|windig|neblig|sonnig))`},
	{talk: Compliment, words: `(du bist|sie sind) (so |sehr |wirklich |echt |ein |eine |der |die |ganz )*(nett|lieb|freundlich|lustig|schon|schlau|klug|toll|hubsch|suss|wunderbar|cool|grossartig|beste|bester|witzig)
(schoner|schone|schones|toller|tolle|tolles|nette|netter|hubscher|hubsche) (hut|mantel|schuhe|kleid|hemd|stimme|augen|laden|haus|katze|schurze|bart|haare|haar|socke|jacke)
(ich mag|mir gefallt|mir gefallen|ich liebe) (dich|sie|dein|deine|deinen|ihr|ihre|ihren)
(gut gemacht|gute arbeit|bravo)`},
	{talk: Swearing, whole: true, words: `(oh |so ein |so eine |ach )*(mist|scheisse|verdammt|verflucht|verdammter mist|kacke|zum teufel|himmel)( (noch mal|nochmal|mist|noch eins))*`},
	{talk: Complaint, words: `(das|es) ist (so |sehr |zu |doch |ja |total |echt |nicht )*(langweilig|doof|dumm|blod|unfair|fair|schwer|nervig|unmoglich|sinnlos|gemein)
du (bist|warst) (so |sehr |zu |echt |total )*(langweilig|nervig|unfreundlich|unhoflich|unmoglich|gemein|stur)
(das hast du|das haben sie) (schon|bereits)
(komm schon|beeil dich|mach schon|jetzt reicht|hor auf)
ich (habe|hab) (keine|nicht den ganzen) (zeit|tag)`},
	{talk: Apology, words: `(es tut mir|tut mir) (\w+ )?leid
(entschuldigung|entschuldige|entschuldigen sie|verzeihung|sorry|pardon)`},
	{talk: Weariness, words: `(ich bin|mir ist) (so |sehr |ganz |ziemlich |schon |noch |heute |etwas )*(mude|kalt|warm|heiss|langweilig|hungrig|durstig|allein|nervos|verwirrt|nass|erschopft|einsam|aufgeregt|neu hier)
ich (habe|hab) (so |grossen |solchen |ein bisschen )*(hunger|durst|angst|kopfschmerzen|kopfweh|heimweh|schlecht geschlafen)
(mir geht es|es geht mir) (\w+ ){0,2}(gut|schlecht|besser)`},
	{talk: Laughter, whole: true, words: `(oh )?(haha|hahaha|ha|hehe|hihi|lol|xd)+( (haha|lol|lustig|sehr lustig|guter witz|der war gut))*
(das ist|sehr|wie)? ?(lustig|witzig|komisch)`},
	{talk: Agreement, whole: true, words: `(ja|ach |na |oh |sehr |das |ganz |gut |also |ok )*(ja|ok|okay|klar|gut|genau|richtig|stimmt|natuerlich|naturlich|sicher|einverstanden|gerne|gern|verstanden|alles klar|verstehe|ich verstehe|in ordnung|meinetwegen|schon|prima|super|toll|na gut|das stimmt)( (ja|gut|dann|danke|klar|sicher))*`},
	{talk: Disagreement, whole: true, words: `(nein|ach |oh |aber )*(nein|ne|nee|nicht|niemals|nie|unsinn|quatsch|falsch|das stimmt nicht|stimmt nicht|das ist falsch|auf keinen fall|nicht wirklich|ich glaube nicht|gar nicht)( (nein|danke|wirklich|das))*`},
	{talk: Wonder, whole: true, words: `(oh |ach |wie |sehr |so )*(wow|oh|ach|interessant|wirklich|echt|aha|seltsam|komisch|merkwurdig|unglaublich|spannend|ach so|so so)( (wirklich|echt|so))*`},
	{talk: Pondering, whole: true, words: `(hm+|hmm+|tja|ah+|aeh|ahm|also|nun|mal sehen|lass mich (nachdenken|uberlegen)|moment|einen moment|warte|ich weiss nicht|keine ahnung|vielleicht|kommt drauf an|egal)( (hm+|mal|so recht|noch|nicht|bitte))*`},
	{talk: AboutPlayer, words: `ich (bin|komme|wohne|lebe|arbeite|habe|hab|mag|liebe|hasse|war|wollte|gehe|spiele|trage|esse|trinke|denke|glaube|wunsche|hoffe|sammle) \w+
(mein|meine|unser|unsere) (\w+ ){1,3}(ist|sind|war|hat|hatte|mag|liebt|sagt|heisst|wohnt|arbeitet|spielt) \w+`},
}

// germanInsults are what somebody is called who is insulted.
const germanInsults = `idiot|idiotin|idioten|trottel|depp|deppen|arschloch|arschlocher|arsch|wichser|penner|schwein|drecksau|sau|mistkerl|miststuck|hurensohn|schlampe|hure|bastard|vollidiot|dummkopf|holzkopf|esel|hornochse|ochse|lump|halunke|schuft|versager|feigling|abschaum|drecksack|missgeburt|blodmann|schwachkopf|spinner|saftsack|ratte|parasit|kuh|lugner|betruger`

// germanHostility are the words of attacks, and germanOwn those with which somebody speaks of himself,
// denies or tells; see hostileRules.
var germanHostility = []talkRule{
	{talk: Threatening, words: `ich (bringe?|mache?) (dich|euch|sie) (\w+ ){0,3}(um|kalt|fertig|alle|platt)
ich (schlage?|hau|haue|verprugele?|erschlage?|erschiesse?|ersteche?|erwurge?|wurge|beisse?|bespucke|ohrfeige|zerquetsche|verbrenne|steche?|trete?|schiesse?|toete|tote|packe?) (dich|euch)( \w+){0,5}
ich (schlage?|hau|haue|breche?|trete?|steche?|reisse?|schneide?) (dir|euch|ihnen) (\w+ )?(rein|eins?|schadel|kopf|nase|zahne|fresse|knochen|arm|arme|bein|beine|finger|hals|genick|messer|ohren|ohr|augen|bauch)
ich spucke? (dich|dir|euch|ihnen)( \w+){0,4}
ich (werde?|will|wurde) (dich|dir|euch|sie|ihnen) (\w+ ){0,4}(umbringen|toten|schlagen|verprugeln|erschlagen|erschiessen|abstechen|wehtun|fertigmachen|brechen|verbrennen|erwurgen|kaputtmachen|einschlagen)
(du|ihr) (wirst|werdet|sollst) (sterben|bluten|bussen|das bereuen|es bereuen|leiden)
(gib|gebt|her mit) (\w+ ){1,5}(oder|sonst) (ich|es|du|knallt)
hande hoch
ich (stehle|klaue|raube|nehme) (dir|dein|deine|deinen|ihre|ihren|euch|die kasse) ?(\w+ ){0,3}(kasse|geld|borse|beutel|gold|brieftasche|einfach weg|und renne|und laufe)
ich (ziehe|zucke) (mein|meine|das|ein) (messer|schwert|pistole|waffe|dolch)
ich (zunde|stecke) (\w+ ){1,3}(an|in brand)
ich (werfe|schmeisse|schleudere) (dir|ihnen|euch) (\w+ ){1,4}(ins gesicht|an den kopf|uber den kopf)`},
	{talk: Insulting, words: `(du|sie|ihr) (verdammter |verdammte |verdammtes |blode |bloder |blodes |dumme |dummer |dummes |alte |alter |altes |fette |fetter |fettes |elender |elende |mieser |miese |mieses |dreckiger |dreckige |kleiner |kleine |kleines |haesslicher |hasslicher |hassliche |hassliches )*(` + germanInsults + `)
(du|ihr) (bist|seid) (ja |so |doch |echt |wirklich |einfach |nur |total |vollig )*(ein |eine |der |die )?(\w+ )?(` + germanInsults + `)
(sie sind|du bist|ihr seid) (ja |so |doch |echt |wirklich |einfach |total |vollig |ein )*(dumm|blod|doof|bescheuert|hasslich|widerlich|erbarmlich|ekelhaft|nutzlos|unfahig|dammlich|bekloppt|strohdumm)
(halt|halten sie|haltet) (doch )?(das|dein|deine|die|ihr|eure) (maul|fresse|klappe|schnauze)
(leck|leckt|lecken sie) (mich|mir)( am arsch)?
(fick|verpiss|verpisst|fickt) (dich|euch)
(geh|scher dich|fahr) (zum teufel|zur holle)
(du|ihr) (stinkst|stinkt|kotzt mich an)
ich (hasse|verachte) (dich|euch)`},
	{talk: Insulting, whole: true, words: `(du |so ein |alter |alte |altes |blode |bloder |blodes |dumme |dummer |dummes |verdammter )*(` + germanInsults + `)`},
}

var germanOwn = []string{"ich bin ", "ich war ", "bist kein", "sind kein", "nicht ", "hat gesagt", "nannte mich", "niemals "}
