package nlu

// spanishTalk is englishTalk in Spanish.
var spanishTalk = []talkRule{
	{talk: AskBot, words: `(\w+ )?(chatgpt|gpt|openai|claude|gemini|chatbot)( \w+){0,5}`},
	{talk: Farewell, words: `(adios|hasta luego|hasta pronto|hasta la vista|hasta manana|nos vemos)( \w+){0,5}
((tengo que|debo) (irme|marcharme)|me (voy|tengo que ir))( \w+){0,4}`},
	{talk: KnockKnock, words: `toc toc( toc)?`},
	{talk: JokeTold, words: `(era|es|fue) (solo |una )*(broma|chiste)( \w+){0,2}`},
	{talk: SoundCheck, whole: true, words: `(prueba|probando|test)( (prueba|probando|test|uno|dos|tres))*
(me oyes|me escuchas|me oye|hay alguien)( \w+)?`},
	{talk: BadNews, words: `(mi|mis|nuestro|nuestra) (\w+ ){1,3}(ha muerto|murio|esta (muerto|muerta|enfermo|enferma|en el hospital)|ha fallecido|fallecio|me dejo|me ha dejado)( \w+){0,4}
(he perdido|perdi|me han robado|me robaron)( \w+){1,4}
(estoy|me siento) (tan |muy |un poco |realmente )*(triste|enfermo|enferma|mal|deprimido|deprimida|destrozado|destrozada)( \w+){0,4}
(malas|tristes) noticias
(extrano|echo de menos)( \w+){1,4}`},
	{talk: GoodNews, words: `(he ganado|gane|he aprobado|aprobe|me he casado|me caso|nos casamos|estoy embarazada|tengo trabajo nuevo|consegui el trabajo)( \w+){0,5}
estoy (tan |muy |realmente )*(feliz|contento|contenta|enamorado|enamorada|orgulloso|orgullosa|emocionado|emocionada)( \w+){0,4}
(buenas noticias|es mi cumpleanos|feliz cumpleanos|feliz navidad|feliz ano)( \w+){0,2}`},
	{talk: AskAge, words: `(que edad tienes|que edad tiene|cuantos anos tienes|cuantos anos tiene)( \w+){0,2}
cuando (es tu cumpleanos|es su cumpleanos|naciste|nacio)( \w+){0,2}`},
	{talk: AskFamily, words: `(tienes|tiene usted|tiene) (un |una |muchos |muchas )?(hijos|hijas|hijo|hija|familia|hermanos|hermanas|hermano|hermana|esposa|esposo|marido|mujer|novio|novia|mascotas|mascota|perro|gato|amigos)( \w+){0,3}
(estas|eres|esta|es) (casado|casada|soltero|soltera|divorciado|divorciada)( \w+){0,2}
(como|quien|donde) (esta|se llama|es) (tu|su) (mujer|esposa|esposo|marido|madre|padre|hermano|hermana|hijo|hija|familia)( \w+){0,3}`},
	{talk: AskOrigin, words: `de donde (eres|es usted|es|vienes|viene)( \w+){0,3}
donde (vives|vive|naciste|nacio|creciste|crecio)( \w+){0,3}
(eres|es) de (aqui|por aqui)( \w+){0,3}
vives (aqui|lejos|solo|sola|cerca)( \w+){0,3}`},
	{talk: AskWork, words: `te gusta (tu|este|el) (trabajo|oficio|empleo)( \w+){0,2}
(cuanto tiempo|desde cuando|hace cuanto) (llevas|trabajas|lleva|trabaja|haces)( \w+){0,5}
es (duro|dificil|cansado|aburrido|peligroso)( \w+){0,4}`},
	{talk: AskDay, words: `(como|que tal) (fue|ha ido|estuvo|va|ha sido)? ?(tu|el|su|la) (dia|noche|semana|manana|tarde)( \w+){0,3}
(has|ha) (dormido|comido|desayunado|cenado)( \w+){0,3}
que (has|ha|comiste|hiciste) ?(comido|hecho|hoy|ayer)?( \w+){0,3}`},
	{talk: AskTaste, words: `(cual|quien|que) (es|son) (tu|tus|su|sus) (\w+ )?(favorito|favorita|favoritos|preferido|preferida)( \w+){0,3}
te (gusta|gustan|encanta|encantan)( \w+){1,6}
(que te gusta|prefieres|prefiere|odias|amas)( \w+){0,6}`},
	{talk: AskOpinion, words: `que (piensas|opinas|crees|piensa|opina|cree|te parece|dices)( \w+){0,8}
(crees|piensas|cree|piensa)( \w+){1,10}
cual es (tu|su) opinion( \w+){0,5}`},
	{talk: AskFeeling, words: `(estas|esta usted) (tan |muy |un poco |siempre |todavia )*(triste|cansado|cansada|enfadado|enfadada|enojado|enojada|feliz|solo|sola|enfermo|enferma|nervioso|nerviosa|bien|mal|ocupado|ocupada)( \w+){0,3}
(tienes|tiene) (hambre|frio|sed|miedo|sueno|calor)( \w+){0,3}
(que te pasa|todo bien|te pasa algo)( \w+){0,2}`},
	{talk: AskPersonal, words: `(sabes|sabe|puedes|puede) (cantar|bailar|nadar|cocinar|leer|jugar|volar)( \w+){0,3}
(alguna vez|has (estado|visto|ido|amado|matado))( \w+){1,8}
que (lees|bebes|comes|haces|escribes|estas (haciendo|leyendo|bebiendo|comiendo))( \w+){0,5}`},
	{talk: AskTime, words: `que (hora|dia|fecha) (es|son)( \w+){0,3}
(cuanto (falta|tarda|dura)|a que hora)( \w+){0,5}`},
	{talk: AskPrice, words: `cuanto (cuesta|cuestan|vale|valen|es|cobras|pagas|pagan|ganas|te debo|le debo)( \w+){0,5}
(es|esta) (\w+ )?(caro|barato|gratis)( \w+){0,3}
cual es el precio( \w+){0,4}`},
	{talk: Weather, words: `hace (tan |mucho |muy |un poco de |tanto |un |bastante )*(frio|calor|viento|sol|buen tiempo|mal tiempo|buen dia)( \w+){0,4}
(esta|va a) (lloviendo|nevando|nublado|llover|nevar)( \w+){0,4}
(llueve|nieva)( \w+){0,4}
(que|buen|mal|el|este) (tiempo|clima) (hace|tan|esta|mas)?( \w+){0,5}`},
	{talk: Compliment, words: `(eres|es usted) (tan |muy |un |una |el |la |realmente )*(amable|simpatico|simpatica|gracioso|graciosa|guapo|guapa|lindo|linda|bueno|buena|listo|lista|inteligente|genial|encantador|encantadora|mejor|bonito|bonita|divertido|divertida)( \w+){0,4}
(bonito|bonita|bonitos|lindo|linda|buen|que bonito|que bonita|que lindo|que linda|hermoso|hermosa) (sombrero|vestido|abrigo|zapatos|voz|ojos|casa|tienda|lugar|gato|bigote|delantal)( \w+){0,3}
me (gusta|gustan|encanta|encantan) (mucho )?(tu|tus|su|sus|este lugar)( \w+){0,4}
(bien hecho|buen trabajo|bravo|felicidades)( \w+){0,2}`},
	{talk: Swearing, whole: true, words: `(oh |que |ay )*(mierda|joder|maldita sea|maldicion|cono|carajo|rayos|demonios|diablos|ostras)( (otra vez|ya))*`},
	{talk: Complaint, words: `(esto|eso|es|no es|esta) (es |no es |tan |muy |demasiado |un poco )*(aburrido|aburrida|tonto|estupido|injusto|justo|dificil|pesado|ridiculo|imposible|lento)( \w+){0,3}
(eres|es usted) (tan |muy |demasiado )*(aburrido|aburrida|pesado|pesada|imposible|grosero|grosera|antipatico|antipatica|lento|lenta)( \w+){0,3}
(ya lo|ya me lo|eso ya lo) (has dicho|dijiste|dijo)( \w+){0,3}
(vamos ya|date prisa|apurate|basta|tengo prisa|no tengo tiempo|ya basta)( \w+){0,4}`},
	{talk: Apology, words: `(lo siento|perdon|perdona|perdone|perdoname|disculpa|disculpe|mis disculpas|lo lamento)( \w+){0,8}`},
	{talk: Weariness, words: `(estoy|me siento) (tan |muy |un poco |ya |realmente )*(cansado|cansada|agotado|agotada|aburrido|aburrida|solo|sola|perdido|perdida|nervioso|nerviosa|mojado|mojada|bien|mejor|confundido|confundida)( \w+){0,4}
tengo (tanta |tanto |mucha |mucho |un poco de )*(hambre|sed|frio|calor|sueno|miedo|prisa|dolor( \w+){1,3})( \w+){0,3}
me (aburro|duele|duelen)( \w+){0,4}`},
	{talk: Laughter, whole: true, words: `(oh )?(jaja|jajaja|jajajaja|ja|jeje|jiji|haha|lol|xd)+( (jaja|jajaja|lol|que gracioso|muy gracioso))*
(que |muy |es |eso es )*(gracioso|divertido|chistoso)`},
	{talk: Agreement, whole: true, words: `(ah |oh |si |muy |pues |ok |esta |bueno )*(si|ok|vale|bien|claro|claro que si|por supuesto|exacto|exactamente|cierto|es verdad|de acuerdo|entendido|perfecto|entiendo|ya veo|bueno|genial|con gusto|tienes razon|tiene razon|seguro|desde luego)( (si|bien|entonces|gracias|senor|senora))*`},
	{talk: Disagreement, whole: true, words: `(no|oh |ay |pero )*(no|nunca|jamas|para nada|claro que no|mentira|falso|no es verdad|no es cierto|no creo|no estoy de acuerdo|en absoluto|tonterias)( (no|gracias|senor|senora))*`},
	{talk: Wonder, whole: true, words: `(oh |ah |que |muy |en )*(wow|oh|ah|vaya|interesante|de verdad|en serio|serio|increible|raro|extrano|curioso|fascinante|anda|caramba)( (en serio|de verdad|que cosa))*`},
	{talk: Pondering, whole: true, words: `(hm+|eh+|pues|bueno|a ver|espera|espere|un momento|un segundo|dejame pensar|dejeme pensar|no se|no lo se|quizas|quiza|tal vez|depende|ni idea|da igual)( (hm+|bien|por favor|que decir))*`},
	{talk: AboutPlayer, words: `(soy|vengo|vivo|trabajo|estudio|tengo|creci|naci|hablo|llevo|pienso|creo|odio|amo|juego|toco|colecciono|espero|estoy)( \w+){1,14}
me (gusta|gustan|encanta|encantan|llamo)( \w+){1,10}
(mi|mis|nuestro|nuestra) (\w+ ){1,3}(es|esta|son|tiene|era|dice|vive|trabaja|se llama|quiere)( \w+){1,12}`},
}
