package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

type joinScreen struct {
	env           *env
	persona       string
	saved         conversation.SavedSession // without UserSessionID: the present session
	fresh         bool
	machine       string
	user          *conversation.UserSession
	entered       *conversation.Machine // nil if only the service knows the machine
	form          *views.Form
	early         *views.Input
	typed         string
	refused       string
	answer        views.Answer
	trouble       string
	retry         func() tea.Cmd
	busy          *busyNotice
	waitSeconds   int
	attempt       int
	stopAsking    context.CancelFunc
	stream        *conversation.ReplyStream
	log           *views.Transcript // nil before the first words
	width, height int
}

func newJoinScreen(e *env) *joinScreen {
	return &joinScreen{env: e, stopAsking: func() {}, early: views.NewInput(e.st, e.keys)}
}

func (j *joinScreen) OpenPersona(persona string) tea.Cmd {
	j.persona, j.trouble = persona, ""
	ctx := j.beginAsking(j.env.ctx)
	if persona == j.env.opts.Persona {
		j.machine = j.env.opts.Machine
	}
	j.retry = func() tea.Cmd { return j.OpenPersona(persona) }
	options := conversation.SavedSession{PlayerName: j.env.opts.PlayerName, PlayerGender: j.env.opts.PlayerGender}
	if j.saved.UserSessionID != "" { // The session contains the player's data.
		options = conversation.SavedSession{}
	}
	return tea.Batch(j.tickLater(), runAsync(j, func() func() tea.Cmd {
		if j.saved.UserSessionID != "" && !j.fresh {
			if err := j.env.requester.Memory.Remember(j.saved); err != nil {
				return j.showFailure(err)
			}
		}
		user, err := j.env.requester.OpenPersona(ctx, persona, options, j.fresh)
		if err != nil {
			return j.showFailure(err)
		}
		return func() tea.Cmd { return j.showForm(user) }
	}))
}

func (j *joinScreen) beginAsking(ctx context.Context) context.Context {
	j.waitSeconds, j.attempt = 0, j.attempt+1
	j.busy, ctx = j.env.hearWaits(ctx)
	return ctx
}

func (j *joinScreen) EnterMachine() tea.Cmd {
	j.trouble, j.form, j.retry, j.log = "", nil, j.EnterMachine, nil
	ctx, stop := context.WithCancel(j.beginAsking(j.env.ctx))
	stream := conversation.NewReplyStream()
	j.stopAsking, j.stream = stop, stream
	j.entered = j.user.MachineToEnter(j.machine) // before EnterMachine changes j.user
	user, machine, answer := j.user, j.machine, j.answer
	return tea.Batch(j.tickLater(), func() tea.Msg {
		defer stop()
		defer stream.EndWords()
		notKept := ""
		if answer != (views.Answer{}) {
			if err := j.env.requester.KeepPlayer(answer.Name, answer.Gender); err != nil {
				notKept = "your name could not be saved: " + j.env.requester.ExplainError(err)
			}
		}
		session, err := j.env.requester.EnterMachine(ctx, user, machine, stream.AddWords)
		if err != nil {
			return screenMsg{j, j.showFailure(err)}
		}
		session.Warning = cmp.Or(session.Warning, notKept)
		return sessionReadyMsg{j, session}
	}, awaitWords(stream, j.wordsMsg(j.attempt, false)))
}

func (j *joinScreen) wordsMsg(attempt int, gathered bool) tea.Msg {
	return screenMsg{j, func() tea.Cmd { return j.showWords(attempt, gathered) }}
}

// showWords shows the streamed words of the opening. The first words wait for one frame, because a
// short opening is complete by then.
func (j *joinScreen) showWords(attempt int, gathered bool) tea.Cmd {
	if attempt != j.attempt || j.trouble != "" {
		return nil
	}
	if !gathered || j.appendWords() {
		return j.env.after(frame, j.wordsMsg(attempt, true))
	}
	return awaitWords(j.stream, j.wordsMsg(attempt, true))
}

func (j *joinScreen) appendWords() bool {
	words := j.stream.TakeWords()
	if words == "" {
		return false
	}
	if j.log == nil {
		j.log = views.NewTranscript(j.env.st)
		j.log.FromTop = true
		j.log.AddOpening(j.openingCard())
		j.log.BeginEntry(views.Entry{Kind: views.CharacterTurn, Name: j.user.Persona.CharacterName()})
	}
	j.log.AppendWords(words)
	return true
}

func (j *joinScreen) showFailure(err error) (show func() tea.Cmd) {
	return func() tea.Cmd {
		j.trouble = j.env.requester.ExplainError(err)
		if j.stream != nil {
			j.appendWords()
		}
		if j.log != nil {
			j.log.BreakOff()
		}
		return nil
	}
}

func (j *joinScreen) tickLater() tea.Cmd {
	attempt := j.attempt
	return j.env.after(time.Second, screenMsg{j, func() tea.Cmd { return j.tick(attempt) }})
}

func (j *joinScreen) tick(attempt int) tea.Cmd {
	if attempt != j.attempt || j.trouble != "" || j.form != nil {
		return nil
	}
	j.waitSeconds++
	return j.tickLater()
}

func (j *joinScreen) waitLine(words string) string {
	if notice := j.busy.text(j.env.opts.Now()); notice != "" {
		return notice
	}
	if j.waitSeconds < 2 || j.user == nil {
		return words + " …"
	}
	return fmt.Sprintf("%s … %d seconds", words, j.waitSeconds)
}

func (j *joinScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screenMsg:
		return msg.show()
	case tea.KeyMsg:
		return j.handleKey(msg)
	}
	return nil
}

func (j *joinScreen) showForm(user *conversation.UserSession) tea.Cmd {
	j.user = user
	if text := j.env.unsaid[user.Persona.ID]; text != "" && j.typed+j.early.Text() == "" {
		j.early.SetText(text)
	}
	delete(j.env.unsaid, user.Persona.ID)
	drawn := j.env.portraits.DrawPortrait(j.user.Persona)
	if j.user.IsComplete() {
		return tea.Batch(drawn, j.EnterMachine())
	}
	j.form = views.NewForm(j.env.st, j.env.keys, j.user, j.takeEarly())
	j.Resize(j.width, j.height)
	return drawn
}

func (j *joinScreen) handleKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, j.env.keys.Cancel) && j.typed != "":
		j.early.SetText(j.takeEarly())
	case key.Matches(msg, j.env.keys.Cancel):
		j.stopAsking()
		if j.user != nil {
			j.env.unsaid[j.user.Persona.ID] = j.early.Text()
		}
		return func() tea.Msg { return pickerAskedMsg{} }
	case j.trouble != "" && key.Matches(msg, j.env.keys.Send):
		return j.retry()
	case j.form != nil:
		cmd, answer, done := j.form.Update(msg)
		if !done {
			return cmd
		}
		j.env.requester.SetPlayer(j.user, answer.Name, answer.Gender)
		j.answer = answer
		return j.EnterMachine()
	case key.Matches(msg, j.env.keys.Send):
		if text := j.early.Text(); j.typed == "" && strings.TrimSpace(text) != "" {
			j.typed = text
			j.early.SetText("")
		}
	default:
		j.refused = j.early.Update(msg)
	}
	return nil
}

func (j *joinScreen) takeEarly() string {
	text := strings.Trim(j.typed+"\n"+j.early.Text(), "\n")
	j.typed = ""
	j.early.SetText("")
	return text
}

func (j *joinScreen) Resize(width, height int) {
	j.width, j.height = width, height
	j.early.Resize(min(width, widestColumn), 3)
	if j.form != nil {
		j.form.Resize(width)
	}
}

func (j *joinScreen) DrawLines() []string {
	name := "parley"
	if j.user != nil {
		name = j.user.Persona.CharacterName()
	}
	lines := []string{views.HeaderLine(j.env.st, name, j.speakingWords(), j.width), ""}
	foot := "Esc goes back to the personas"
	early := views.WrapShort(j.env.st.Bad, j.refused, min(j.width, widestColumn), 2)
	if j.typed != "" {
		foot = "Esc takes your message back"
		early = append(early, waitingLine(j.env.st, "   then: ", j.typed, true, min(j.width, widestColumn)))
	}
	if j.early.Text() != "" {
		early = append(early, j.early.DrawLines()...)
	}
	height := j.height - len(early)
	switch {
	case j.trouble != "":
		trouble := views.WrapStyled(j.env.st.Bad, j.trouble, j.width)
		if j.log != nil {
			lines = append(lines, j.wordLines(height-len(lines)-len(trouble)-1)...)
		}
		lines = append(lines, trouble...)
		foot = "Enter tries again, Esc goes back"
	case j.form != nil:
		lines = append(lines, j.form.DrawLines()...)
		foot = j.form.FootWords()
	case j.log != nil:
		lines = append(lines, j.wordLines(height-len(lines)-1)...)
	case j.user != nil:
		lines = append(lines, j.openingCard().DrawLines(j.env.st, min(j.width, views.WidestMeasure))...)
		wait := j.waitLine(j.user.Persona.CharacterName() + " is about to speak")
		lines = append(lines, "", " "+j.env.st.Faint.Render(wait))
	default:
		lines = append(lines, " "+j.env.st.Faint.Render(j.waitLine("Opening the door")))
	}
	lines = append(terminal.FitLines(lines, j.width, height-1), early...)
	return append(lines, views.FooterLine(j.env.st, foot, j.width))
}

func (j *joinScreen) speakingWords() string {
	switch {
	case j.log == nil || j.trouble != "":
		return ""
	case j.waitSeconds < 2:
		return "is speaking …"
	}
	return fmt.Sprintf("is speaking … %d s", j.waitSeconds)
}

func (j *joinScreen) wordLines(height int) []string {
	j.env.st.SetHue(j.user.Persona.Hue)
	j.log.Resize(min(j.width, widestColumn), max(height, 1))
	return j.log.DrawLines()
}

func (j *joinScreen) openingCard() *views.OpeningCard {
	j.env.st.SetHue(j.user.Persona.Hue)
	return j.env.portraits.OpeningCard(j.user, j.entered)
}

func (j *joinScreen) ApplyStyles() {
	if j.log != nil {
		j.log.ForgetLines()
	}
	j.early.ApplyStyles(j.env.st)
	if j.form != nil {
		j.form.ApplyStyles()
	}
}
