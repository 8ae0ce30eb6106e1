package offline

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// politeWords say nothing in a message that asks for help, wherever they stand in it.
const politeWords = " please pls plz kindly lol lmao haha hahaha tbh btw already maybe perhaps possibly just really actually honestly sorry excuse pardon hey hello hi ok okay um uh erm hm hmm oh ah well thanks thank cheers sir madam friend quick small little tiny first " +
	"bitte vielleicht mal doch denn entschuldigung entschuldige verzeihung hallo danke also ahm aber kleinen kleiner kleines kurz gerade einfach irgendwie leider " +
	"svp stp pardon bonjour alors merci euh juste petit petite vraiment desole desolee " +
	"perdon perdona disculpe disculpa hola gracias quizas quiza pues pequena realmente " +
	"desculpe desculpa ola talvez obrigado obrigada entao pequeno mesmo " +
	"scusa scusi ciao grazie magari allora forse piccolo piccola davvero "

// politePhrases are the same of several words.
var politePhrases = strings.NewReplacer(" if you please ", " ", " excuse me ", " ", " thank you ", " ", " i am sorry ", " ", " a bit of ", " some ", " a bit ", " ",
	" s il te plait ", " ", " s il vous plait ", " ", " excusez moi ", " ", " excuse moi ", " ", " peut etre ", " ", " un peu d ", " ", " un peu ", " ",
	" por favor ", " ", " un poco de ", " ", " um pouco de ", " ", " per favore ", " ", " per piacere ", " ", " un po di ", " ",
	" tut mir leid ", " ", " es tut mir leid ", " ")

// helpForms are, by language, how people ask what they could do: for a hint, because they are stuck,
// because they have no idea. The words are folded and without courtesies.
var helpForms = map[string][]textForm{
	"en": newHelpForms(
		`(?:(?:can|could|would|will|may|might) (?:you (?:mind )?(?:be able to )?(?:give|giving|offer|spare|show|lend|drop)|(?:i|we) (?:have|get|ask for|ask you for|use))|i (?:would |could |do )?(?:need|want|like|use|love|have to ask for)(?: to have| to get| to ask for)?|do you have|have you|have you got|got|is there|are there|give|give me|give us|offer me|offer us|let me have)(?: (?:me|us))?(?: (?:a|an|any|some|one|another|more|the|of|kind|sort|your|next|further|good))* (?:hint|hints|clue|clues|tip|tips|pointer|pointers|help|assistance|advice|guidance|suggestion|suggestions)`+englishTail,
		`(?:(?:can|could|would|will) (?:you|somebody|someone|anybody|anyone) |i need you to )?help (?:me|us)(?: out)?`+englishTail,
		`(?:a|an|any|some|another|one more|one) (?:hint|hints|clue|clues|tip|tips|pointer|pointers|help|advice|idea|ideas|suggestion|suggestions)`+englishTail,
		`(?:hint|hints|clue|clues|help|stuck|now what|what now)`,
		`(?:i am|we are|am|i feel|i got|i seem to be) (?:(?:completely|totally|a bit|kind of|quite|still|now|so|here|getting) )*(?:stuck|at a loss|out of ideas|clueless)(?: (?:here|now|again|with this|at this point))*(?: (?:what|where|how|can you|could you) .{0,40})?`,
		`(?:i |we )?(?:have |got )?no (?:idea|clue) (?:what|how) (?:to|i (?:should|can|could|am supposed to|have to|must)|you want)`+englishRest,
		`(?:i |we )?(?:(?:am not|not) sure|do not (?:know|understand|see|get)) (?:what|how) (?:to|i (?:should|can|could|am supposed to|am meant to|have to|must|need to)|you want)`+englishRest,
		`(?:(?:can|could|would|will) you help me(?: a little| a bit)?,? )?i do not (?:know|understand|see|get) how (?:this|it|that|the game) (?:works|goes|is played)`+englishTail,
		`(?:and |but )?(?:what|where|how) (?:now|else)|(?:and |but )?now what`,
		`(?:am i|who am i|what am i|are we|how am i) (?:supposed|meant) to (?:be|do|say|play|know|type|write|answer|click|guess)(?: \w+){0,6}`,
		`(?:is|was) (?:this|it) (?:a|the|like a|some kind of|supposed to be a) (?:\w+ )?game(?: (?:where|or|in which|that) .{0,80})?`,
		`(?:do|can|should|must) i (?:have to |need to |just )?(?:type|click|press|write|choose|pick|select|tap)(?: \w+){0,8}`,
		`i am new (?:in|to|at|with) (?:this|the|your) game`, `the game (?:did|does) not (?:say|tell|explain)(?: \w+){0,4}`,
		`how (?:does|do) (?:this|it|the game|i|you|we) (?:game )?(?:work|play|start|begin|win)(?: (?:this|it|the game|here|this game))?`,
		`(?:and |but )?what (?:do|should|shall|can|could|would|else can|else could|else should|am) i (?:supposed to |meant to |even )?(?:do|say|try|answer|write)(?: (?:now|next|here|then|to you|exactly|about it))*`,
	),
	"de": newHelpForms(
		`(?:(?:kannst|konntest|wurdest|willst|magst) du|(?:konnen|konnten|wurden) sie|kann ich|konnte ich|darf ich|gib|geben sie|hast du|hattest du|haben sie|hatten sie|ich brauche|ich brauchte|ich hatte gern|ich hatte gerne|ich mochte|ich will|gibt es|gibts|hatte gern)(?: (?:mir|uns|fur|mich|noch|da|hier|so|etwas|ein|eine|einen|irgendeinen|irgendwelche|paar|weiteren|zweiten))* (?:tipp|tipps|hinweis|hinweise|hilfe|rat|ratschlag|anhaltspunkt|idee|vorschlag|hilfestellung)(?: (?:geben|bekommen|haben|kriegen|verraten|fur mich|hier|dazu|jetzt|von dir))*`+germanTail,
		`(?:(?:kannst|konntest|wurdest) du|(?:konnen|konnten|wurden) sie) (?:mir|uns)(?: (?:hier|jetzt|weiter|dabei|ein|bisschen|etwas))* (?:helfen|weiterhelfen)`+germanTail,
		`(?:hilf|hilfst du|helfen sie) (?:mir|uns)(?: (?:hier|jetzt|weiter|dabei|ein|bisschen|etwas))*`+germanTail,
		`(?:ein|eine|einen|noch ein|noch einen|noch eine|irgendein|irgendeine|irgendwelche) (?:tipp|tipps|hinweis|hinweise|hilfe|rat|idee|ideen|vorschlag)`+germanTail,
		`(?:tipp|tipps|hinweis|hilfe|was nun|was jetzt|und nun|und jetzt)`,
		`ich (?:komme|komm) (?:\w+ ){0,2}nicht (?:mehr )?weiter|ich (?:stecke|hange|hang|sitze) (?:\w+ ){0,2}fest|ich bin (?:\w+ )?ratlos|ich weiss (?:\w+ )?nicht (?:mehr )?weiter`,
		`(?:ich (?:habe|hab) (?:\w+ )?)?keine (?:ahnung|idee|ideen)(?: mehr)? (?:was|wie) ich .{0,40}(?:soll|kann|muss|konnte|sollte)`,
		`ich (?:weiss|verstehe) (?:\w+ )?nicht (?:mehr )?(?:was|wie) ich .{0,40}(?:soll|kann|muss|konnte|sollte)`,
		`(?:und )?was (?:soll|kann|muss|konnte|sollte) ich (?:\w+ ){0,2}(?:tun|machen|sagen|versuchen|antworten)`,
	),
	"fr": newHelpForms(
		`(?:(?:est ce que )?(?:tu|vous) (?:peux|pouvez|pourrais|pourriez|veux|voulez|aurais|auriez|as|avez)|(?:peux|pourrais|aurais|as|pouvez|pourriez|auriez|avez) (?:tu|vous)|je (?:peux|pourrais|voudrais|veux|aimerais)|(?:puis|pourrais) je|j (?:ai besoin|aimerais|aurais besoin)|donne|donnez|donne moi|donnez moi|il y a|y a t il|il me faut|il me faudrait)(?: (?:me|moi|nous|avoir|donner|filer|demander|d|de|un|une|des|autre|autres|quelques|bon))* (?:indice|indices|aide|conseil|conseils|piste|pistes|astuce|astuces|tuyau|idee|idees|indication|indications|suggestion|suggestions)`+frenchTail,
		`(?:(?:est ce que )?(?:tu|vous) (?:peux|pouvez|pourrais|pourriez)|(?:peux|pourrais) tu|(?:pouvez|pourriez) vous) (?:(?:m|nous|me) )?(?:aider|aide)`+frenchTail,
		`(?:(?:tu|vous) (?:m|nous) (?:aides|aidez)|(?:aide|aidez)(?: (?:moi|nous))?)`+frenchTail,
		`(?:un|une|des|encore un|encore une|un autre) (?:indice|indices|aide|conseil|conseils|piste|idee|idees|astuce|suggestion)`+frenchTail,
		`(?:indice|aide|a l aide|et maintenant|que faire|quoi maintenant)`,
		`je (?:suis|reste) (?:\w+ )?(?:bloque|bloquee|coince|coincee|perdu ici|perdue ici)(?: (?:la|ici|maintenant))*|je n y arrive (?:pas|plus)|je seche`,
		`(?:je n ai |j ai )?(?:aucune|pas d|plus d) ?idees? de (?:quoi|ce que je (?:dois|peux)) (?:dire|faire|repondre|essayer).{0,20}`,
		`je ne (?:sais|comprends|vois) (?:pas|plus|pas trop|pas bien) (?:quoi|comment|que|ce que)(?: je)?(?: (?:dois|peux|pourrais))? (?:dire|faire|repondre|essayer|continuer|avancer).{0,20}`,
		`(?:et )?(?:que|qu est ce que) (?:dois|puis|je dois|je peux|je pourrais|je devrais|pourrais|devrais)(?: je)? (?:faire|dire|essayer|repondre)(?: (?:maintenant|ici|d autre))*`,
	),
	"es": newHelpForms(
		`(?:(?:me |nos )?(?:puedes|podrias|puede|podria|quieres)|puedo|podria|necesito|quiero|quisiera|me gustaria|hay|tienes|tiene|tendrias|dame|deme|danos|da)(?: (?:dar|darme|darnos|ofrecerme|tener|pedir|pedirte|recibir|me|un|una|unas|unos|otra|otro|alguna|algun|algo|de|mas))* (?:pista|pistas|ayuda|consejo|consejos|sugerencia|sugerencias|idea|ideas|indicio|indicacion|ayudita|pistita)`+spanishTail,
		`(?:(?:me |nos )(?:puedes|podrias|puede|podria) (?:ayudar|echar una mano)|(?:puedes|podrias|puede|podria) (?:ayudarme|ayudarnos|echarme una mano)|me ayudas|me ayuda|nos ayudas|ayudame|ayudeme|ayudanos)(?: con una? (?:pista|consejo))?`+spanishTail,
		`(?:un|una|alguna|algun|otra|otro) (?:pista|ayuda|consejo|sugerencia|idea|ayudita)`+spanishTail,
		`(?:pista|pistas|ayuda|y ahora|y ahora que|ahora que)`,
		`(?:estoy|me he quedado|me quede|sigo) (?:\w+ )?(?:atascado|atascada|bloqueado|bloqueada|sin ideas|trabado|trabada)(?: (?:aqui|ahora))*`,
		`no tengo (?:ni |ninguna )?idea de (?:que|como) (?:debo |puedo )?(?:decir|hacer|responder|seguir).{0,20}`,
		`(?:ya )?no (?:se|entiendo|veo) (?:\w+ )?(?:que|como) (?:debo |puedo )?(?:decir|hacer|responder|seguir).{0,20}`,
		`(?:y )?que (?:puedo|debo|deberia|podria|tengo que|mas puedo) (?:hacer|decir|probar|intentar|responder)(?: (?:ahora|aqui|mas))*`,
	),
	"pt": newHelpForms(
		`(?:(?:voce |tu |o senhor |a senhora )?(?:me )?(?:pode|poderia|podia|podes|podias|quer)|posso|poderia|podia|preciso|precisava|quero|queria|gostaria|tem|tens|teria|ha|me da|da me|da|de me)(?: (?:me|dar|dar me|ter|pedir|receber|de|um|uma|umas|uns|outra|outro|alguma|algum|mais))* (?:dica|dicas|ajuda|pista|pistas|conselho|conselhos|sugestao|sugestoes|ideia|ideias|ajudinha|dicazinha)`+portugueseTail,
		`(?:(?:voce |tu |o senhor |a senhora )?(?:me )?(?:pode|poderia|podia|podes|podias) (?:me )?(?:ajudar|ajudar me|dar uma mao|dar uma forca)|me ajuda|me ajude|ajuda me|ajude me)`+portugueseTail,
		`(?:um|uma|alguma|algum|outra|outro|mais uma) (?:dica|ajuda|pista|conselho|sugestao|ideia|ajudinha)`+portugueseTail,
		`(?:dica|dicas|ajuda|pista|e agora|agora o que)`,
		`(?:estou|to|fiquei) (?:\w+ )?(?:travado|travada|preso aqui|presa aqui|bloqueado|bloqueada|empacado|empacada|sem ideias)(?: (?:aqui|agora))*`,
		`nao (?:tenho|faco) (?:a menor |a minima |nenhuma )?(?:ideia|nocao) (?:do|de) (?:que|como) (?:devo |posso )?(?:dizer|fazer|responder|continuar).{0,20}`,
		`(?:eu )?(?:ja )?nao (?:sei|entendo|entendi|vejo) (?:\w+ )?(?:o que|como|que) (?:devo |posso )?(?:dizer|fazer|responder|continuar).{0,20}`,
		`(?:e )?o que (?:eu |e que eu )?(?:posso|devo|deveria|poderia|tenho que|tenho de) (?:fazer|dizer|tentar|responder)(?: (?:agora|aqui|mais))*`,
	),
	"it": newHelpForms(
		`(?:(?:mi |ci )?(?:puoi|potresti|puo|potrebbe|vuoi)|posso|potrei|vorrei|voglio|mi serve|mi servirebbe|ho bisogno|avrei bisogno|c e|ci sono|hai|avresti|ha|dammi|mi dia|mi dai|dai)(?: (?:dare|darmi|avere|chiedere|chiederti|ricevere|mi|di|d|un|una|uno|altro|altra|qualche|altri|dei|degli))* (?:indizio|indizi|aiuto|aiutino|consiglio|consigli|suggerimento|suggerimenti|idea|idee|dritta|indicazione)`+italianTail,
		`(?:(?:mi |ci )(?:puoi|potresti|puo|potrebbe) (?:aiutare|dare una mano)|(?:puoi|potresti|puo|potrebbe) (?:aiutarmi|aiutarci|darmi una mano)|aiutami|mi aiuti|aiutaci)`+italianTail,
		`(?:un|una|uno|qualche|un altro|un altra|ancora un) ?(?:indizio|aiuto|aiutino|consiglio|suggerimento|idea|dritta)`+italianTail,
		`(?:indizio|aiuto|suggerimento|e adesso|e ora|e adesso che faccio|e ora che faccio)`,
		`(?:sono|resto|mi sono) (?:\w+ )?(?:bloccato|bloccata|incastrato|incastrata|a corto di idee)(?: (?:qui|ora|adesso))*`,
		`non ho (?:nessuna |la minima |alcuna )?idea di (?:cosa|che cosa|come) (?:devo |posso )?(?:dire|fare|rispondere|andare avanti|continuare).{0,20}`,
		`(?:io )?non (?:so|capisco|vedo) (?:\w+ )?(?:cosa|che|come|che cosa) (?:devo |posso )?(?:dire|fare|rispondere|andare avanti|continuare).{0,20}`,
		`(?:e )?(?:cosa|che|che cosa) (?:posso|devo|dovrei|potrei) (?:fare|dire|provare|tentare|rispondere)(?: (?:adesso|ora|qui|ancora))*`,
	),
}

// What may stand behind a request for help: that it is about going on here, and nothing of the scene.
const (
	englishRest    = `(?: (?:do|say|try|go on|go|continue|proceed|ask|answer|write|play|from|of|me|you|to|now|next|here|this|that|any ?more|at all))*`
	englishTail    = `(?: (?:here|now|next|again|at all|for me|for us|out|with this|with that|on this|about this|from you|as to|on|about|of))*(?: (?:what|how|where|which way) (?:to|i (?:should|can|could|might|am supposed to|have to|must|need to)|you want)` + englishRest + `)?(?: (?:i am|because i am) .{0,20}stuck.{0,10})?`
	germanTail     = `(?: (?:hier|jetzt|dazu|davon|mehr|da|bei|damit|fur mich))*(?: (?:was|wie|womit) (?:ich|man|es|du) .{0,50})?`
	frenchTail     = `(?: (?:ici|maintenant|la|pour moi|pour avancer|pour continuer))*(?: (?:de |sur )?(?:quoi|ce que|comment) .{0,50})?`
	spanishTail    = `(?: (?:aqui|ahora|mas|para mi|para seguir|con esto))*(?: (?:de |sobre )?(?:que|como) .{0,50})?`
	portugueseTail = `(?: (?:aqui|agora|mais|para mim|pra mim|para continuar|com isso))*(?: (?:de |do |sobre )?(?:o que|que|como) .{0,50})?`
	italianTail    = `(?: (?:qui|ora|adesso|per me|per continuare|con questo))*(?: (?:di |su )?(?:cosa|che|come|che cosa) .{0,50})?`
)

func newHelpForms(expressions ...string) []textForm {
	forms := make([]textForm, len(expressions))
	for i, expression := range expressions {
		forms[i] = newTextForm(`^(?:` + expression + `)$`)
	}
	return forms
}

// mostHelpWords is how many words a message has at most that does nothing but ask for help.
const mostHelpWords = 24

// asksForHelp reports whether a message in a language does nothing but ask for help, in whichever of
// its sentences. "No idea" alone asks for nothing: it may be the answer to a question.
func asksForHelp(message, language string) bool {
	forms, known := helpForms[language]
	if !known {
		forms = helpForms["en"]
	}
	if len(strings.Fields(message)) > mostHelpWords {
		return false
	}
	asks := false
	for sentence := range strings.FieldsFuncSeq(message, func(r rune) bool { return strings.ContainsRune(".!?;:\n", r) }) {
		bare := dropPolite(sentence, language)
		switch {
		case bare == "":
		case isAnyIn(forms, bare, bare):
			asks = true
		default:
			return false
		}
	}
	return asks
}

// dropPolite is a sentence, folded, without its courtesies.
func dropPolite(sentence, language string) string {
	words := politePhrases.Replace(" " + strings.Join(nlu.Words(sentence), " ") + " ")
	kept := slices.DeleteFunc(strings.Fields(words), func(w string) bool { return strings.Contains(politeWords, " "+w+" ") || w == "so" && language == "en" })
	return strings.Join(kept, " ")
}

// noteHelp makes the help intent of a message that asks for it in whatever words, or the choice
// that is about asking for help, where the author has written one.
func (m *measurement) noteHelp(message string) {
	m.helpChoice = -1
	if !asksForHelp(message, m.state.language) {
		return
	}
	if m.helpChoice = m.state.helpChoice(); m.helpChoice >= 0 {
		return
	}
	m.asksHelp = true
	if m.intent.intent != personas.IntentGoal || !m.hasIntent() {
		m.intent.intent, m.intent.score, m.intent.covered, m.intent.looks = personas.IntentHelp, max(m.intent.score, exactScore), 1, 1
	}
}

// helpWords are by which words an author speaks of somebody who asks for help.
const helpWords = "for help|needs help|need help|wants help|for advice|for a hint|for a clue|hint|hints|clue|clues|um hilfe|um rat|um einen hinweis|de l aide|demande conseil|un indice|pide ayuda|pide consejo|una pista|pede ajuda|pede conselho|uma dica|chiede aiuto|chiede consiglio|un indizio"

// helpChoice returns the choice of which an author's words tell of somebody who asks for help; -1
// for none.
func (p *preparedState) helpChoice() int {
	return slices.IndexFunc(p.choices, func(c choice) bool {
		return c.kind != aside && slices.ContainsFunc(c.criteria, func(text string) bool { return hasPhrase(clipText(text), helpWords) })
	})
}
