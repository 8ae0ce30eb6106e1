// Package personas defines the persona document. The document describes a non-player character by
// an identity prompt, state machines with scores and outcomes, and links that unlock one machine
// when another ends. It parses the document from YAML or JSON with the position of every value,
// writes it in a stable order, merges versions, and provides its JSON Schema. It performs no I/O.
// Package personas/engine runs the machines, and personas/lint reports likely mistakes in a
// document.
package personas

import (
	"encoding/json"
	"hash/fnv"
	"slices"
)

// Persona is a persona document. The body of POST creator/save, the content of a persona file, and
// a stored version all have this form. The tags hold the member names. Absent optional members are
// not written.
type Persona struct {
	Name                  string `json:"name"`
	Description           string `json:"description"`
	IdentityPrompt        string `json:"persona_identity_prompt"`
	PerplexityDescription string `json:"perplexity_description,omitempty"`
	// Language is the language of the persona, as a BCP 47 tag. It is empty if unknown.
	Language string `json:"language,omitempty"`
	// Portrait is an optional picture of the character. In a persona file it is a path relative to
	// the file, or a data URI. In a stored document it is a data URI.
	Portrait string `json:"portrait,omitempty"`
	// Hue is the character's colour as an angle on the colour wheel in degrees (0 red, 120 green,
	// 240 blue). It is nil if unset.
	Hue       *int           `json:"hue,omitempty"`
	Variables []Variable     `json:"variables,omitempty"`
	Machines  []Machine      `json:"machines"`
	Links     []Link         `json:"machine_links,omitempty"`
	Offline   *SharedOffline `json:"offline,omitempty"`
	Extra     Members        `json:"-"`
}

// Variable is a persona-level variable with its default value.
type Variable struct {
	Key         string  `json:"key"`
	Value       string  `json:"value,omitempty"`
	Description string  `json:"description,omitempty"`
	Extra       Members `json:"-"`
}

// ScoringMode is whether a machine counts points (Scoring) or ends without points (PassFail).
type ScoringMode string

// The scoring modes. The document also accepts "numeric" for scoring, and "pass/fail" and "binary"
// for pass_fail. They are normalised when read.
const (
	Scoring  ScoringMode = "scoring"
	PassFail ScoringMode = "pass_fail"
)

// Outcome is the result of a machine. The empty outcome means that the machine has not ended yet.
type Outcome string

// The outcomes of a machine.
const (
	NoOutcome Outcome = ""
	Accept    Outcome = "ACCEPT"
	Reject    Outcome = "REJECT"
	KickOut   Outcome = "KICK_OUT"
)

// Decision is the type of a transition.
type Decision string

// The decision types of transitions.
const (
	DecidePass     Decision = "pass"
	DecideRedirect Decision = "redirect"
	DecideReject   Decision = "reject"
	DecideKickOut  Decision = "kick_out"
)

// Results of an evaluation in addition to the four decisions.
const (
	// FollowUpName means that the character asks for more before it decides.
	FollowUpName = "follow_up"
	// AsideName means that the message was neither an attempt nor a failure. It changes neither the
	// state nor the score, and does not count for a limit.
	AsideName = "aside"
)

// Defaults of a machine's numbers (docs/persona-file.md).
const (
	DefaultPassThreshold  = 3
	DefaultEarlyFailBound = -3
)

// Machine is one state machine of a persona.
type Machine struct {
	Key                 string           `json:"machine_key"`
	Name                string           `json:"name,omitempty"`
	Description         string           `json:"description,omitempty"`
	PlayerGoal          string           `json:"player_goal,omitempty"`
	Objective           string           `json:"creator_objective,omitempty"`
	WinCondition        string           `json:"creator_win_condition,omitempty"`
	LoseCondition       string           `json:"creator_lose_condition,omitempty"`
	ChatPrompt          string           `json:"chat_system_prompt,omitempty"`
	EvaluationPrompt    string           `json:"system_evaluation_prompt,omitempty"`
	SummarizationPrompt string           `json:"system_summarization_prompt,omitempty"`
	ScoringMode         ScoringMode      `json:"scoring_mode,omitempty"`
	PassThreshold       *int             `json:"pass_threshold,omitempty"`
	EarlyFailBound      *int             `json:"early_fail_bound,omitempty"`
	IsEntry             bool             `json:"is_entry_machine,omitempty"`
	States              []State          `json:"states"`
	Transitions         []Transition     `json:"transitions"`
	OutputVariables     []OutputVariable `json:"output_variables,omitempty"`
	InputVariables      []InputVariable  `json:"input_variables,omitempty"`
	Offline             *SharedOffline   `json:"offline,omitempty"`
	Extra               Members          `json:"-"`
}

// Title returns the machine's name, or its key if the name is empty. It is the machine's display
// name.
func (m *Machine) Title() string { return orDefault(m.Name, m.Key) }

// Mode is the machine's scoring mode with the default (scoring) applied.
func (m *Machine) Mode() ScoringMode {
	if m.ScoringMode == PassFail {
		return PassFail
	}
	return Scoring
}

// Goal is the goal shown to a player. That is player_goal, or creator_objective if player_goal is
// empty.
func (m *Machine) Goal() string { return orDefault(m.PlayerGoal, m.Objective) }

// Threshold returns the score required for ACCEPT in a terminal state in scoring mode.
func (m *Machine) Threshold() int { return valueOr(m.PassThreshold, DefaultPassThreshold) }

// FailBound returns the score at or below which the machine ends with REJECT after any message.
func (m *Machine) FailBound() int { return valueOr(m.EarlyFailBound, DefaultEarlyFailBound) }

// OutputVariable is a value that is extracted from a finished conversation and passed to other
// machines.
type OutputVariable struct {
	Key              string  `json:"key"`
	ExtractionPrompt string  `json:"extraction_prompt"`
	Extra            Members `json:"-"`
}

// InputVariable is a variable that a machine's prompts use.
type InputVariable struct {
	Key   string  `json:"key"`
	Extra Members `json:"-"`
}

// State is one state of a machine.
type State struct {
	Key               string   `json:"state_key"`
	Label             string   `json:"label,omitempty"`
	PromptInstruction string   `json:"prompt_instruction,omitempty"`
	IsInitial         bool     `json:"is_initial_state,omitempty"`
	IsTerminal        bool     `json:"is_terminal_state,omitempty"`
	DisplayOrder      *int     `json:"display_order,omitempty"`
	Criteria          Criteria `json:"evaluation_criteria,omitzero"`
	MaxRedirects      *int     `json:"max_redirects,omitempty"`
	TerminalOutcome   Outcome  `json:"terminal_outcome,omitempty"`
	// EndingName is the name of the ending if the machine ends in this terminal state. It is
	// optional.
	EndingName string   `json:"ending,omitempty"`
	Offline    *Offline `json:"offline,omitempty"`
	Extra      Members  `json:"-"`
}

// Title returns the state's label, or its key if the label is empty. It is the state's display
// name.
func (s *State) Title() string { return orDefault(s.Label, s.Key) }

// Ending returns the outcome of this terminal state in pass_fail mode. That is REJECT if
// terminal_outcome is REJECT, and ACCEPT otherwise.
func (s *State) Ending() Outcome {
	return Outcome(orDefault(string(s.TerminalOutcome), string(Accept)))
}

// IsLosingPass reports whether a transition is a pass to a state that ends a pass_fail machine with
// REJECT.
func (m *Machine) IsLosingPass(t *Transition) bool {
	if t.Decision != DecidePass || m.Mode() != PassFail {
		return false
	}
	i := slices.IndexFunc(m.States, func(s State) bool { return s.Key == t.To })
	return i >= 0 && m.States[i].IsTerminal && m.States[i].Ending() == Reject
}

// Criteria holds a state's criteria for the evaluator, in words, one per decision.
type Criteria struct {
	Pass     string  `json:"pass,omitempty"`
	Redirect string  `json:"redirect,omitempty"`
	Reject   string  `json:"reject,omitempty"`
	KickOut  string  `json:"kick_out,omitempty"`
	FollowUp string  `json:"follow_up,omitempty"`
	Extra    Members `json:"-"`
}

// Transition leads from one state to another when its condition holds.
type Transition struct {
	From       string   `json:"from_state_key"`
	To         string   `json:"to_state_key,omitempty"`
	Decision   Decision `json:"decision_type"`
	ScoreDelta int      `json:"score_delta,omitempty"`
	Priority   int      `json:"priority,omitempty"`
	Condition  string   `json:"condition,omitempty"`
	// EndingName is the name of the ending if the machine ends with this transition. It is
	// optional, and overrides the name of the target state's ending.
	EndingName string             `json:"ending,omitempty"`
	Offline    *TransitionOffline `json:"offline,omitempty"`
	Extra      Members            `json:"-"`
}

// Condition is the kind of a machine link's condition.
type Condition string

// The condition types of machine links.
const (
	IfOutcome  Condition = "outcome"
	IfScoreGTE Condition = "score_gte"
	IfScoreLTE Condition = "score_lte"
	Always     Condition = "always"
)

// Link unlocks the machine Target when the machine Source ends and the condition is true. The JSON
// member condition_value is Outcome for condition type "outcome", Score for "score_gte" and
// "score_lte", and absent for "always".
type Link struct {
	Source      string
	Target      string
	Condition   Condition
	Outcome     Outcome
	Score       int
	AutoAdvance bool
	Extra       Members
}

// Members holds the members of an object that this version does not know, in source order. They are
// stored, sent and returned unchanged.
type Members []Member

// Member is an unknown member. Its value is stored as compact JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

func orDefault(s, fallback string) string {
	if s != "" {
		return s
	}
	return fallback
}

func valueOr(p *int, fallback int) int {
	if p != nil {
		return *p
	}
	return fallback
}

// Maximum lengths in characters (docs/interface.md, limits). Parse accepts longer strings. The
// linter reports them and a server rejects them.
const (
	MaxName        = 200
	MaxDescription = 2000
	MaxPrompt      = 64000
	// MaxPortrait is the maximum length of a portrait, as a data URI.
	MaxPortrait = 64 << 10
	// MaxHue is the maximum hue. It is less than 360, because 360 degrees is the same as 0.
	MaxHue = 359
	// MaxExpanded is the maximum length of a string after its placeholders are expanded.
	MaxExpanded = MaxPrompt
)

// MaxValues is the maximum number of values in a document (docs/interface.md, limits). Strings,
// numbers, lists and objects are values. An alias counts each time it is used. Parse rejects
// documents with more values, to limit the work that one document can cause on a server.
const MaxValues = 200_000

// HueOf returns a character's colour in degrees. It is the hue that the persona sets, or else a
// hash of its id, so that every client shows the same colour. A hue outside 0 to 359 is reduced
// modulo 360.
func HueOf(named *int, id string) int {
	if named != nil {
		return ((*named % (MaxHue + 1)) + MaxHue + 1) % (MaxHue + 1)
	}
	hash := fnv.New32a()
	hash.Write([]byte(id))
	return int(hash.Sum32() % (MaxHue + 1))
}
