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
// The line in brackets always has three fields. The first is the state's title. The second is
// "score N of THRESHOLD", or "pass or fail" for a machine without points. The third is "still
// going", "ended: accepted", "ended: rejected" or "ended: kicked out". If the next machine starts
// automatically, the line "Continuing with NAME." precedes its opening. Everything else (questions,
// help, problems) goes to Options.Err.
//
// For a person (Options.Interactive) Play prints only the changes, one sentence per line, because
// that suits a screen reader: "Now: At the gate.", "Score 2 of 3, 1 more than before.", "1 redirect
// left.", "The gate ended: accepted."
//
// A line that begins with a slash is a command (conversation.Commands). A line that
// begins with two slashes is a message that begins with one slash. The package does not
// import a terminal UI library.
package lines
