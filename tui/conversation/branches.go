package conversation

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// TakenBack is the result of a move to another branch. Words is the first message that was taken
// back, or "".
type TakenBack struct {
	Session *Session
	Words   string
}

// Slip is an error in the player's input. The text is shown to the player.
type Slip string

// Error returns the message.
func (s Slip) Error() string { return string(s) }

const errNothingToRedo = Slip("there is nothing to redo: nothing was taken back here, or you have sent a message since")

const errOtherPart = Slip("that message belongs to another part: go there with /parts first")

// ParseCount parses a number of messages. An empty arg means 1.
func ParseCount(arg string) (int, error) {
	if arg == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return 0, Slip(fmt.Sprintf("%q is not a number of messages: write 1, 2 and so on", terminal.Clean(arg)))
	}
	return n, nil
}

// TakeBack removes the player's last count messages. The chat continues in a new branch. RedoTurn
// returns to the old branch.
func (r *Requester) TakeBack(ctx context.Context, user *UserSession, session *Session, count int) (TakenBack, error) {
	messages := playerMessages(session)
	if len(messages) == 0 {
		return TakenBack{}, Slip("you have said nothing here yet")
	}
	if count > len(messages) {
		return TakenBack{}, Slip(fmt.Sprintf("you have said only %s here", CountWords(len(messages), "message")))
	}
	index := len(messages) - count
	back, err := r.branchOff(ctx, user, session.Machine, wire.Fork{At: index})
	return TakenBack{back, messages[index]}, err
}

func playerMessages(session *Session) []string {
	var messages []string
	for i := range session.Messages {
		if session.Messages[i].Role == wire.RoleUser {
			messages = append(messages, session.Messages[i].Content)
		}
	}
	return messages
}

func (r *Requester) branchOff(ctx context.Context, user *UserSession, m *Machine, body wire.Fork) (*Session, error) {
	callCtx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	body.UserSessionID = user.Saved.UserSessionID
	branch, err := r.Service.Fork(callCtx, user.Persona.ID, m.ID, body)
	if err != nil {
		return nil, err
	}
	return r.moveTo(ctx, user, branch.UserSessionID, m.ID)
}

// RedoTurn returns to the branch that TakeBack left. If the present branch has new messages,
// RedoTurn returns a Slip.
func (r *Requester) RedoTurn(ctx context.Context, user *UserSession) (TakenBack, error) {
	list, err := r.ListBranches(ctx, user)
	if err != nil {
		return TakenBack{}, err
	}
	for i := range list {
		b := &list[i]
		if b.UserSessionID != user.Saved.UserSessionID {
			continue
		}
		if b.Parent == nil || b.ForkedAt == nil || b.ForkedMachineKey == nil {
			break
		}
		if b.Turn != *b.ForkedAt || b.MachineKey != *b.ForkedMachineKey {
			break
		}
		session, err := r.moveTo(ctx, user, *b.Parent, user.Persona.FindMachine(*b.ForkedMachineKey).ID)
		return TakenBack{Session: session}, err
	}
	return TakenBack{}, errNothingToRedo
}

func (r *Requester) moveTo(ctx context.Context, user *UserSession, userSession, machine string) (*Session, error) {
	before := user.Saved
	saved, _ := r.Memory.Recall(user.Persona.ID)
	user.Saved.UserSessionID = userSession
	session, err := r.resumeMachine(ctx, user, machine)
	if err != nil {
		user.Saved = before
		return nil, err
	}
	if saved.UserSessionID == before.UserSessionID && saved.Label != "" {
		_ = r.Memory.Rename(user.Persona.ID, userSession, saved.Label) // An error loses only the label.
	}
	_ = r.Memory.Forget(user.Persona.ID, before.UserSessionID)
	return session, nil
}

// ForkSession saves a branch without the player's last count messages. The chat stays in the
// present branch.
func (r *Requester) ForkSession(
	ctx context.Context, user *UserSession, session *Session, count int, label string,
) (wire.Branch, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	index := len(playerMessages(session)) - count
	if index < 0 {
		return wire.Branch{}, errOtherPart
	}
	body := wire.Fork{UserSessionID: user.Saved.UserSessionID, At: index, Name: label}
	return r.Service.Fork(ctx, user.Persona.ID, session.Machine.ID, body)
}

// ListBranches lists the branches of the conversation, in order of creation.
func (r *Requester) ListBranches(ctx context.Context, user *UserSession) ([]wire.Branch, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	tree, err := r.Service.Branches(ctx, user.Persona.ID, user.Saved.UserSessionID)
	return tree.Branches, err
}

// EnterBranch continues in another branch. number is the position in ListBranches, from 1.
func (r *Requester) EnterBranch(ctx context.Context, user *UserSession, number int) (*Session, error) {
	list, err := r.ListBranches(ctx, user)
	if err != nil {
		return nil, err
	}
	if number < 1 || number > len(list) {
		return nil, Slip(fmt.Sprintf("there are %d branches: /branches lists them", len(list)))
	}
	b := &list[number-1]
	return r.moveTo(ctx, user, b.UserSessionID, b.MachineID)
}

// BranchLines formats the branches as a numbered, indented tree.
func BranchLines(user *UserSession, list []wire.Branch) []string {
	depth, lines := map[string]int{}, make([]string, len(list))
	for i := range list {
		b := &list[i]
		if b.Parent != nil {
			depth[b.UserSessionID] = depth[*b.Parent] + 1
		}
		words := DescribeBranch(user.Persona, b)
		if b.ForkedAt != nil {
			words += fmt.Sprintf(", from message %d", *b.ForkedAt)
		}
		if b.UserSessionID == user.Saved.UserSessionID {
			words += ", here"
		}
		lines[i] = fmt.Sprintf("%s%d. %s", strings.Repeat("  ", depth[b.UserSessionID]), i+1, words)
	}
	return lines
}

// DescribeBranch returns a branch's label, part, score or ending, and number of messages.
func DescribeBranch(p *Persona, b *wire.Branch) string {
	standing := Standing{State: b.CurrentState, Score: b.Score, Outcome: wire.TextOf(b.Outcome)}
	words := p.FindMachine(b.MachineID).placeWords(standing) + ", " + CountWords(b.Turn, "message")
	if b.Label != "" {
		words = `"` + terminal.Clean(b.Label) + `", ` + words
	}
	return words
}

const (
	WordsTakenBack   = "Your message is taken back and in the input again, and its try is yours again; /redo undoes this."
	WordsBroughtBack = "The turns are restored."
	JudgeAgain       = "--judge"
)
