package persona

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/diff"
)

// markdownDiff is a difference for a pull request.
func markdownDiff(d *Difference) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", markdownPlain(d.After))
	if d.Same {
		fmt.Fprintf(&b, "Compared with %s: %s.\n", markdownPlain(d.Before), d.sameText())
		return b.String()
	}
	fmt.Fprintf(&b, "Compared with %s: %s.\n", markdownPlain(d.Before), cli.Pluralize(len(d.Changes), "change"))
	group := ""
	for _, c := range d.Changes {
		if head := groupHead(c); head != group {
			group = head
			fmt.Fprintf(&b, "\n**%s**\n\n", markdownPlain(head))
		}
		markdownChange(&b, c)
	}
	markdownEffects(&b, d)
	return b.String()
}

func markdownChange(b *strings.Builder, c diff.Change) {
	thing := markdownPlain(thingName(c))
	named := thing
	if named == "" {
		named = "machine " + markdownPlain(c.Name)
	}
	switch c.Kind {
	case diff.Added, diff.Removed:
		fmt.Fprintf(b, "- **%s** %s\n", c.Kind, named)
	case diff.Renamed:
		fmt.Fprintf(b, "- **renamed** %s, before: %s\n", named, markdownPlain(plainValue(c.Before)))
	case diff.Reordered:
		fmt.Fprintf(b, "- %s\n", orderChangeText(c, thing))
	default:
		what := strings.TrimPrefix(thing+", "+markdownPlain(c.Member), ", ")
		switch {
		case c.Items != nil:
			fmt.Fprintf(b, "- %s\n", what)
			for _, p := range c.Items {
				fmt.Fprintf(b, "  - %s\n", markdownPiece(p))
			}
		case c.Words != nil:
			fmt.Fprintf(b, "- %s: %s\n", what, markdownWords(c.Words))
		default:
			fmt.Fprintf(b, "- %s: %s → %s\n", what, markdownPlain(plainValue(c.Before)), markdownPlain(plainValue(c.After)))
		}
	}
}

func markdownWords(pieces []diff.Piece) string {
	var b strings.Builder
	for i, p := range pieces {
		if p.Op == diff.Keep {
			p.Text = clipUnchanged(p.Text, i == 0, i == len(pieces)-1)
		}
		b.WriteString(markdownPiece(p))
	}
	return strings.TrimSpace(b.String())
}

// markdownPiece formats a piece in one line; removed and added text is marked with HTML that
// Markdown supports.
func markdownPiece(p diff.Piece) string {
	switch p.Op {
	case diff.Delete:
		return "<del>" + markdownSpaced(showBreaks(p.Text)) + "</del>"
	case diff.Insert:
		return "<ins>" + markdownSpaced(showBreaks(p.Text)) + "</ins>"
	}
	return markdownSpaced(p.Text)
}

// markdownSpaced is markdownPlain with the spaces at both ends.
func markdownSpaced(text string) string {
	lead, tail := "", ""
	if plain := strings.TrimLeft(text, " \t\r\n"); plain != text {
		lead = " "
	}
	if plain := strings.TrimRight(text, " \t\r\n"); plain != text && strings.TrimSpace(text) != "" {
		tail = " "
	}
	return lead + markdownPlain(text) + tail
}

// markdownPlain returns text as one line, escaped so that no @ mentions anybody and no character
// formats anything.
func markdownPlain(text string) string {
	return strings.NewReplacer("@", "&#64;", "~", "\\~", "#", "\\#").Replace(personafiles.EscapeMarkdown(text))
}

func markdownEffects(b *strings.Builder, d *Difference) {
	if len(d.Effects) > 0 {
		b.WriteString("\n**What it means for players**\n\n")
	}
	for _, e := range d.Effects {
		word := map[diff.Turn]string{diff.Gained: "gained", diff.Moved: "moved"}[e.Turn]
		if word == "" {
			word = "lost"
		}
		fmt.Fprintf(b, "- **%s** %s\n", word, markdownPlain(e.Text()))
	}
	if d.Unproved != "" {
		fmt.Fprintf(b, "\nWhat it means for players is not known: %s.\n", markdownPlain(d.Unproved))
	}
}
