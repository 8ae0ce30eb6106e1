package lint

import (
	_ "embed"
)

// Example is a persona without findings; the examples of the checks are parts of it.
//
//go:embed example.yaml
var Example string

// Checks is the table of all checks. Those of what a server refuses and of what
// is written for nothing stand here; the others beside the function that looks.
var Checks = []Check{
	{
		Name: FaultCheck, Severity: Error, // reading finds it
		Summary: "The document has to be readable: known words, whole numbers, keys of the right form.",
		Why:     "A server cannot keep what it cannot read, and lint cannot judge it. The message says what was expected at that place; `parley persona schema` prints the whole form for editors, and docs/persona-file.md explains it. Other checks are silent about what a fault may have caused.",
		Good:    "decision_type: redirect", Bad: "decision_type: deflect",
	},
	{
		Name: "no-machines", Severity: Error, run: findNoMachines,
		Summary: "A persona needs at least one machine.",
		Why:     "Players talk to a machine, never to the persona as such: without one there is nothing to begin. The smallest machine has an initial state, a terminal state and a pass between them.",
	},
	{
		Name: "duplicate-machine-key", Severity: Error, run: findDuplicateMachineKeys,
		Summary: "Every machine of a persona needs its own machine_key.",
		Why:     "Links, addresses and the player's progress name a machine by its key, so two of one key are one too many. This mostly comes from copying a machine; give the copy a key of its own and look through its links.",
		Good:    "machine_key: yard", Bad: "machine_key: gate",
	},
	{
		Name: "duplicate-state-key", Severity: Error, run: findDuplicateStateKeys,
		Summary: "Every state of a machine needs its own state_key.",
		Why:     "Transitions name states by their keys, and the reply tells the key as current_state. With two states of one key nobody can say which is meant. Rename one, and the transitions that lead to it.",
		Good:    "state_key: inside", Bad: "state_key: outside",
	},
	{
		Name: "no-initial-state", Severity: Error, AboutName: true, run: findNoInitialState,
		Summary: "A machine begins in its initial state, so it needs one.",
		Why:     "A session has to begin somewhere. Mark the state in which the character speaks first with is_initial_state: true.",
		Good:    "is_initial_state: true", Bad: "is_initial_state: false",
	},
	{
		Name: "several-initial-states", Severity: Error, run: findSeveralInitialStates,
		Summary: "A machine begins in one state, so only one may be initial.",
		Why:     "Only one of them can be where the player begins, and a server does not guess. Keep is_initial_state: true on the state with the opening line.",
		Good:    "label: Inside the walls", Bad: "is_initial_state: true",
	},
	{
		Name: "no-terminal-state", Severity: Error, AboutName: true, run: findNoTerminalState,
		Summary: "A machine ends in a terminal state, so it needs at least one.",
		Why:     "Without an end the machine never shows an outcome and unlocks nothing. Mark where the story is over with is_terminal_state: true; there may be several endings.",
		Good:    "is_terminal_state: true", Bad: "is_terminal_state: false",
	},
	{
		Name: "unknown-from-state", Severity: Error, run: findUnknownFromStates,
		Summary: "A transition leaves a state of its own machine.",
		Why:     "The transition waits in a state that the machine does not have, so it could never fire. Keys have to be written exactly as in the state, capitals included.",
		Good:    "from_state_key: outside", Bad: "from_state_key: outsied",
	},
	{
		Name: "unknown-to-state", Severity: Error, run: findUnknownToStates,
		Summary: "A transition leads to a state of its own machine.",
		Why:     "The player would be sent to a state that the machine does not have. Keys have to be written exactly as in the state, capitals included, and a transition never leads into another machine: that is what machine_links are for.",
		Good:    "to_state_key: inside", Bad: "to_state_key: insied",
	},
	{
		Name: "pass-leads-nowhere", Severity: Error, run: findPassesToNowhere,
		Summary: "A pass transition moves the player on, so it needs a to_state_key.",
		Why:     "A pass is progress: it has to say where the player goes. To stay in the state and only count points, let it lead to the state itself, or use a redirect.",
		Good:    "to_state_key: inside", Bad: "x-to: inside",
	},
	{
		Name: "negative-max-redirects", Severity: Error, run: findNegativeMaxRedirects,
		Summary: "max_redirects counts redirects, so it cannot be negative.",
		Why:     "0 already means that the first redirect is a reject. For no limit at all leave max_redirects out.",
		Good:    "max_redirects: 2", Bad: "max_redirects: -1",
	},
	{
		Name: "unknown-link-machine", Severity: Error, run: findUnknownLinkMachines,
		Summary: "A machine link joins two machines of the persona.",
		Why:     "A link to or from a machine that is not in this persona can never unlock anything. Links name machines by machine_key, not by their display name, and never reach into another persona.",
		Good:    "target_machine_key: yard", Bad: "target_machine_key: garden",
	},
	{
		Name: "link-value-mismatch", Severity: Error, run: findLinkValueMismatches,
		Summary: "A link's condition_value is an outcome for `outcome`, a score for `score_gte` and `score_lte`, and absent for `always`.",
		Why:     "What a link asks for has to fit its condition_type, else it could never be compared. A file cannot even say this, so it is found only in personas that programs make.",
	},
	{
		Name: "empty-text", Severity: Error, wording: true, run: findEmptyTexts,
		Summary: "Name, description, identity prompt and the keys of variables have to say something.",
		Why:     "Lists show name and description, and the identity prompt is who the character is: a model that gets none plays nobody in particular. A variable without a key cannot be read by any text.",
		Good:    "name: The guard", Bad: "name: ''",
	},
	{
		Name: "text-too-long", Severity: Error, wording: true, run: findLongTexts,
		Summary: "A name has at most 200 characters, a description 2,000, and a prompt 64,000, also with the values of its variables.",
		Why:     "Servers refuse longer texts, since they would not fit lists, stores and models. A text that becomes longer when {{names}} are replaced by the values under variables is refused as well. A long prompt is best split: the persona's identity, the machine's prompts, and each state's prompt_instruction are put together anyway.",
	},
	{
		Name: PortraitCheck, Severity: Error, wording: true, run: findUnusablePortrait,
		Summary: "A portrait is a PNG, JPEG or GIF: its path from the persona file's folder, or a data URI.",
		Why:     "Players see the picture when a conversation begins. The picture itself is sent with the persona, so it has to be in the file's folder or below it, to be small (49,134 bytes are the most, 256 by 256 pixels are plenty), and to be whole. Nothing is fetched from the network. A program that sends a document sends the picture as data:image/png;base64,...",
		Good:    "name: The guard", Bad: "name: The guard\nportrait: https://example.com/guard.png",
	},
	{
		Name: "duplicate-variable", Severity: Error, run: findDuplicateVariables,
		Summary: "A list of variables names each key once.",
		Why:     "Only one value can be the variable's. Remove one of the two, or give it another key if both are needed.",
		Good:    "key: password", Bad: "key: mood",
	},
	{
		Name: "template-unknown", Severity: Error, wording: true, run: findUnknownPlaceholders,
		Summary: "A {{name}} in a prompt or line is player_name, player_gender, persona_name or the key of a variable.",
		Why:     "Players would read the braces as they stand. Mostly the name is spelled in another way than the variable's key; else add it to variables, or let a machine learn it with output_variables. Placeholders are plain names: there is no logic in them.",
		Good:    "Good evening, {{player_name}}.", Bad: "Good evening, {{playername}}.",
	},
	{
		Name: "unknown-member", Severity: Warning, AboutName: true, run: findUnknownMembers,
		Summary: "A member that the document does not know is kept and has no effect; begin its name with x- if that is meant.",
		Why:     "The text is kept and sent, but it does nothing, which is rarely what was meant: mostly it is a slip in the name of a member. If it is your own note for your own tools, begin its name with x- and lint is silent.",
		Good:    "x-author: Ada", Bad: "author: Ada",
	},
	{
		Name: "terminal-with-transitions", Severity: Warning, mean: findTerminalTransitions,
		Summary: "A machine ends in its terminal state, so transitions that leave it never fire.",
		Why:     "The machine is over as soon as the player comes to this state, so nothing that leaves it ever happens. Remove the transition, or is_terminal_state if the story should go on.",
		Good:    "      - from_state_key: outside\n        decision_type: redirect", Bad: "      - from_state_key: inside\n        decision_type: redirect",
	},
	offlineLinesMissing, redirectLinesMissing,
	// What a persona means.
	unreachableState, deadTransition, deadEnd, stuckLoop, redirectTrap, rejectFallsToPass, rejectLeadsLikePass, redirectsFallToPass, wonByReject,
	machineNeverWon, outcomeImpossible, thresholdNeverMet, earlyFailMasks, passFailWithScores, terminalOutcomeIdle,
	linkNeverOpens, machineNeverUnlocks, noEntryMachine, linkCycleLocked, linkWithoutEffect, autoAdvanceAmbiguous,
	variableUndefined, variableUnset, variableOfOwnMachine, variableUnused, variableUnusable,
	identicalConditions, missingCondition, decisionWithoutTransition, toStateIgnored, passTriedLast, duplicateExample, examplesMissing, examplesShared, offlinePassMissing,
	openingNotSpoken, duplicateLabel, hiddenCharacter,
	promptTooLong, promptEmpty, todoLeft, placeholderMalformed, placeholderNotExpanded, secretInPrompt, tooWide,
	textSplit, textCut, linesJoined, curlyQuotes,
	// What the files of a project say between them.
	duplicatePersonaName, variableDiffers, variableMisspelled,
}
