package lint

import (
	_ "embed"
)

// Example is a persona without findings. Checks use parts of Example as their good examples.
//
//go:embed example.yaml
var Example string

// Checks contains all checks. Checks that make a server reject the document are defined here. Most
// others are defined next to their functions.
var Checks = []Check{
	{
		Name: FaultCheck, Severity: Error, // reported by the parser
		Summary: "The document must be readable: known words, whole numbers, valid keys.",
		Why: "Neither a server nor lint can use a document that they cannot read. The message names what was " +
			"expected. `parley persona schema` prints the format for editors, docs/persona-file.md explains it. " +
			"Checks that depend on the unreadable part are skipped.",
		Good: "decision_type: redirect", Bad: "decision_type: deflect",
	},
	{
		Name: "no-machines", Severity: Error, run: findNoMachines,
		Summary: "A persona needs at least one machine.",
		Why: "Players talk to a machine, so without one nothing can start. The smallest machine has an initial " +
			"state, a terminal state and a pass between them.",
	},
	{
		Name: "duplicate-machine-key", Severity: Error, run: findDuplicateMachineKeys,
		Summary: "Each machine needs a unique machine_key.",
		Why: "Links, addresses and progress refer to machines by key. A duplicate usually comes from " +
			"copying a machine: rename the copy and check its links.",
		Good: "machine_key: yard", Bad: "machine_key: gate",
	},
	{
		Name: "duplicate-state-key", Severity: Error, run: findDuplicateStateKeys,
		Summary: "Each state of a machine needs a unique state_key.",
		Why: "Transitions refer to states by key, and replies report the key as current_state. Rename one of " +
			"the states and the transitions that lead to it.",
		Good: "state_key: inside", Bad: "state_key: outside",
	},
	{
		Name: "no-initial-state", Severity: Error, AboutName: true, run: findNoInitialState,
		Summary: "Each machine needs an initial state.",
		Why: "A session starts in the initial state. Mark the state where the character speaks first with is_initial_state: " +
			"true.",
		Good: "is_initial_state: true", Bad: "is_initial_state: false",
	},
	{
		Name: "several-initial-states", Severity: Error, run: findSeveralInitialStates,
		Summary: "Only one state of a machine may be initial.",
		Why: "A session starts in one state, and a server does not choose. Keep is_initial_state: true on the " +
			"state with the opening line.",
		Good: "label: Inside the walls", Bad: "is_initial_state: true",
	},
	{
		Name: "no-terminal-state", Severity: Error, AboutName: true, run: findNoTerminalState,
		Summary: "Each machine needs at least one terminal state.",
		Why: "Without a terminal state the machine never ends, reports no outcome and unlocks nothing. Mark each ending " +
			"with is_terminal_state: true.",
		Good: "is_terminal_state: true", Bad: "is_terminal_state: false",
	},
	{
		Name: "unknown-from-state", Severity: Error, run: findUnknownFromStates,
		Summary: "A transition must start in a state of the same machine.",
		Why: "The transition can never fire, because the machine lacks this state. Keys must match exactly, " +
			"including capitals.",
		Good: "from_state_key: outside", Bad: "from_state_key: outsied",
	},
	{
		Name: "unknown-to-state", Severity: Error, run: findUnknownToStates,
		Summary: "A transition must lead to a state of the same machine.",
		Why: "The machine lacks this state. Keys must match exactly, including capitals. To continue in " +
			"another machine use machine_links.",
		Good: "to_state_key: inside", Bad: "to_state_key: insied",
	},
	{
		Name: "pass-leads-nowhere", Severity: Error, run: findPassesToNowhere,
		Summary: "A pass needs a to_state_key.",
		Why: "A pass moves the player. To stay in the state and only count points, use the state's own key, or " +
			"use a redirect.",
		Good: "to_state_key: inside", Bad: "x-to: inside",
	},
	{
		Name: "negative-max-redirects", Severity: Error, run: findNegativeMaxRedirects,
		Summary: "max_redirects cannot be negative.",
		Why:     "With 0, the first redirect already counts as a reject. Leave max_redirects out for no limit.",
		Good:    "max_redirects: 2", Bad: "max_redirects: -1",
	},
	{
		Name: "unknown-link-machine", Severity: Error, run: findUnknownLinkMachines,
		Summary: "A link must connect two machines of the persona.",
		Why: "Otherwise the link can never unlock a machine. Links use machine_key, not the display name, and cannot " +
			"reach another persona.",
		Good: "target_machine_key: yard", Bad: "target_machine_key: garden",
	},
	{
		Name: "link-value-mismatch", Severity: Error, run: findLinkValueMismatches,
		Summary: "A link's condition_value is an outcome for `outcome`, a score for `score_gte` and `score_lte`, and absent for `always`.",
		Why: "A value of another type cannot be compared. Only a program can make such a " +
			"link; a persona file cannot contain it.",
	},
	{
		Name: "empty-text", Severity: Error, wording: true, run: findEmptyTexts,
		Summary: "Name, description, identity prompt and variable keys cannot be empty.",
		Why: "Lists show name and description, and the identity prompt tells a model who the character is. No " +
			"text can use a variable without a key.",
		Good: "name: The guard", Bad: "name: ''",
	},
	{
		Name: "text-too-long", Severity: Error, wording: true, run: findLongTexts,
		Summary: "A name has at most 200 characters, a description 2,000, and a prompt 64,000, also with the values of its variables.",
		Why: "Servers refuse longer texts, also if they become too long when {{names}} are replaced by values. " +
			"Split a long prompt: the identity prompt, the machine's prompts and each state's " +
			"prompt_instruction are combined anyway.",
	},
	{
		Name: PortraitCheck, Severity: Error, wording: true, run: findUnusablePortrait,
		Summary: "A portrait is a PNG, JPEG or GIF: a path below the persona file's directory, or a data URI.",
		Why: "The picture is sent with the persona, so it must be complete, small (at most 49,134 bytes; 256 " +
			"by 256 pixels is enough) and below the file's directory. Addresses are not fetched. Programs " +
			"send data:image/png;base64,...",
		Good: "name: The guard", Bad: "name: The guard\nportrait: https://example.com/guard.png",
	},
	{
		Name: "duplicate-variable", Severity: Error, run: findDuplicateVariables,
		Summary: "A list of variables may contain each key once.",
		Why:     "Only one value can be used. Remove one entry, or rename it if you need both.",
		Good:    "key: password", Bad: "key: mood",
	},
	{
		Name: "template-unknown", Severity: Error, wording: true, run: findUnknownPlaceholders,
		Summary: "A {{name}} must be player_name, player_gender, persona_name or the key of a variable.",
		Why: "Players would see the braces. Check the spelling, add the variable, or let a machine learn it " +
			"with output_variables. Placeholders are plain names without logic.",
		Good: "Good evening, {{player_name}}.", Bad: "Good evening, {{playername}}.",
	},
	{
		Name: "unknown-member", Severity: Warning, AboutName: true, run: findUnknownMembers,
		Summary: "An unknown member is stored but ignored; begin the names of your own members with x-.",
		Why: "It is usually a misspelt member name. Names that begin with x- are for your own tools and are " +
			"not reported.",
		Good: "x-author: Ada", Bad: "author: Ada",
	},
	{
		Name: "terminal-with-transitions", Severity: Warning, mean: findTerminalTransitions,
		Summary: "Transitions that leave a terminal state never fire.",
		Why: "The machine ends when the player reaches this state. Remove the transition, or is_terminal_state " +
			"if the story continues.",
		Good: "      - from_state_key: outside\n        decision_type: redirect",
		Bad:  "      - from_state_key: inside\n        decision_type: redirect",
	},
	offlineLinesMissing, redirectLinesMissing,
	unreachableState, deadTransition, deadEnd, stuckLoop, redirectTrap,
	rejectFallsToPass, rejectLeadsLikePass, redirectsFallToPass, wonByReject,
	machineNeverWon, outcomeImpossible, thresholdNeverMet, earlyFailMasks, passFailWithScores,
	terminalOutcomeIdle, endingIdle,
	linkNeverOpens, machineNeverUnlocks, noEntryMachine, linkCycleLocked, linkWithoutEffect, autoAdvanceAmbiguous,
	variableUndefined, variableUnset, variableOfOwnMachine, variableUnused, variableUnusable,
	identicalConditions, missingCondition, decisionWithoutTransition, toStateIgnored, passTriedLast,
	duplicateExample, examplesMissing, examplesShared, offlinePassMissing,
	openingNotSpoken, duplicateLabel, hiddenCharacter,
	promptTooLong, promptEmpty, todoLeft, placeholderMalformed, placeholderNotExpanded, secretInPrompt, tooWide,
	textSplit, textCut, linesJoined, curlyQuotes,
	duplicatePersonaName, variableDiffers, variableMisspelled,
}
