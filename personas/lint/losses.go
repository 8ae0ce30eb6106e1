package lint

import "github.com/parley-npc/parley/personas"

// The checks of what YAML reads otherwise than it was meant, without a fault. They look at
// the text and not at the document, so that only File runs them.

var textSplit = Check{
	Name: "text-split", Severity: Warning, loss: personas.TextSplit,
	Summary: "A sentence in brackets becomes a list at its commas.",
	Why: "[Well, hello there, friend] is no sentence but three texts, of which the character says one, or which stand for three things that a player says. " +
		"Put the sentence in quotes, inside of the brackets. A list of short texts is not reported: only what begins with a capital letter and goes on in small ones, or ends as one sentence does.",
	Good: "redirect: [\"What town is this?\"]", Bad: "redirect: [Well, what town is this?]",
}

var textCut = Check{
	Name: "text-cut", Severity: Warning, loss: personas.TextCut,
	Summary: "A text without quotes ends at a # behind a space, and in braces at a comma.",
	Why: "In YAML a # behind a space begins a comment, so that \"Berth #4\" without quotes is Berth; and {description: for the game, not for texts} has a member \"not for texts\". " +
		"Half of the text is gone, and nothing else tells. Put the whole text in quotes. A comment that is meant has a space behind its #.",
	Good: "label: Inside the walls", Bad: "label: Gate #4",
}

var linesJoined = Check{
	Name: "lines-joined", Severity: Warning, loss: personas.LinesJoined,
	Summary: "A text of several lines becomes one line where | does not stand in front of it.",
	Why: "YAML joins the lines of a text, with quotes, without them and behind >, so that a list in a prompt becomes one long sentence with dashes in it. Models read that worse, and so do people. " +
		"Put | behind the member's name, and the text indented on the lines below.",
	Good: "description: Keeps the gate after dark.\n", Bad: "description: Keeps the gate\n  - after dark\n  - in the rain\n",
}

var curlyQuotes = Check{
	Name: "curly-quotes", Severity: Warning, loss: personas.CurlyQuotes,
	Summary: "The curly quotes of a word processor are letters of the text.",
	Why: "YAML knows only the straight quotes of a keyboard. With curly ones around it, a text is read with the quotes as a part of it, a comma or a # in it is not protected, and players see the quotes. " +
		"Write straight ones; curly ones within a text are not reported.",
	Good: "label: Inside the walls", Bad: "label: “Inside the walls”",
}
