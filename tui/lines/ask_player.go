package lines

import (
	"strings"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

const defaultName = "Player"

func (p *player) askPlayer() error {
	who := &p.User.Saved
	if !p.opts.Interactive {
		if who.PlayerName == "" {
			who.PlayerName = defaultName
		}
		return nil
	}
	name, err := p.askName()
	if err != nil {
		return err
	}
	gender, err := p.askGender()
	if err != nil || name == "" && gender == "" {
		return err
	}
	p.requester.SetPlayer(p.User, name, gender)
	if err := p.requester.KeepPlayer(name, gender); err != nil {
		p.writeTalk("Your name could not be saved: %s", conversation.EndSentence(p.requester.ExplainError(err)))
		return nil
	}
	if name != "" {
		p.writeTalk("%s", conversation.KeptName)
	}
	return nil
}

func (p *player) askName() (string, error) {
	if !p.User.NeedsName() {
		return "", nil
	}
	prompt := "How shall " + p.User.Persona.CharacterName() + " call you? "
	if p.opts.SuggestedName != "" {
		prompt += "Enter for " + terminal.Clean(p.opts.SuggestedName) + ": "
	}
	for {
		line, err := p.askLine(prompt)
		if err != nil {
			return "", err
		}
		name := strings.TrimSpace(line.text)
		switch {
		case line.tooLong || terminal.CountCharacters(name) > wire.MaxPlayerName:
			p.writeTalk("A name can have at most %d characters.", wire.MaxPlayerName)
		case name != "":
			return name, nil
		case p.opts.SuggestedName != "":
			return p.opts.SuggestedName, nil
		}
	}
}

// askGender asks for the player's gender if the persona's texts depend on it. An empty line selects
// the last of wire.Genders.
func (p *player) askGender() (string, error) {
	if !p.User.NeedsGender() {
		return "", nil
	}
	p.writeTalk("%s", p.User.GenderReason())
	p.writeTalk("1. female  2. male  3. non-binary")
	usual := len(wire.Genders) - 1
	i, err := p.askNumber("You are, by number: ", len(wire.Genders), usual)
	if err != nil {
		return "", err
	}
	return wire.Genders[i], nil
}

func (p *player) rename(name string) error {
	switch {
	case name == "":
		p.writeTalk("%s", conversation.NameWords(p.User.Saved.PlayerName))
		return nil
	case terminal.CountCharacters(name) > wire.MaxPlayerName:
		p.writeTalk("A name can have at most %d characters.", wire.MaxPlayerName)
		return nil
	}
	p.requester.SetPlayer(p.User, name, "")
	if err := p.requester.RenamePlayer(p.User.Saved); err != nil {
		return err
	}
	p.writeTalk("%s", conversation.NameNews(name))
	return nil
}
