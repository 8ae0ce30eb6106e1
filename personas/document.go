// Package personas defines the persona document: a non-player character as an identity prompt,
// state machines with scores and outcomes, and the links that unlock one machine through another.
// It reads the document from YAML or JSON with the position of every value, writes it back in a
// stable order, and provides its JSON Schema. It never does I/O. Package personas/engine runs the
// machines, and personas/lint reports doubtful documents.
package personas

import (
	"encoding/json"
	"hash/fnv"
	"slices"
)

// Persona is a whole persona document: the body of POST creator/save, a persona
// file, and the stored version are all this one value. Field names on the wire
// are in the tags; optional members that are absent are not written.
type Persona struct {
	Name                  string `json:"name"`
	Description           string `json:"description"`
	IdentityPrompt        string `json:"persona_identity_prompt"`
	PerplexityDescription string `json:"perplexity_description,omitempty"`
	// Language is the language of the persona, as a BCP 47 tag; empty if unknown.
	Language string `json:"language,omitempty"`
	// Portrait is a picture of the character: a path relative to a persona file, a data URI in
	// stored documents. Optional.
	Portrait string `json:"portrait,omitempty"`
	// Hue is the character's colour as an angle of the colour circle in degrees (0 red, 120 green,
	// 240 blue); nil if unknown.
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

// ScoringMode reports whether a machine counts points or only passes and fails.
type ScoringMode string

// The scoring modes. The document also accepts "numeric" for scoring, and
// "pass/fail" and "binary" for pass_fail; they are normalised when read.
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

// Decision is the decision of a fired transition.
type Decision string

// The decision types of transitions.
const (
	DecidePass     Decision = "pass"
	DecideRedirect Decision = "redirect"
	DecideReject   Decision = "reject"
	DecideKickOut  Decision = "kick_out"
)

// Results of an evaluation besides the four decisions.
const (
	// FollowUpName: the character wants to hear more before it decides.
	FollowUpName = "follow_up"
	// AsideName: the message was neither an attempt nor a failure; nothing moves and
	// nothing counts.
	AsideName = "aside"
)

// Defaults of a machine's numbers (persona-file section 1).
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

// Title is the machine's display name: its name, or its key if the name is empty.
func (m *Machine) Title() string { return orDefault(m.Name, m.Key) }

// Mode is the machine's scoring mode with the default (scoring) applied.
func (m *Machine) Mode() ScoringMode {
	if m.ScoringMode == PassFail {
		return PassFail
	}
	return Scoring
}

// Goal is the goal shown to a player: player_goal, else creator_objective.
func (m *Machine) Goal() string { return orDefault(m.PlayerGoal, m.Objective) }

// Threshold is the score that a terminal state asks for ACCEPT in scoring mode.
func (m *Machine) Threshold() int { return valueOr(m.PassThreshold, DefaultPassThreshold) }

// FailBound is the score at or below which the machine ends with REJECT at once.
func (m *Machine) FailBound() int { return valueOr(m.EarlyFailBound, DefaultEarlyFailBound) }

// OutputVariable is asked of a finished conversation and carried to other machines.
type OutputVariable struct {
	Key              string  `json:"key"`
	ExtractionPrompt string  `json:"extraction_prompt"`
	Extra            Members `json:"-"`
}

// InputVariable names a variable that a machine's prompts need.
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
	// EndingName names the ending of a machine that ends in this terminal state; optional.
	EndingName string   `json:"ending,omitempty"`
	Offline    *Offline `json:"offline,omitempty"`
	Extra      Members  `json:"-"`
}

// Title is the state's display name: its label, or its key if the label is empty.
func (s *State) Title() string { return orDefault(s.Label, s.Key) }

// Ending is the outcome of this terminal state in pass_fail mode: ACCEPT unless the document says
// REJECT.
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

// Criteria are the evaluator's criteria in a state, in words, by decision.
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
	// EndingName names the ending of a machine that ends when this fires, instead of its state's;
	// optional.
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

// Link unlocks a machine when another is completed in a certain way.
// condition_value on the wire is Outcome for condition type "outcome", Score
// for "score_gte" and "score_lte", and absent for "always".
type Link struct {
	Source      string
	Target      string
	Condition   Condition
	Outcome     Outcome
	Score       int
	AutoAdvance bool
	Extra       Members
}

// Members are the members of an object that the document does not know, in
// their order of appearance. They are kept, sent and returned.
type Members []Member

// Member is one unknown member; its value is kept as compact JSON.
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

// Greatest lengths of texts in characters (docs/interface.md, limits). Parse reads
// longer ones; the linter reports them and a server refuses them.
const (
	MaxName        = 200
	MaxDescription = 2000
	MaxPrompt      = 64000
	// MaxPortrait is that of a portrait, as a data URI.
	MaxPortrait = 64 << 10
	// MaxHue is the greatest hue; one more would be 0 again.
	MaxHue = 359
	// MaxExpanded is that of a text with the values of its placeholders put in.
	MaxExpanded = MaxPrompt
)

// MaxValues is the maximum number of values in a document: texts, numbers, lists and objects, with
// an alias counted each time it is used (docs/interface.md, limits). Parse refuses more, which
// bounds the work that a document can cause on a server.
const MaxValues = 200_000

// HueOf is a character's colour in degrees: the one that the persona names, else one that
// follows from its id, so that it is the same in every client. A hue beyond the circle
// is taken around it.
func HueOf(named *int, id string) int {
	if named != nil {
		return ((*named % (MaxHue + 1)) + MaxHue + 1) % (MaxHue + 1)
	}
	hash := fnv.New32a()
	hash.Write([]byte(id))
	return int(hash.Sum32() % (MaxHue + 1))
}
