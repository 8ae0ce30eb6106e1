package tui

import (
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/transcript"
)

// placeKeeper writes places into the memory, in their order and none after the last.
type placeKeeper struct {
	mu     sync.Mutex
	memory conversation.Memory
	over   bool
}

func (k *placeKeeper) keepPlace(saved conversation.SavedSession, last bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over && !last {
		return nil
	}
	k.over = k.over || last
	return k.memory.Remember(saved)
}

// keepPlace remembers where the session stands, so that it can be told from others. A
// memory that fails was told of when the session was opened.
func (d *dialogue) keepPlace() tea.Cmd {
	d.User.Saved.NotePlace(d.Session)
	saved := d.User.Saved
	return func() tea.Msg {
		_ = d.places.keepPlace(saved, false)
		return nil
	}
}

// leave keeps what is not said for the next time, and says who was left.
func (r *root) leave() {
	bye := conversation.Farewell{}
	for _, k := range r.drafts {
		bye.HasDraft = r.keepForNextTime(k) || bye.HasDraft
	}
	if c, talking := r.child.(*chat); talking {
		c.keepDraft()
		bye.HasDraft = r.keepForNextTime(c.draft) || bye.HasDraft
	}
	if r.left != nil {
		bye.Persona, bye.Name = r.left.Persona.ID, r.left.Saved.PersonaName
	}
	if r.opts.Leave != nil {
		r.opts.Leave(bye)
	}
}

// keepForNextTime writes a draft with the place of its session into the memory, and tells
// whether words are kept so.
func (r *root) keepForNextTime(k *draft) bool {
	if k.saved.UserSessionID == "" {
		return false
	}
	k.saved.Draft, k.saved.UnderWay = k.text, k.underWay
	err := r.places.keepPlace(k.saved, true)
	return err == nil && (k.text != "" || k.underWay != "")
}

// sayNothingKept says once where nothing outlives the chat.
func (c *chat) sayNothingKept() {
	if c.opts.Fleeting && !c.saidFleeting && c.log.HasOpening() {
		c.saidFleeting = true
		c.log.InsertEntries(1, []transcript.Entry{transcript.NewNote(conversation.NothingKept, transcript.ToneNews)})
	}
}
