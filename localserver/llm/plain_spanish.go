package llm

import "github.com/parley-npc/parley/personas"

// spanishPlain is englishPlain in Spanish.
var spanishPlain = plainTexts{
	somebody: "El personaje", listener: "la persona de enfrente",
	opening: []string{
		"*levanta la vista y repara en {player}.*",
		"*se vuelve hacia {player} y espera.*",
		"*ha visto llegar a {player} y espera la primera palabra.*",
	},
	lines: personas.Lines{
		Pass: []string{
			"*asiente despacio.* De eso se trataba: {what}.",
			"*se conforma con eso.*",
			"«Muy bien.»",
		},
		Redirect: []string{
			"*lo piensa y niega con la cabeza: no del todo.* Se sigue tratando de esto: {what}.",
			"«Casi. Quizá de otra manera.»",
			"*escucha hasta el final, pero no basta.*",
		},
		Reject: []string{
			"*niega con la cabeza.* Así no puede ser.",
			"«No.» *va en serio.*",
			"*aparta la mirada; esa no era la respuesta.*",
		},
		KickOut: []string{
			"*ya no aguanta más y echa de allí a {player}.*",
			"«Fuera.»",
			"*señala la salida y no dice nada más.*",
		},
		FollowUp: []string{
			"*espera a que {player} continúe.*",
			"«Otra vez, y con claridad.»",
			"*pregunta qué quiere decir {player} con eso.*",
		},
		Unknown: []string{
			"*escucha, pero no ve qué tiene que ver eso con nada.*",
			"*no tiene nada que decir a eso.*",
			"*ladea la cabeza y espera otra cosa.*",
		},
	},
	hint:     "(De qué se trata: {goal})",
	endsWell: "Y así termina bien.",
	ends:     "Y así se acaba.",
	now:      "Ahora se trata de esto: {what}.",
	talk:     spanishTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"*devuelve el saludo.*", "*saluda a {player} con la cabeza.*"},
		personas.IntentThanks:        {"*acepta las gracias con un gesto de la cabeza.*", "«No hay de qué.»"},
		personas.IntentGoodbye:       {"*ve que {player} se dispone a irse.* Aún no hay nada resuelto.", "«¿Tan pronto?»"},
		personas.IntentHelp:          {"(Estás hablando con {who}. {about} Tu objetivo: {goal} Dilo con tus propias palabras)."},
		personas.IntentWhoAreYou:     {"Quien habla es {who}. {about}"},
		personas.IntentWhere:         {"El lugar: {where}. {who} también está aquí."},
		personas.IntentGoal:          {"*espera a que {player} vaya al grano.* {goal}"},
		personas.IntentMyNameIs:      {"*lo recordará: {player}.*", "«Así que {player}.»"},
		personas.IntentMyName:        {"«{player}. A menos que eso haya cambiado.»"},
		personas.IntentRepeat:        {"*lo dice otra vez.* {last}"},
		personas.IntentBot:           {"*no sabe qué es eso.* (Estás hablando con el modelo integrado de Parley: responde con las palabras que se escribieron para este personaje)."},
		personas.IntentJoke:          {"*no está para bromas.*", "«Me sé uno, pero es largo.»"},
		personas.IntentNotUnderstood: {"*lo dice de otra manera.* {goal}", "«Dicho de otro modo:» {goal}"},
	},
}
