package tui

import "github.com/parley-npc/parley/personas/wire"

// userSession is a player with a persona.
type userSession struct {
	persona *persona
	saved   SavedSession
	// used says that the user_session_id has been used before.
	used bool
}

func (v *userSession) isComplete() bool {
	return v.saved.PlayerName != "" && isGender(v.saved.PlayerGender)
}

// session is a machine's session as it stands: what was said and where the
// player is.
type session struct {
	machine  *machine
	id       string
	messages []wire.HistoryMessage
	standing standing
	// resumed says that the session began in an earlier chat.
	resumed bool
	// tokens are what its opening line has cost now.
	tokens wire.Tokens
	// warning is a trouble that does not keep anybody from playing.
	warning string
}

func sessionOf(m *machine, h wire.History) *session {
	sc := &session{machine: m, id: h.SessionID, messages: h.Messages, resumed: true}
	sc.standing = standing{state: h.CurrentState, score: h.Score, redirects: -1}
	if h.Outcome != nil {
		sc.standing.outcome = *h.Outcome
	}
	return sc
}
