package nlu

import "strings"

// Attacks on whom the speaker talks to, in languages other than English, of which Acts tells
// them by its grammar.
const (
	Insulting   Talk = "an insult"
	Threatening Talk = "a threat or an attack"
)

// hostileRules are, by language, the words of attacks: of the second person, or called at it.
// What is said of somebody else, of oneself, or denied is none.
var hostileRules = map[string][]talkRule{
	"fr": {
		{talk: Threatening, words: `(je|on) (vais|va|veux|vous|te|t) (te |t |vous |bien |tous |tout )*(tuer|tue|frapper|frappe|buter|bute|cogner|cogne|taper dessus|etrangler|etrangle|egorger|egorge|crever|creve|defoncer|defonce|demolir|massacrer|planter un|poignarder|poignarde|gifler|gifle|fracasser|tabasser|assommer|assomme|bruler vif|casser la|casse la|casser les|casser le|casser un|faire la peau|faire du mal|faire souffrir|crache|cracher|etriper|etripe|attaque|attaquer)
(tu vas|vous allez) (mourir|crever|le regretter|souffrir|le payer)
(je|j) (te |vous |lui )?(jette|lance|renverse|balance|verse) (\w+ ){1,4}(a la figure|au visage|a la tete|dans la figure|a la gueule|sur la tete)
(je|j) (vole|pique|vide|braque) (la|ta|votre) (caisse|argent|portefeuille|bourse|montre|tiroir)
(donne|donnez|file|filez) (moi )?(\w+ ){1,4}ou (je|on) (te|vous|tire|casse|tue|frappe)
haut les mains
(je|j) (mets|vais mettre) le feu
(je|j) (renverse|retourne) (la|ta|votre|les) tables?
(je|j) sors (un|mon) (couteau|pistolet|flingue|revolver|epee|poignard)`},
		{talk: Insulting, words: `espece d(e)? (\w+ )?(` + frenchInsults + `)
(tu es|t es|vous etes|t as l air d|quel|sale|sales|pauvre|gros|grosse|vieux|vieille|petit|petite|bande de) (vraiment |qu |un |une |le |la |bien |trop |juste |sale |gros |vieux |pauvre |petit |roi des |reine des )*(` + frenchInsults + `)
(tu es|t es|vous etes) (vraiment |trop |si |completement |un peu )*(nul|nulle|nuls|moche|laid|laide|ridicule|pitoyable|degueulasse|stupide|bete|repugnant|repugnante|ignoble|incompetent|incompetente|insupportable)
(ta|vos|ferme ta|fermez la|ferme la|fermez vos) gueules?
(va|allez) (te|vous) (faire )?(foutre|voir|encul\w*|cuire|pendre|chier)
je (te|t|vous) (emmerde|emmerdes|deteste|hais|meprise)
(nique|niquez) (ta|votre|toi)
(tu|vous) (pues|puez|schlingues)
(casse toi|cassez vous|degage d ici|degagez d ici)`},
		{talk: Insulting, whole: true, words: `(oh |ah |he |va donc |eh )?(sale |gros |vieux |pauvre )?(` + frenchInsults + `)( va)?
(degage|degagez)( (vieux |sale )?(` + frenchInsults + `))?`},
	},
	"de": {
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
	},
	"es": {
		{talk: Threatening, words: `(te|os|lo|la|le) (voy|vamos|quiero) a (matar|pegar|romper|partir|golpear|apunalar|disparar|quemar|degollar|reventar|hacer dano|dar una (paliza|bofetada|hostia)|estrangular|ahogar|destrozar)
voy a (matarte|pegarte|romperte|partirte|golpearte|apunalarte|dispararte|quemarte|reventarte|hacerte dano|matarlo|matarla|golpearlo|pegarle)
(te|os) (mato|pego|golpeo|parto|rompo|apunalo|disparo|escupo|estrangulo|reviento|abofeteo|empujo|pateo|ataco)( \w+){0,4}
(vas|van|vais) a (morir|lamentarlo|pagar|sangrar|sufrir)
(dame|deme|danos|suelta) (\w+ ){1,5}o (te|le|os) \w+
manos arriba
(robo|me llevo) (la|tu|su|el) (caja|dinero|bolsa|cartera|oro|monedero)( \w+){0,3}
saco (mi|un|una|el|la) (cuchillo|pistola|espada|navaja|arma|punal)
(le|te) (tiro|lanzo|echo|arrojo) (\w+ ){1,3}(a la cara|a la cabeza|encima)
(prendo|voy a prender) fuego`},
		{talk: Insulting, words: `(eres|es usted|sois|pedazo de|que|maldito|maldita|viejo|vieja|sucio|sucia|pinche|puto|puta) (un |una |el |muy |tan |bien |mas |grandisimo |maldito |viejo |puto |pedazo de |realmente )*(` + spanishInsults + `)
(eres|es usted) (muy |tan |realmente |un |una )*(mierda|feo|fea|estupido|estupida|asqueroso|asquerosa|ridiculo|ridicula|patetico|patetica|repugnante|tonto|tonta|incompetente)
(callate|callese|cierra) (la boca|el pico|de una vez|ya)( \w+){0,3}
(vete|vayase|idos|que te) (a la mierda|al infierno|al diablo|a tomar por culo|jodan|den)
(te|os) (odio|desprecio|detesto)
(jodete|que te jodan|chinga tu madre|hijo de puta|hija de puta|hijo de perra|la puta que te pario)
(apestas|hueles a (mierda|cerdo))`},
		{talk: Insulting, whole: true, words: `(maldito |maldita |viejo |vieja |pedazo de |so |puto )?(` + spanishInsults + `)
callate`},
	},
	"pt": {
		{talk: Threatening, words: `(eu )?(vou|quero) (te |lhe |o |a )?(matar|bater|quebrar|socar|esfaquear|queimar|degolar|arrebentar|machucar|espancar|estrangular)(te|lo|la| voce| tua| sua| a tua| a sua)?( \w+){0,3}
(eu )?(te|lhe) (mato|bato|soco|esfaqueio|cuspo|estrangulo|arrebento|chuto|empurro|ataco|quebro)( \w+){0,4}
(voce |tu )?(vai|vais) (morrer|se arrepender|arrepender te|pagar|sangrar|sofrer)( \w+){0,2}
(me da|da me|me de|passa) (\w+ ){1,5}(ou|senao) (eu|te|vou|morre|leva)
maos ao alto
(eu )?(roubo|vou roubar) (o|a|teu|tua|seu|sua) (\w+ ){0,2}(caixa|dinheiro|carteira|ouro|bolsa)
(eu )?(puxo|saco) (a|o|uma|um|minha|meu) (faca|arma|espada|pistola|punhal)
(eu )?(atiro|jogo|lanco) (\w+ ){1,4}(na cara|na tua cara|na sua cara|na cabeca)
(eu )?(ponho|boto|vou por) fogo`},
		{talk: Insulting, words: `(voce e|tu es|vc e|seu|sua|que|maldito|maldita|velho|velha) (um |uma |o |muito |tao |mesmo |um grande |uma grande |velho |velha |maldito )*(` + portugueseInsults + `)
(voce e|tu es|vc e) (muito |tao |mesmo |um |uma )*(merda|feio|feia|estupido|estupida|nojento|nojenta|ridiculo|ridicula|patetico|patetica|burro|burra|incompetente|inutil)
(cala|cale|fecha|feche) (a boca|essa boca|a matraca|o bico)( \w+){0,2}
(vai|va|vao) (a merda|para o inferno|pro inferno|se foder|te foder|tomar no cu|para o diabo|pro diabo|se ferrar)
(eu )?(te odeio|odeio voce|odeio te|te desprezo)
(foda se voce|filho da puta|filha da puta|vai te foder)
(voce|tu) (fede|fedes)`},
		{talk: Insulting, whole: true, words: `(seu |sua |velho |velha |maldito |maldita )*(` + portugueseInsults + `)`},
	},
	"it": {
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
		{talk: Insulting, words: `(sei|lei e|siete|brutto|brutta|razza di|pezzo di|vecchio|vecchia|maledetto|maledetta|sporco|sporca|che|stupido|stupida) (un |uno |una |proprio |davvero |solo |il |la |un povero |brutto |vecchio |gran |pezzo di )*(` + italianInsults + `)
(sei|siete|lei e) (proprio |davvero |cosi |molto |un |uno |una )*(merda|brutto|brutta|stupido|stupida|schifoso|schifosa|ridicolo|ridicola|patetico|patetica|disgustoso|disgustosa|incapace|inutile|orribile)
(chiudi|chiuda|chiudete) (la bocca|il becco|quella bocca)
(stai|sta) zitto (\w+ )?(` + italianInsults + `)
(vai|va|vada|andate) (al diavolo|all inferno|a quel paese|a fanculo|affanculo|a farti fottere|a cagare)
(vaffanculo|fanculo|fottiti|figlio di puttana|figlia di puttana|figlio di un cane)
(ti|vi) (odio|disprezzo|detesto)
(puzzi|puzzate)( \w+){0,3}`},
		{talk: Insulting, whole: true, words: `(brutto |brutta |vecchio |vecchia |pezzo di |razza di |che |maledetto )*(` + italianInsults + `)`},
	},
}

const (
	frenchInsults     = `imbecile|imbeciles|idiot|idiote|idiots|cretin|cretine|abruti|abrutie|con|conne|cons|connard|connards|connasse|salaud|salope|enfoire|encule|batard|debile|minable|bouffon|bouffonne|ordure|raclure|pourriture|merdeux|merdeuse|tocard|crapule|fumier|minus|faineant|faineante|bon a rien|bonne a rien|porc|chien galeux|tete de noeud|trou du cul|fils de pute|sac a merde|moins que rien|charlatan|voleur|voleuse|menteur|menteuse`
	germanInsults     = `idiot|idiotin|idioten|trottel|depp|deppen|arschloch|arschlocher|arsch|wichser|penner|schwein|drecksau|sau|mistkerl|miststuck|hurensohn|schlampe|hure|bastard|vollidiot|dummkopf|holzkopf|esel|hornochse|ochse|lump|halunke|schuft|versager|feigling|abschaum|drecksack|missgeburt|blodmann|schwachkopf|spinner|saftsack|ratte|parasit|kuh|lugner|betruger`
	spanishInsults    = `idiota|idiotas|imbecil|imbeciles|estupido|estupida|tonto|tonta|gilipollas|cabron|cabrona|cabrones|pendejo|pendeja|capullo|basura|cerdo|cerda|hijo de puta|hija de puta|puta|zorra|bastardo|bastarda|payaso|inutil|canalla|sinverguenza|asqueroso|asquerosa|tarado|tarada|subnormal|escoria|rata|burro|burra|ladron|mentiroso|mentirosa|don nadie`
	portugueseInsults = `idiota|idiotas|imbecil|estupido|estupida|burro|burra|otario|otaria|babaca|palhaco|palhaca|lixo|porco|porca|filho da puta|filha da puta|puta|vaca|bastardo|bastarda|canalla|canalha|desgracado|desgracada|inutil|cretino|cretina|nojento|nojenta|verme|rato|ladrao|mentiroso|mentirosa|escoria|parvo|parva|cabrao|ze ninguem`
	italianInsults    = `idiota|idioti|imbecille|imbecilli|cretino|cretina|stupido|stupida|scemo|scema|deficiente|stronzo|stronza|stronzi|bastardo|bastarda|porco|maiale|cane|puttana|troia|coglione|cogliona|coglioni|buffone|pagliaccio|verme|schifoso|schifosa|ratto|somaro|asino|ladro|bugiardo|bugiarda|canaglia|mascalzone|fallito|fallita|incapace|vigliacco|buono a nulla|nullita`
)

// saidOfSelf are words with which somebody speaks of himself, denies or reports.
var saidOfSelf = map[string][]string{
	"fr": {"je suis ", "j etais ", "n es pas", "n etes pas", "es pas un", "ne vais pas", "ne veux pas", "m a dit", "m a traite", "jamais "},
	"de": {"ich bin ", "ich war ", "bist kein", "sind kein", "nicht ", "hat gesagt", "nannte mich", "niemals "},
	"es": {"soy ", "no eres", "no es ", "no voy", "no te ", "me dijo", "me llamo", "nunca "},
	"pt": {"sou ", "nao e ", "nao es ", "nao vou", "nao te ", "me disse", "me chamou", "nunca "},
	"it": {"sono ", "non sei", "non e ", "non ti ", "non vo", "mi ha detto", "mi ha chiamato", "mai "},
}

// KnowsHostility reports whether Hostility knows attacks in a language.
func KnowsHostility(language string) bool { return hostileRules[language] != nil }

// Hostility says of a text in a language other than English whether it insults, threatens or
// attacks the one spoken to in so many words; NoTalk if not. A starred action is read like
// what the speaker says that he does.
func (r *Reading) Hostility(language string) Talk {
	table := r.lexicon.hostile[language]
	if table == nil {
		return NoTalk
	}
	words := talkWords(strings.ReplaceAll(r.text, "*", " "), false)
	if len(words) == 0 || len(words) > talkMaxWords {
		return NoTalk
	}
	talk := table().find(words)
	if talk == NoTalk {
		return NoTalk
	}
	text := " " + strings.Join(words, " ") + " "
	for _, own := range saidOfSelf[language] {
		if strings.Contains(text, " "+own) {
			return NoTalk
		}
	}
	return talk
}
