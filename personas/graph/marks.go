package graph

// Tone distinguishes states and transitions when a picture is not coloured by decision.
type Tone int

// The tones. Each has a colour and a note in words, so that no picture depends
// on colours alone.
const (
	Plain  Tone = iota
	Hit         // play-throughs were here, or it can happen
	Missed      // no play-through was here
	Never       // it can never happen
)

// Mark is the tone of one thing and a few words about it ("12x", "never").
type Mark struct {
	Tone Tone
	Note string
}

// StateRef names a state of a persona.
type StateRef struct{ Machine, State string }

// MoveRef names a transition by its index in its machine.
type MoveRef struct {
	Machine string
	Index   int
}

// Marks colour a picture. Elements without a mark are plain.
type Marks struct {
	States map[StateRef]Mark
	Moves  map[MoveRef]Mark
	Legend []Mark // the meanings of the tones, in order
}

func (m *Marks) stateMark(machine, key string) Mark {
	if m == nil {
		return Mark{}
	}
	return m.States[StateRef{machine, key}]
}

func (m *Marks) moveMark(machine string, index int) Mark {
	if m == nil {
		return Mark{}
	}
	return m.Moves[MoveRef{machine, index}]
}

// combineWith returns the mark of two transitions that are drawn as one arrow: what
// one of them does, the arrow does.
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
