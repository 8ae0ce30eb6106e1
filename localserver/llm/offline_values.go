package llm

import "github.com/parley-npc/parley/personas"

// placeholderValue returns what a placeholder stands for: the player and the
// persona, then the player's cross-machine variables, then the persona's
// defaults.
func (s Input) placeholderValue(name string) (string, bool) {
	switch name {
	case personas.VarPlayerName:
		return s.Player.Name, true
	case personas.VarPlayerGender:
		return s.Player.Gender, true
	case personas.VarPersonaName:
		return speakerName(s), true
	}
	if v, ok := s.Vars[name]; ok {
		return v, true
	}
	if s.Persona == nil {
		return "", false
	}
	for i := range s.Persona.Variables {
		if v := &s.Persona.Variables[i]; v.Key == name {
			return v.Value, true
		}
	}
	return "", false
}
