package lint

import (
	_ "embed"
)

// Example is a persona without findings; the examples of the checks are parts of it.
//
//go:embed example.yaml
var Example string

// Checks is the table of all checks.
var Checks = []Check{
	{
		Name: FaultCheck, Severity: Error, run: document,
		Summary: "The document has to be readable: known words, whole numbers, keys of the right form.",
		Good:    "decision_type: redirect", Bad: "decision_type: deflect",
	},
	{
		Name: "no-machines", Severity: Error, run: noMachines,
		Summary: "A persona needs at least one machine.",
	},
	{
		Name: "duplicate-machine-key", Severity: Error, run: duplicateMachineKey,
		Summary: "Every machine of a persona needs its own machine_key.",
		Good:    "machine_key: yard", Bad: "machine_key: gate",
	},
	{
		Name: "duplicate-state-key", Severity: Error, run: duplicateStateKey,
		Summary: "Every state of a machine needs its own state_key.",
		Good:    "state_key: inside", Bad: "state_key: outside",
	},
	{
		Name: "no-initial-state", Severity: Error, run: noInitialState,
		Summary: "A machine begins in its initial state, so it needs one.",
		Good:    "is_initial_state: true", Bad: "is_initial_state: false",
	},
	{
		Name: "several-initial-states", Severity: Error, run: severalInitialStates,
		Summary: "A machine begins in one state, so only one may be initial.",
		Good:    "label: Inside the walls", Bad: "is_initial_state: true",
	},
	{
		Name: "no-terminal-state", Severity: Error, run: noTerminalState,
		Summary: "A machine ends in a terminal state, so it needs at least one.",
		Good:    "is_terminal_state: true", Bad: "is_terminal_state: false",
	},
	{
		Name: "unknown-from-state", Severity: Error, run: unknownFromState,
		Summary: "A transition leaves a state of its own machine.",
		Good:    "from_state_key: outside", Bad: "from_state_key: outsied",
	},
	{
		Name: "unknown-to-state", Severity: Error, run: unknownToState,
		Summary: "A transition leads to a state of its own machine.",
		Good:    "to_state_key: inside", Bad: "to_state_key: insied",
	},
	{
		Name: "pass-leads-nowhere", Severity: Error, run: passLeadsNowhere,
		Summary: "A pass transition moves the player on, so it needs a to_state_key.",
		Good:    "to_state_key: inside", Bad: "x-to: inside",
	},
	{
		Name: "negative-max-redirects", Severity: Error, run: negativeMaxRedirects,
		Summary: "max_redirects counts redirects, so it cannot be negative.",
		Good:    "max_redirects: 2", Bad: "max_redirects: -1",
	},
	{
		Name: "unknown-link-machine", Severity: Error, run: unknownLinkMachine,
		Summary: "A machine link joins two machines of the persona.",
		Good:    "target_machine_key: yard", Bad: "target_machine_key: garden",
	},
	{
		Name: "link-value-mismatch", Severity: Error, run: linkValueMismatch,
		Summary: "A link's condition_value is an outcome for `outcome`, a score for `score_gte` and `score_lte`, and absent for `always`.",
	},
	{
		Name: "empty-text", Severity: Error, run: emptyText,
		Summary: "Name, description, identity prompt and the keys of variables have to say something.",
		Good:    "name: The guard", Bad: "name: ''",
	},
	{
		Name: "text-too-long", Severity: Error, run: textTooLong,
		Summary: "A name has at most 200 characters, a description 2,000, and a prompt 64,000.",
	},
	{
		Name: "duplicate-variable", Severity: Error, run: duplicateVariable,
		Summary: "A list of variables names each key once.",
		Good:    "key: password", Bad: "key: mood",
	},
	{
		Name: "template-unknown", Severity: Error, run: templateUnknown,
		Summary: "A {{name}} in a prompt or line is player_name, player_gender, persona_name or the key of a variable.",
		Good:    "Good evening, {{player_name}}.", Bad: "Good evening, {{playername}}.",
	},
	{
		Name: "unknown-member", Severity: Warning, AboutName: true, run: unknownMember,
		Summary: "A member that the document does not know is kept and has no effect; begin its name with x- if that is meant.",
		Good:    "x-author: Ada", Bad: "author: Ada",
	},
	{
		Name: "terminal-with-transitions", Severity: Warning, run: terminalWithTransitions,
		Summary: "A machine ends in its terminal state, so transitions that leave it never fire.",
		Good:    "from_state_key: outside", Bad: "from_state_key: inside",
	},
	{
		Name: "offline-lines-missing", Severity: Info, run: offlineLinesMissing,
		Summary: "Without offline lines the built-in model can only answer in plain words.",
		Good:    "redirect: [\"State your business.\"]", Bad: "x-redirect: [\"State your business.\"]",
	},
}
