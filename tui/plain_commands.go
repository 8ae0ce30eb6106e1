package tui

import (
	"context"
	"errors"
	"strings"
)

// lineActions are what line mode does for the commands.
type lineActions struct{ *plain }

// obey does a command.
func (p *plain) obey(c *Command[error], arg string) error {
	p.sure = p.sure && c.Name == CommandReset
	return c.Run(lineActions{p}, arg)
}

// ShowHelp lists the commands that line mode has.
func (a lineActions) ShowHelp(string) error {
	for _, c := range Commands[error]() {
		switch {
		case c.ScreenOnly:
		case a.opts.Interactive:
			a.tell("/%s: %s%s", c.Name, c.Help, c.DescribeArgs())
		default:
			a.tell("%s: %s", c.LineUsage(), c.Help)
		}
	}
	return nil
}

// LeaveChat ends the play.
func (a lineActions) LeaveChat(string) error { return errLeave }

// CopyMessage, EditMessage and ChooseTheme are for a screen.
func (a lineActions) CopyMessage(string) error { return a.refuse("copy") }

// EditMessage is refused as CopyMessage is.
func (a lineActions) EditMessage(string) error { return a.refuse("edit") }

// ChooseTheme is refused as CopyMessage is.
func (a lineActions) ChooseTheme(string) error { return a.refuse("theme") }

// refuse says that a command is the full screen's.
func (a lineActions) refuse(command string) error {
	a.tell("/%s needs the full screen: start the chat in a terminal without --plain.", command)
	return nil
}

// GoToMachine lists the machines, or goes to the one that is named.
func (a lineActions) GoToMachine(arg string) error {
	return a.failing("the machines could not be read", a.goToMachine(arg))
}

func (a lineActions) goToMachine(arg string) error {
	places, _, err := a.desk.places(a.ctx, a.visit)
	if err != nil {
		return err
	}
	if arg == "" {
		a.put("%s", strings.Join(placeLines(places), "\n"))
		if a.opts.Interactive {
			a.put("You are in %s.", a.scene.machine.title)
		}
		return nil
	}
	at, err := findPlace(places, arg)
	if err != nil { // A slip of the player's, not a failure: play goes on.
		a.tell("%s.", capital(err.Error()))
		return nil
	}
	return a.goTo(at.id, a.desk.enter)
}

// ShowProgress says what has been ended and what is open.
func (a lineActions) ShowProgress(string) error {
	return a.failing("the progress could not be read", a.sayProgress())
}

func (a lineActions) sayProgress() error {
	places, progress, err := a.desk.places(a.ctx, a.visit)
	if err != nil {
		return err
	}
	a.put("%s", strings.Join(progressWords(progress, places), "\n"))
	return nil
}

// ShowHistory says all messages again.
func (a lineActions) ShowHistory(string) error {
	return a.failing("the history could not be read", a.sayHistory())
}

func (a lineActions) sayHistory() error {
	seen, err := a.desk.look(a.ctx, a.visit, a.scene)
	if err != nil {
		return err
	}
	for _, m := range seen.messages {
		a.put("%s", spoken(speaker(a.visit, m.Role), m.Content))
	}
	return nil
}

// ResetSession begins the machine anew.
func (a lineActions) ResetSession(string) error {
	return a.failing("not reset", a.resetMachine())
}

// reset asks somebody who sits there to say it twice.
func (a lineActions) resetMachine() error {
	if a.opts.Interactive && !a.sure {
		a.sure = true
		a.tell("%s", resetWarning(a.scene.machine))
		return nil
	}
	a.sure = false
	sc, err := a.desk.reset(a.ctx, a.visit, a.scene.machine)
	if err != nil {
		return err
	}
	a.show(sc)
	return nil
}

// ExplainTurns tells the author why the last turn went as it did.
func (a lineActions) ExplainTurns(string) error {
	return a.failing("why is not told", a.why(whyLines))
}

// DirectModel lists what words can do in the present state, or does one of it.
func (a lineActions) DirectModel(arg string) error {
	return a.failing("not directed", a.directModel(arg))
}

// direct lists what words can do in the present state, or does one of it.
func (a lineActions) directModel(arg string) error {
	if a.scene.at.finished() {
		a.tell("%s has ended: there is nothing to direct.", a.scene.machine.title)
		return nil
	}
	if !a.opts.Directed {
		if err := a.desk.directable(a.ctx, a.visit, a.scene.machine); err != nil {
			return err
		}
	}
	list := a.scene.machine.verdicts(a.scene.at)
	if arg == "" {
		a.put("%s", strings.Join(verdictLines(list), "\n"))
		return nil
	}
	text, err := directedAs(list, arg)
	if err != nil { // A slip of the player's, not a failure: play goes on.
		a.tell("%s.", capital(err.Error()))
		return nil
	}
	return a.say(a.desk.newTurn(text))
}

// ExportRecord writes what was said into a file.
func (a lineActions) ExportRecord(arg string) error { return a.saveWith(a.desk.export, arg) }

// SavePlay saves what was said as a play-through.
func (a lineActions) SavePlay(arg string) error { return a.saveWith(a.desk.savePlay, arg) }

// saveWith writes a file and says what was written.
func (a lineActions) saveWith(write func(context.Context, *visit, Options, string) ([]string, error), arg string) error {
	said, err := write(a.ctx, a.visit, a.opts, arg)
	if errors.Is(err, errNoFormat) { // A slip of the player's, not a failure: play goes on.
		a.tell("%s.", capital(err.Error()))
		return nil
	}
	for _, line := range said {
		a.tell("%s", Clean(line))
	}
	return a.failing("not saved", err)
}
