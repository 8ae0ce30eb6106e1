// Package lines plays a conversation as lines of text, for pipes and screen readers.
//
// Play reads one message per line and answers with lines of three shapes, in this order, on
// Options.Out:
//
//	Mira: The first line of what she says.
//	  Each further line of the same reply is indented by two spaces.
//	[At the gate] [score 2 of 3] [still going]
//	Unlocked: The cellar (cellar).
//
// The line in brackets always has three fields: the state's label; "score N of THRESHOLD", or "pass
// or fail" for a machine without points; and "still going" or "ended: accepted", "ended: rejected",
// "ended: kicked out". A program's move to the next machine is announced as "Going on to NAME."
// Everything else (questions, help, problems) goes to Options.Err.
//
// For a person (Options.Interactive) the same is printed as sentences, one fact per line and only
// the changes, as suits a screen reader: "Now: At the gate.", "Score 2 of 3, 1 more than before.",
// "1 redirect left.", "The gate ended: accepted."
//
// Lines that begin with a slash are commands (conversation.Commands); two slashes begin a message
// with one. The package imports no library for screens.
package lines
