package scripted

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxSummary = 1000
	maxItem    = 120
	maxEarlier = 300 // characters of a summary by another model
	itemStart  = "- "
	headVerb   = " talks with "
	headEnd    = "The player said:"
	nobody     = "The player"
)

// Summarize returns a text of at most 1,000 characters about the character, the place and the
// player. The player's latest messages follow, each shortened. A shortened summary by another model
// precedes the messages.
func (m *Model) Summarize(ctx context.Context, input llm.Input, messages []llm.Message) (llm.GeneratedText, error) {
	if err := ctx.Err(); err != nil {
		return llm.GeneratedText{}, err
	}
	items := earlierQuotes(input.Summary)
	for _, u := range playerUtterances(llm.Input{}, messages) {
		items = append(items, itemStart+plaintext.ClipWithin(u.text, maxItem))
	}
	input.Recent = append(slices.Clone(messages), input.Recent...)
	head := summaryHead(m.sceneOf(input))
	room := maxSummary - utf8.RuneCountInString(head)
	first := len(items)
	for first > 0 && room > utf8.RuneCountInString(items[first-1]) {
		first--
		room -= utf8.RuneCountInString(items[first]) + 1
	}
	return llm.GeneratedText{Text: strings.Join(append([]string{head}, items[first:]...), "\n")}, nil
}

func summaryHead(s *scene) string {
	where := ""
	if s.Machine != nil {
		where = " in " + plaintext.ClipWithin(s.Machine.Title(), maxItem)
	}
	player := plaintext.ClipWithin(cmp.Or(s.playerName(), nobody), maxItem)
	character := plaintext.ClipWithin(s.personaName(), maxItem)
	state := plaintext.ClipWithin(stateTitle(s.State), maxItem)
	return fmt.Sprintf("%s"+headVerb+"%s%s, now at %s. "+headEnd, player, character, where, state)
}

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
