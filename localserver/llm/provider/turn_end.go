package provider

import "strings"

// turnTokens are the control tokens that end or begin a turn in common chat templates. If a server
// uses the template of another model, it leaves the tokens in the text, and the model continues as
// the player.
var turnTokens = []string{
	"<|im_end|>", "<|im_start|>", "<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<|return|>",
	"<|user|>", "<|assistant|>", "<|system|>", "<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<end_of_turn>", "<start_of_turn>",
	"[INST]", "[/INST]", "</s>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>",
}

// turnFilter ends a text at the first of the turnTokens, and drops tokens before the first word.
type turnFilter struct {
	// off is set for JSON, which is data and not filtered.
	off          bool
	held         string
	begun, ended bool
}

func (f *turnFilter) filterText(delta string, final bool) string {
	if f.off {
		return delta
	}
	var out strings.Builder
	text := f.held + delta
	f.held = ""
	for text != "" && !f.ended {
		at := strings.IndexAny(text, "<[")
		if at < 0 {
			at = len(text)
		}
		out.WriteString(text[:at])
		f.begun = f.begun || strings.TrimSpace(text[:at]) != ""
		if text = text[at:]; text != "" {
			text = f.takeMark(text, final, &out)
		}
	}
	return out.String()
}

func (f *turnFilter) takeMark(text string, final bool, out *strings.Builder) (rest string) {
	for _, token := range turnTokens {
		if behind, ok := strings.CutPrefix(text, token); ok {
			f.ended = f.begun
			return behind
		}
		if !final && strings.HasPrefix(token, text) {
			f.held = text
			return ""
		}
	}
	out.WriteString(text[:1])
	f.begun = true
	return text[1:]
}
