package llm

import "github.com/parley-npc/parley/personas"

// englishPlain is what is said, by a narrator, where the author gave no words.
var englishPlain = plainTexts{
	somebody: "The character", listener: "you",
	opening: []string{
		"*looks up and notices {player}.*",
		"*turns to {player} and waits.*",
		"*has seen {player} come, and waits for the first word.*",
	},
	lines: personas.Lines{
		Pass: []string{
			"*nods slowly.* That was what was wanted: {what}.",
			"*is content with that.*",
			"“Very well.”",
		},
		Redirect: []string{
			"*considers it and shakes their head: not quite.* It is still about this: {what}.",
			"“Nearly. Try it another way.”",
			"*hears it out, but it is not enough.*",
		},
		Reject: []string{
			"*shakes their head.* That will not do.",
			"“No.” *means it.*",
			"*turns away; that was the wrong answer.*",
		},
		KickOut: []string{
			"*has had enough and sends {player} away.*",
			"“Out.”",
			"*points to the way out and says no more.*",
		},
		FollowUp: []string{
			"*waits for {player} to go on.*",
			"“Say that again, and plainly.”",
			"*asks what {player} means by that.*",
		},
		Unknown: []string{
			"*listens, but does not see what that has to do with anything.*",
			"*has nothing to say to that.*",
			"*tilts their head and waits for something else.*",
		},
	},
	hint:     "(What it is about: {goal})",
	endsWell: "With that, it ends well.",
	ends:     "With that, it is over.",
	now:      "Now it is about this: {what}.",
	talk:     englishTalk,
	intents: map[personas.Intent][]string{
		personas.IntentGreeting:      {"*returns the greeting.*", "*nods to {player}.*"},
		personas.IntentThanks:        {"*takes the thanks with a nod.*", "“Don't mention it.”"},
		personas.IntentGoodbye:       {"*watches {player} turn to go.* Nothing is settled yet.", "“Leaving already?”"},
		personas.IntentHelp:          {"(You are talking to {who}. {about} What to try: {goal} Say it in your own words.)"},
		personas.IntentWhoAreYou:     {"This is {who}. {about}"},
		personas.IntentWhere:         {"You are here: {where}. {who} is with you."},
		personas.IntentGoal:          {"*waits for {player} to come to the point.* {goal}"},
		personas.IntentMyNameIs:      {"*will remember that: {player}.*", "“{player}, then.”"},
		personas.IntentMyName:        {"“{player}. Unless that has changed.”"},
		personas.IntentRepeat:        {"*says it again.* {last}"},
		personas.IntentBot:           {"*does not know what that is.* (You are talking to Parley's built-in model: it answers with the words of the character's author.)"},
		personas.IntentJoke:          {"*is not in the mood for jokes.*", "“I know one, but it is long.”"},
		personas.IntentNotUnderstood: {"*puts it another way.* {goal}", "“Let me put it another way.” {goal}"},
	},
}
