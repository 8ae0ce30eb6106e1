// Package personas defines the persona document. A document describes a non-player character by an
// identity prompt, state machines with scores and outcomes, and links between machines. The package
// parses YAML and JSON with the position of every value. It also writes documents in a stable
// order, merges versions, and provides the JSON Schema. The package performs no I/O. Package engine
// runs the machines. Package lint reports likely mistakes.
package personas

import (
	"encoding/json"
	"hash/fnv"
	"slices"
)

// Persona is a persona document. Persona files, stored versions and the body of POST creator/save
// have this form. Absent optional members are not written.
type Persona struct {
	Name                  string `json:"name"`
	Description           string `json:"description"`
	IdentityPrompt        string `json:"persona_identity_prompt"`
	PerplexityDescription string `json:"perplexity_description,omitempty"`
	// Language is a BCP 47 tag, or empty if unknown.
	Language string `json:"language,omitempty"`
	// Portrait is an optional picture of the character as a data URI. In a persona file, a path
	// relative to the file is also allowed.
	Portrait string `json:"portrait,omitempty"`
	// Hue is an angle on the colour wheel in degrees (0 red, 120 green, 240 blue), or nil.
	Hue       *int           `json:"hue,omitempty"`
	Variables []Variable     `json:"variables,omitempty"`
	Machines  []Machine      `json:"machines"`
	Links     []Link         `json:"machine_links,omitempty"`
	Offline   *SharedOffline `json:"offline,omitempty"`
	Extra     Members        `json:"-"`
}

// Variable is a variable of the persona with a default value.
type Variable struct {
	Key         string  `json:"key"`
	Value       string  `json:"value,omitempty"`
	Description string  `json:"description,omitempty"`
	Extra       Members `json:"-"`
}

// ScoringMode selects whether a machine counts points.
type ScoringMode string

// The scoring modes. Parse also accepts "numeric" for scoring, and "pass/fail" or "binary" for
// pass_fail.
const (
	Scoring  ScoringMode = "scoring"
	PassFail ScoringMode = "pass_fail"
)

// Outcome is the result of a machine. The empty outcome means that the machine is still running.
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

// Additional results of an evaluation.
const (
	// FollowUpName means that the character asks for more before a decision.
	FollowUpName = "follow_up"
	// AsideName means that the message was no attempt. State, score and limits stay unchanged.
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

// Title returns the name of the machine, or the key if the name is empty.
func (m *Machine) Title() string { return orDefault(m.Name, m.Key) }

// Mode returns the scoring mode. The default is Scoring.
func (m *Machine) Mode() ScoringMode {
	if m.ScoringMode == PassFail {
		return PassFail
	}
	return Scoring
}

// Goal returns the goal for the player, either player_goal or creator_objective.
func (m *Machine) Goal() string { return orDefault(m.PlayerGoal, m.Objective) }

// Threshold returns the minimum score for ACCEPT in a terminal state in scoring mode.
func (m *Machine) Threshold() int { return valueOr(m.PassThreshold, DefaultPassThreshold) }

// FailBound returns the highest score that ends the machine with REJECT.
func (m *Machine) FailBound() int { return valueOr(m.EarlyFailBound, DefaultEarlyFailBound) }

// OutputVariable is a value extracted from a finished conversation for other machines.
type OutputVariable struct {
	Key              string  `json:"key"`
	ExtractionPrompt string  `json:"extraction_prompt"`
	Extra            Members `json:"-"`
}

// InputVariable is a variable in the prompts of a machine.
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
	// EndingName is the optional name of the ending in this terminal state.
	EndingName string   `json:"ending,omitempty"`
	Offline    *Offline `json:"offline,omitempty"`
	Extra      Members  `json:"-"`
}

// Title returns the label of the state, or the key if the label is empty.
func (s *State) Title() string { return orDefault(s.Label, s.Key) }

// Ending returns the outcome of this terminal state in pass_fail mode. The default is ACCEPT.
func (s *State) Ending() Outcome {
	return Outcome(orDefault(string(s.TerminalOutcome), string(Accept)))
}

// IsLosingPass reports whether a transition passes to a terminal state with outcome REJECT in
// pass_fail mode.
func (m *Machine) IsLosingPass(t *Transition) bool {
	if t.Decision != DecidePass || m.Mode() != PassFail {
		return false
	}
	i := slices.IndexFunc(m.States, func(s State) bool { return s.Key == t.To })
	return i >= 0 && m.States[i].IsTerminal && m.States[i].Ending() == Reject
}

// Criteria contains the criteria of a state for the evaluator, in words, one per decision.
type Criteria struct {
	Pass     string  `json:"pass,omitempty"`
	Redirect string  `json:"redirect,omitempty"`
	Reject   string  `json:"reject,omitempty"`
	KickOut  string  `json:"kick_out,omitempty"`
	FollowUp string  `json:"follow_up,omitempty"`
	Extra    Members `json:"-"`
}

// Transition leads from one state to another.
type Transition struct {
	From       string   `json:"from_state_key"`
	To         string   `json:"to_state_key,omitempty"`
	Decision   Decision `json:"decision_type"`
	ScoreDelta int      `json:"score_delta,omitempty"`
	Priority   int      `json:"priority,omitempty"`
	Condition  string   `json:"condition,omitempty"`
	// EndingName is an optional name of the ending, before that of the target state.
	EndingName string             `json:"ending,omitempty"`
	Offline    *TransitionOffline `json:"offline,omitempty"`
	Extra      Members            `json:"-"`
}

// Condition is the type of condition of a machine link.
type Condition string

// The condition types of machine links.
const (
	IfOutcome  Condition = "outcome"
	IfScoreGTE Condition = "score_gte"
	IfScoreLTE Condition = "score_lte"
	Always     Condition = "always"
)

// Link unlocks the machine Target when the machine Source ends and the condition is true. The JSON
// member condition_value is Outcome for "outcome", Score for "score_gte" and "score_lte", and
// absent for "always".
type Link struct {
	Source      string
	Target      string
	Condition   Condition
	Outcome     Outcome
	Score       int
	AutoAdvance bool
	Extra       Members
}

// Members contains the unknown members of an object in source order. They are stored, sent and
// returned unchanged.
type Members []Member

// Member is an unknown member with a value in compact JSON.
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

// Maximum lengths in characters (docs/interface.md, limits). Parse accepts longer strings, lint
// reports them, and a server rejects them.
const (
	MaxName        = 200
	MaxDescription = 2000
	MaxPrompt      = 64000
	// MaxPortrait is the maximum length of a portrait as a data URI.
	MaxPortrait = 64 << 10
	// MaxHue is the maximum hue in degrees. 360 degrees equals 0.
	MaxHue = 359
	// MaxExpanded is the maximum length of a string after expansion of placeholders.
	MaxExpanded = MaxPrompt
)

// MaxValues is the maximum number of strings, numbers, lists and objects in a document
// (docs/interface.md, limits). Each use of an alias counts. Parse rejects larger documents to limit
// the work for a server.
const MaxValues = 200_000

// HueOf returns the colour of a character in degrees. Without an explicit hue, the colour is a hash
// of id, so every client shows the same colour. A hue outside 0 to 359 is reduced modulo 360.
func HueOf(named *int, id string) int {
	if named != nil {
		return ((*named % (MaxHue + 1)) + MaxHue + 1) % (MaxHue + 1)
	}
	hash := fnv.New32a()
	hash.Write([]byte(id))
	return int(hash.Sum32() % (MaxHue + 1))
}
