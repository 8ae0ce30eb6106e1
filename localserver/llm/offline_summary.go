package llm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxSummary = 1000 // characters
	maxItem    = 120  // characters of one thing that was said
	maxEarlier = 300  // characters of a summary that is not in this model's form
	itemStart  = "- "
	headVerb   = " talks with "
	headEnd    = "The player said:"
)

// Summarize tells who talks where and quotes what the player said, shortened,
// the latest last. It has at most 1,000 characters however long the
// conversation is: the oldest quotations go first. A summary in another form
// is kept, shortened, as the oldest of them.
func (o *Offline) Summarize(ctx context.Context, input Input, messages []Message) (GeneratedText, error) {
	if err := ctx.Err(); err != nil {
		return GeneratedText{}, err
	}
	items := earlierQuotes(input.Summary)
	for _, u := range playerUtterances(Input{}, messages) {
		items = append(items, itemStart+plaintext.ClipWithin(u.said, maxItem))
	}
	head := summaryHead(input, messages)
	room := maxSummary - utf8.RuneCountInString(head)
	first := len(items)
	for first > 0 && room > utf8.RuneCountInString(items[first-1]) {
		first--
		room -= utf8.RuneCountInString(items[first]) + 1
	}
	return GeneratedText{Text: strings.Join(append([]string{head}, items[first:]...), "\n")}, nil
}

// summaryHead says who talks where. It calls the player by the name that he has said,
// and so keeps that name for when its message is gone.
func summaryHead(input Input, messages []Message) string {
	where := ""
	input.Recent = append(slices.Clone(messages), input.Recent...)
	player := cmp.Or(input.calledName(), "The player")
	if input.Machine != nil {
		where = " in " + plaintext.ClipWithin(input.Machine.Title(), maxItem)
	}
	return fmt.Sprintf("%s"+headVerb+"%s%s, now at %s. "+headEnd,
		plaintext.ClipWithin(player, maxItem), plaintext.ClipWithin(speakerName(input), maxItem), where, plaintext.ClipWithin(stateTitle(input.State), maxItem))
}

// earlierQuotes returns the quotations of a previous summary.
func earlierQuotes(summary string) []string {
	var items []string
	for l := range strings.Lines(summary) {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, itemStart) {
			items = append(items, plaintext.ClipWithin(l, maxItem+len(itemStart)))
		}
	}
	if summary = strings.TrimSpace(summary); len(items) == 0 && summary != "" && !strings.HasSuffix(summary, headEnd) {
		items = append(items, itemStart+plaintext.ClipWithin(strings.Join(strings.Fields(summary), " "), maxEarlier))
	}
	return items
}
