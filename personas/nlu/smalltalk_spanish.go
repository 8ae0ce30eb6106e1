package nlu

// spanishTalk is englishTalk in Spanish.
var spanishTalk = []talkRule{
	{talk: AskBot, words: `(chatgpt|gpt|openai|claude|gemini|chatbot)`},
	{talk: Farewell, words: `(adios|hasta luego|hasta pronto|hasta la vista|hasta manana|nos vemos)
((tengo que|debo) (irme|marcharme)|me (voy|tengo que ir))`},
	{talk: KnockKnock, words: `toc toc( toc)?`},
	{talk: JokeTold, words: `(era|es|fue) (solo |una )*(broma|chiste)`},
	{talk: SoundCheck, whole: true, words: `(prueba|probando|test)( (prueba|probando|test|uno|dos|tres))*
(me oyes|me escuchas|me oye|hay alguien)( \w+)?`},
	{talk: BadNews, words: `(mi|mis|nuestro|nuestra) (\w+ ){1,3}(ha muerto|murio|esta (muerto|muerta|enfermo|enferma|en el hospital)|ha fallecido|fallecio|me dejo|me ha dejado)
(he perdido|perdi|me han robado|me robaron) \w+
(estoy|me siento) (tan |muy |un poco |realmente )*(triste|enfermo|enferma|mal|deprimido|deprimida|destrozado|destrozada)
(malas|tristes) noticias
(extrano|echo de menos) \w+`},
	{talk: GoodNews, words: `(he ganado|gane|he aprobado|aprobe|me he casado|me caso|nos casamos|estoy embarazada|tengo trabajo nuevo|consegui el trabajo)
estoy (tan |muy |realmente )*(feliz|contento|contenta|enamorado|enamorada|orgulloso|orgullosa|emocionado|emocionada)
(buenas noticias|es mi cumpleanos|feliz cumpleanos|feliz navidad|feliz ano)`},
	{talk: AskAge, words: `(que edad tienes|que edad tiene|cuantos anos tienes|cuantos anos tiene)
cuando (es tu cumpleanos|es su cumpleanos|naciste|nacio)`},
	{talk: AskFamily, words: `(tienes|tiene usted|tiene) (un |una |muchos |muchas )?(hijos|hijas|hijo|hija|familia|hermanos|hermanas|hermano|hermana|esposa|esposo|marido|mujer|novio|novia|mascotas|mascota|perro|gato|amigos)
(estas|eres|esta|es) (casado|casada|soltero|soltera|divorciado|divorciada)
(como|quien|donde) (esta|se llama|es) (tu|su) (mujer|esposa|esposo|marido|madre|padre|hermano|hermana|hijo|hija|familia)`},
	{talk: AskOrigin, words: `de donde (eres|es usted|es|vienes|viene)
donde (vives|vive|naciste|nacio|creciste|crecio)
(eres|es) de (aqui|por aqui)
vives (aqui|lejos|solo|sola|cerca)`},
	{talk: AskWork, words: `te gusta (tu|este|el) (trabajo|oficio|empleo)
(cuanto tiempo|desde cuando|hace cuanto) (llevas|trabajas|lleva|trabaja|haces)
es (duro|dificil|cansado|aburrido|peligroso)`},
	{talk: AskDay, words: `(como|que tal) (fue|ha ido|estuvo|va|ha sido)? ?(tu|el|su|la) (dia|noche|semana|manana|tarde)
(has|ha) (dormido|comido|desayunado|cenado)
que (has|ha|comiste|hiciste) ?(comido|hecho|hoy|ayer)?`},
	{talk: AskTaste, words: `(cual|quien|que) (es|son) (tu|tus|su|sus) (\w+ )?(favorito|favorita|favoritos|preferido|preferida)
te (gusta|gustan|encanta|encantan) \w+
(que te gusta|prefieres|prefiere|odias|amas)`},
	{talk: AskOpinion, words: `que (piensas|opinas|crees|piensa|opina|cree|te parece|dices)
(crees|piensas|cree|piensa) \w+
cual es (tu|su) opinion`},
	{talk: AskFeeling, words: `(estas|esta usted) (tan |muy |un poco |siempre |todavia )*(triste|cansado|cansada|enfadado|enfadada|enojado|enojada|feliz|solo|sola|enfermo|enferma|nervioso|nerviosa|bien|mal|ocupado|ocupada)
(tienes|tiene) (hambre|frio|sed|miedo|sueno|calor)
(que te pasa|todo bien|te pasa algo)`},
	{talk: AskPersonal, words: `(sabes|sabe|puedes|puede) (cantar|bailar|nadar|cocinar|leer|jugar|volar)
(alguna vez|has (estado|visto|ido|amado|matado)) \w+
que (lees|bebes|comes|haces|escribes|estas (haciendo|leyendo|bebiendo|comiendo))`},
	{talk: AskTime, words: `que (hora|dia|fecha) (es|son)
(cuanto (falta|tarda|dura)|a que hora)`},
	{talk: AskPrice, words: `cuanto (cuesta|cuestan|vale|valen|es|cobras|pagas|pagan|ganas|te debo|le debo)
(es|esta) (\w+ )?(caro|barato|gratis)
cual es el precio`},
	{talk: Weather, words: `hace (tan |mucho |muy |un poco de |tanto |un |bastante )*(frio|calor|viento|sol|buen tiempo|mal tiempo|buen dia)
(esta|va a) (lloviendo|nevando|nublado|llover|nevar)
(llueve|nieva)
(que|buen|mal|el|este) (tiempo|clima) (hace|tan|esta|mas)?`},
	{talk: Compliment, words: `(eres|es usted) (tan |muy |un |una |el |la |realmente )*(amable|simpatico|simpatica|gracioso|graciosa|guapo|guapa|lindo|linda|bueno|buena|listo|lista|inteligente|genial|encantador|encantadora|mejor|bonito|bonita|divertido|divertida)
(bonito|bonita|bonitos|lindo|linda|buen|que bonito|que bonita|que lindo|que linda|hermoso|hermosa) (sombrero|vestido|abrigo|zapatos|voz|ojos|casa|tienda|lugar|gato|bigote|delantal)
me (gusta|gustan|encanta|encantan) (mucho )?(tu|tus|su|sus|este lugar)
(bien hecho|buen trabajo|bravo|felicidades)`},
	{talk: Swearing, whole: true, words: `(oh |que |ay )*(mierda|joder|maldita sea|maldicion|cono|carajo|rayos|demonios|diablos|ostras)( (otra vez|ya))*`},
	{talk: Complaint, words: `(esto|eso|es|no es|esta) (es |no es |tan |muy |demasiado |un poco )*(aburrido|aburrida|tonto|estupido|injusto|justo|dificil|pesado|ridiculo|imposible|lento)
(eres|es usted) (tan |muy |demasiado )*(aburrido|aburrida|pesado|pesada|imposible|grosero|grosera|antipatico|antipatica|lento|lenta)
(ya lo|ya me lo|eso ya lo) (has dicho|dijiste|dijo)
(vamos ya|date prisa|apurate|basta|tengo prisa|no tengo tiempo|ya basta)`},
	{talk: Apology, words: `(lo siento|perdon|perdona|perdone|perdoname|disculpa|disculpe|mis disculpas|lo lamento)`},
	{talk: Weariness, words: `(estoy|me siento) (tan |muy |un poco |ya |realmente )*(cansado|cansada|agotado|agotada|aburrido|aburrida|solo|sola|perdido|perdida|nervioso|nerviosa|mojado|mojada|bien|mejor|confundido|confundida)
tengo (tanta |tanto |mucha |mucho |un poco de )*(hambre|sed|frio|calor|sueno|miedo|prisa|dolor( \w+){1,3})
me (aburro|duele|duelen)`},
	{talk: Laughter, whole: true, words: `(oh )?(jaja|jajaja|jajajaja|ja|jeje|jiji|haha|lol|xd)+( (jaja|jajaja|lol|que gracioso|muy gracioso))*
(que |muy |es |eso es )*(gracioso|divertido|chistoso)`},
	{talk: Agreement, whole: true, words: `(ah |oh |si |muy |pues |ok |esta |bueno )*(si|ok|vale|bien|claro|claro que si|por supuesto|exacto|exactamente|cierto|es verdad|de acuerdo|entendido|perfecto|entiendo|ya veo|bueno|genial|con gusto|tienes razon|tiene razon|seguro|desde luego)( (si|bien|entonces|gracias|senor|senora))*`},
	{talk: Disagreement, whole: true, words: `(no|oh |ay |pero )*(no|nunca|jamas|para nada|claro que no|mentira|falso|no es verdad|no es cierto|no creo|no estoy de acuerdo|en absoluto|tonterias)( (no|gracias|senor|senora))*`},
	{talk: Wonder, whole: true, words: `(oh |ah |que |muy |en )*(wow|oh|ah|vaya|interesante|de verdad|en serio|serio|increible|raro|extrano|curioso|fascinante|anda|caramba)( (en serio|de verdad|que cosa))*`},
	{talk: Pondering, whole: true, words: `(hm+|eh+|pues|bueno|a ver|espera|espere|un momento|un segundo|dejame pensar|dejeme pensar|no se|no lo se|quizas|quiza|tal vez|depende|ni idea|da igual)( (hm+|bien|por favor|que decir))*`},
	{talk: AboutPlayer, words: `(soy|vengo|vivo|trabajo|estudio|tengo|creci|naci|hablo|llevo|pienso|creo|odio|amo|juego|toco|colecciono|espero|estoy) \w+
me (gusta|gustan|encanta|encantan|llamo) \w+
(mi|mis|nuestro|nuestra) (\w+ ){1,3}(es|esta|son|tiene|era|dice|vive|trabaja|se llama|quiere) \w+`},
}

// spanishInsults are what somebody is called who is insulted.
const spanishInsults = `idiota|idiotas|imbecil|imbeciles|estupido|estupida|tonto|tonta|gilipollas|cabron|cabrona|cabrones|pendejo|pendeja|capullo|basura|cerdo|cerda|hijo de puta|hija de puta|puta|zorra|bastardo|bastarda|payaso|inutil|canalla|sinverguenza|asqueroso|asquerosa|tarado|tarada|subnormal|escoria|rata|burro|burra|ladron|mentiroso|mentirosa|don nadie`

// spanishHostility are the words of attacks, and spanishOwn those with which somebody speaks of himself,
// denies or tells; see hostileRules.
var spanishHostility = []talkRule{
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
	{talk: Insulting, words: `(eres|es usted|sois|pedazo de|que|maldito|maldita|viejo|vieja|sucio|sucia|pinche|puto|puta) (un |una |el |muy |tan |bien |mas |grandisimo |maldito |viejo |puto |pedazo de |realmente |peor |mayor |gran )*(` + spanishInsults + `)
(eres|es usted) (muy |tan |realmente |un |una )*(mierda|feo|fea|estupido|estupida|asqueroso|asquerosa|ridiculo|ridicula|patetico|patetica|repugnante|tonto|tonta|incompetente)
(callate|callese|cierra) (la boca|el pico|de una vez|ya)( \w+){0,3}
(vete|vayase|idos|que te) (a la mierda|al infierno|al diablo|a tomar por culo|jodan|den)
(te|os) (odio|desprecio|detesto)
(jodete|que te jodan|chinga tu madre|hijo de puta|hija de puta|hijo de perra|la puta que te pario)
(apestas|hueles a (mierda|cerdo))`},
	{talk: Insulting, whole: true, words: `(maldito |maldita |viejo |vieja |pedazo de |so |puto )?(` + spanishInsults + `)
callate`},
}

var spanishOwn = []string{"soy ", "no eres", "no es ", "no voy", "no te ", "me dijo", "me llamo", "nunca "}
