package graph

// Tone is how a state or transition is coloured if the picture is not coloured by decision.
type Tone int

// The tones. Each has a colour and a note in words, so no picture depends on colours alone.
const (
	Plain  Tone = iota
	Hit         // reached by a play-through, or possible
	Missed      // not reached by any play-through
	Never       // impossible
)

// Mark is the tone of one element and a short note about it ("12x", "never").
type Mark struct {
	Tone Tone
	Note string
}

// StateRef identifies a state of a persona.
type StateRef struct{ Machine, State string }

// TransitionRef identifies a transition by its index in its machine.
type TransitionRef struct {
	Machine string
	Index   int
}

// Marks holds the marks of a picture. Elements without a mark are Plain.
type Marks struct {
	States      map[StateRef]Mark
	Transitions map[TransitionRef]Mark
	Legend      []Mark // the meanings of the tones, in order
}

func (m *Marks) stateMark(machine, key string) Mark {
	if m == nil {
		return Mark{}
	}
	return m.States[StateRef{machine, key}]
}

func (m *Marks) transitionMark(machine string, index int) Mark {
	if m == nil {
		return Mark{}
	}
	return m.Transitions[TransitionRef{machine, index}]
}

func (m Mark) combineWith(other Mark) Mark {
	switch {
	case m == (Mark{}) || m == other:
		return other
	case other == (Mark{}):
		return m
	}
	both := Mark{Tone: m.Tone, Note: m.Note}
	if other.Tone == Hit {
		both.Tone = Hit
	}
	if m.Note != "" && other.Note != "" {
		both.Note = m.Note + ", " + other.Note
	}
	return both
}
