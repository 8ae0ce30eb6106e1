package prompt

import (
	"slices"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Maximum lengths in characters. They prevent the cost of a turn from growing with the
// conversation.
const (
	maxRecent       = 80_000
	maxTranscript   = 120_000
	maxNote         = 200
	maxGivenSummary = 4_000
	shortSummary    = 400
	shortMessage    = 1_000
)

// fitMessages shortens the longest messages, so that all messages together have at most most
// characters.
func fitMessages(messages []llm.Message, most int) []llm.Message {
	sizes := make([]int, len(messages))
	for i := range messages {
		sizes[i] = utf8.RuneCountInString(messages[i].Text)
	}
	each, ok := cutLength(sizes, most)
	if ok {
		return messages
	}
	short := slices.Clone(messages)
	for i := range short {
		short[i].Text = plaintext.ClipWithin(short[i].Text, each)
	}
	return short
}

// cutLength returns the length to which longer texts must be cut, so that the sum of all lengths is
// at most limit. ok means that no text needs to be cut.
func cutLength(sizes []int, limit int) (each int, ok bool) {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		if left := len(sorted) - i; size*left > limit {
			return max(limit/left, 1), false
		}
		limit -= size
	}
	return 0, true
}

// ShortenInput shortens an input for a model with a context that is too short. It keeps the
// beginning of the summary and the second half of the messages. It cuts the messages to half of the
// total length.
func ShortenInput(input llm.Input) llm.Input {
	input.Summary = plaintext.ClipWithin(input.Summary, shortSummary)
	half := input.Recent[len(input.Recent)/2:]
	input.Recent = fitMessages(half, totalLength(input.Recent)/2)
	return input
}

// ShortenQuestion shortens the input for a judge with a context that is too short. It drops the
// conversation and keeps the beginning of the message.
func ShortenQuestion(input llm.Input) llm.Input {
	input.Recent = nil
	input.Message = plaintext.ClipWithin(input.Message, shortMessage)
	return input
}

// ShortenConversation shortens a conversation for a model with a context that is too short. It
// keeps every message, but cuts the long messages so that the total length is halved.
func ShortenConversation(messages []llm.Message) []llm.Message {
	return fitMessages(messages, min(totalLength(messages), maxTranscript)/2)
}

func totalLength(messages []llm.Message) int {
	sum := 0
	for i := range messages {
		sum += utf8.RuneCountInString(messages[i].Text)
	}
	return sum
}
