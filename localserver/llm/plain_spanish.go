package llm

import "github.com/parley-npc/parley/personas"

// spanishPlain is englishPlain in Spanish.
var spanishPlain = plainTexts{
	somebody: "El personaje", listener: "la persona de enfrente",
	opening: []string{
		"{who} levanta la vista y repara en {player}.",
		"{who} se vuelve hacia {player} y espera.",
		"{who} ha visto llegar a {player} y espera la primera palabra.",
	},
	lines: personas.Lines{
		Pass: []string{
			"{who} asiente despacio. De eso se trataba: {what}.",
			"{who} se conforma con eso.",
			"«Muy bien», dice {who}.",
		},
		Redirect: []string{
			"{who} lo piensa y niega con la cabeza: no del todo. Se sigue tratando de esto: {what}.",
			"«Casi», dice {who}. «Quizá de otra manera».",
			"{who} escucha hasta el final, pero no basta.",
		},
		Reject: []string{
			"{who} niega con la cabeza. Así no puede ser.",
			"«No», dice {who}, y va en serio.",
			"{who} aparta la mirada; esa no era la respuesta.",
		},
		KickOut: []string{
			"{who} ya no aguanta más y echa de allí a {player}.",
			"«Fuera», dice {who}.",
			"{who} señala la salida y no dice nada más.",
		},
		FollowUp: []string{
			"{who} espera a que {player} continúe.",
			"«Otra vez, y con claridad», dice {who}.",
			"{who} pregunta qué quiere decir {player} con eso.",
		},
		Unknown: []string{
			"{who} escucha, pero no ve qué tiene que ver eso con nada.",
			"{who} no tiene nada que decir a eso.",
			"{who} ladea la cabeza y espera otra cosa.",
		},
	},
	hint:     "(De qué se trata: {goal})",
	endsWell: "Y así termina bien.",
	ends:     "Y así se acaba.",
	now:      "Ahora se trata de esto: {what}.",
	talk:     spanishTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"{who} devuelve el saludo.", "{who} saluda a {player} con la cabeza."},
		personas.IntentThanks:        {"{who} acepta las gracias con un gesto de la cabeza.", "«No hay de qué», dice {who}."},
		personas.IntentGoodbye:       {"{who} ve que {player} se dispone a irse. Aún no hay nada resuelto.", "«¿Tan pronto?», pregunta {who}."},
		personas.IntentHelp:          {"(Estás hablando con {who}. {about} Tu objetivo: {goal} Dilo con tus propias palabras)."},
		personas.IntentWhoAreYou:     {"Quien habla es {who}. {about}"},
		personas.IntentWhere:         {"El lugar: {where}. {who} también está aquí."},
		personas.IntentGoal:          {"{who} espera a que {player} vaya al grano. {goal}"},
		personas.IntentMyNameIs:      {"{who} lo recordará: {player}.", "«Así que {player}», dice {who}."},
		personas.IntentMyName:        {"«{player}», dice {who}. «A menos que eso haya cambiado»."},
		personas.IntentRepeat:        {"{who} lo dice otra vez. {last}"},
		personas.IntentBot:           {"{who} no sabe qué es eso. (Estás hablando con el modelo integrado de Parley: responde con las palabras que se escribieron para este personaje)."},
		personas.IntentJoke:          {"{who} no está para bromas.", "«Me sé uno», dice {who}, «pero es largo»."},
		personas.IntentNotUnderstood: {"{who} lo dice de otra manera. {goal}", "«Dicho de otro modo», empieza {who}. {goal}"},
	},
}
