package llm

import "github.com/parley-npc/parley/personas"

// placeholderValue returns what a placeholder stands for: the player and the
// persona, then the player's cross-machine variables, then the persona's
// defaults.
func (in Input) placeholderValue(name string) (string, bool) {
	switch name {
	case personas.VarPlayerName:
		return in.Player.Name, true
	case personas.VarPlayerGender:
		return in.Player.Gender, true
	case personas.VarPersonaName:
		return speakerName(in), true
	}
	if v, ok := in.Vars[name]; ok {
		return v, true
	}
	if in.Persona == nil {
		return "", false
	}
	for i := range in.Persona.Variables {
		if v := &in.Persona.Variables[i]; v.Key == name {
			return v.Value, true
		}
	}
	return "", false
}
