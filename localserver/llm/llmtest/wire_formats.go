package llmtest

import (
	"encoding/json"
	"math"
	"strings"
)

type event struct {
	name  string
	value any
	data  string
}

type jsonObject = map[string]any

type wireFormat struct {
	contentType string
	complete    func(Request, Script) any
	stream      func(Request, Script) (begin, pieces, end []event)
	failure     func(Failure) event
}

var wireFormats = map[Format]wireFormat{
	OpenAI:    {"text/event-stream", openAIWhole, openAIStream, openAIFailure},
	Anthropic: {"text/event-stream", anthropicWhole, anthropicStream, anthropicFailure},
	Gemini:    {"text/event-stream", geminiWhole, geminiStream, geminiFailure},
	Ollama:    {"application/x-ndjson", ollamaWhole, ollamaStream, ollamaFailure},
}

func (s Script) fullText() string { return strings.Join(s.textPieces(), "") }

func (s Script) finishReason(stop, length, refused string) string {
	switch s.Finish {
	case "length":
		return length
	case "refused":
		return refused
	}
	return stop
}

func openAIUsage(s Script) jsonObject {
	usage := jsonObject{"prompt_tokens": s.In, "completion_tokens": s.Out, "total_tokens": s.In + s.Out}
	if s.Cached > 0 {
		usage["prompt_tokens_details"] = jsonObject{"cached_tokens": s.Cached}
	}
	return usage
}

func (s Script) logprobs() []any {
	first := s.First
	if word, _, _ := strings.Cut(strings.TrimSpace(s.fullText()), " "); first == nil {
		first = []Token{{word, 1}}
	}
	top := []any{}
	for _, t := range first {
		top = append(top, jsonObject{"token": t.Text, "logprob": math.Log(max(t.Probability, 1e-30))})
	}
	return []any{jsonObject{"token": s.fullText(), "logprob": 0, "top_logprobs": top}}
}

func openAIWhole(r Request, s Script) any {
	choice := jsonObject{
		"index": 0, "message": jsonObject{"role": "assistant", "content": s.fullText()},
		"finish_reason": s.finishReason("stop", "length", "content_filter"),
	}
	if r.Logprobs {
		choice["logprobs"] = jsonObject{"content": s.logprobs()}
	}
	return jsonObject{
		"id": "chatcmpl-1", "object": "chat.completion", "model": r.Model, "choices": []any{choice},
		"usage": openAIUsage(s),
	}
}

func openAIStream(r Request, s Script) (begin, pieces, end []event) {
	chunk := func(delta jsonObject, finish any) event {
		choice := jsonObject{"index": 0, "delta": delta, "finish_reason": finish}
		return event{value: jsonObject{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": r.Model, "choices": []any{choice},
		}}
	}
	for _, piece := range s.textPieces() {
		pieces = append(pieces, chunk(jsonObject{"content": piece}, nil))
	}
	end = []event{chunk(jsonObject{}, s.finishReason("stop", "length", "content_filter"))}
	if strings.Contains(string(r.Body), "include_usage") {
		end = append(end, event{value: jsonObject{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": []any{}, "usage": openAIUsage(s),
		}})
	}
	begin = []event{chunk(jsonObject{"role": "assistant", "content": ""}, nil)}
	return begin, pieces, append(end, event{data: "[DONE]"})
}

func openAIFailure(f Failure) event {
	inner := jsonObject{"message": f.Message, "type": f.Type, "param": nil, "code": nil}
	if f.Code != "" {
		inner["code"] = f.Code
	}
	return event{value: jsonObject{"error": inner}}
}

func anthropicWhole(r Request, s Script) any {
	finish := s.finishReason("end_turn", "max_tokens", "refusal")
	content := []any{}
	if text := s.fullText(); text != "" {
		content = append(content, jsonObject{"type": "text", "text": text})
	}
	if strings.Contains(string(r.Body), `"tool_choice"`) && json.Valid([]byte(s.fullText())) {
		content = []any{jsonObject{
			"type": "tool_use", "id": "toolu_1", "name": r.SchemaName, "input": json.RawMessage(s.fullText()),
		}}
		finish = s.finishReason("tool_use", "max_tokens", "refusal")
	}
	return jsonObject{
		"id": "msg_1", "type": "message", "role": "assistant", "model": r.Model, "content": content,
		"stop_reason": finish,
		"usage":       jsonObject{"input_tokens": s.In, "output_tokens": s.Out},
	}
}

func anthropicStream(r Request, s Script) (begin, pieces, end []event) {
	add := func(list []event, kind string, members jsonObject) []event {
		members["type"] = kind
		return append(list, event{name: kind, value: members})
	}
	message := jsonObject{
		"id": "msg_1", "type": "message", "role": "assistant", "model": r.Model, "content": []any{},
		"usage": jsonObject{"input_tokens": s.In, "output_tokens": 1},
	}
	begin = add(begin, "message_start", jsonObject{"message": message})
	begin = add(begin, "content_block_start", jsonObject{
		"index": 0, "content_block": jsonObject{"type": "text", "text": ""},
	})
	begin = add(begin, "ping", jsonObject{})
	for _, piece := range s.textPieces() {
		pieces = add(pieces, "content_block_delta", jsonObject{
			"index": 0, "delta": jsonObject{"type": "text_delta", "text": piece},
		})
	}
	end = add(end, "content_block_stop", jsonObject{"index": 0})
	end = add(end, "message_delta", jsonObject{
		"delta": jsonObject{"stop_reason": s.finishReason("end_turn", "max_tokens", "refusal")},
		"usage": jsonObject{"output_tokens": s.Out},
	})
	return begin, pieces, add(end, "message_stop", jsonObject{})
}

func anthropicFailure(f Failure) event {
	return event{name: "error", value: jsonObject{
		"type": "error", "error": jsonObject{"type": f.Type, "message": f.Message}, "request_id": "req_1",
	}}
}

func geminiCandidate(text, finish string) jsonObject {
	candidate := jsonObject{
		"index": 0, "content": jsonObject{"role": "model", "parts": []any{jsonObject{"text": text}}},
	}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return jsonObject{"candidates": []any{candidate}, "modelVersion": "double"}
}

func geminiWhole(_ Request, s Script) any {
	answer := geminiCandidate(s.fullText(), s.finishReason("STOP", "MAX_TOKENS", "SAFETY"))
	if s.Finish == "refused" && s.fullText() == "" {
		answer = jsonObject{"promptFeedback": jsonObject{"blockReason": "PROHIBITED_CONTENT"}}
	}
	answer["usageMetadata"] = jsonObject{
		"promptTokenCount": s.In, "candidatesTokenCount": s.Out, "totalTokenCount": s.In + s.Out,
	}
	return answer
}

func geminiStream(r Request, s Script) (begin, pieces, end []event) {
	for _, piece := range s.textPieces() {
		pieces = append(pieces, event{value: geminiCandidate(piece, "")})
	}
	s.Pieces, s.Text = []string{}, ""
	return nil, pieces, []event{{value: geminiWhole(r, s)}}
}

func geminiFailure(f Failure) event {
	inner := jsonObject{"code": f.Status, "message": f.Message, "status": f.Type}
	if f.Code != "" {
		inner["details"] = []any{jsonObject{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": f.Code, "domain": "googleapis.com",
		}}
	}
	return event{value: jsonObject{"error": inner}}
}

func ollamaWhole(r Request, s Script) any {
	answer := jsonObject{
		"model": r.Model, "message": jsonObject{"role": "assistant", "content": s.fullText()}, "done": true,
		"done_reason": s.finishReason("stop", "length", "stop"), "prompt_eval_count": s.In, "eval_count": s.Out,
	}
	if r.Logprobs {
		answer["logprobs"] = s.logprobs()
	}
	return answer
}

func ollamaStream(r Request, s Script) (begin, pieces, end []event) {
	for _, piece := range s.textPieces() {
		message := jsonObject{"role": "assistant", "content": piece}
		pieces = append(pieces, event{value: jsonObject{"model": r.Model, "message": message, "done": false}})
	}
	s.Pieces, s.Text = []string{}, ""
	return nil, pieces, []event{{value: ollamaWhole(r, s)}}
}

func ollamaFailure(f Failure) event { return event{value: jsonObject{"error": f.Message}} }
