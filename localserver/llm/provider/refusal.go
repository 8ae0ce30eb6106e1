package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// The body is {"error": {...}}, {"error": "text"}, an object with top-level members, or a list with
// an object. Proxies mix these forms.
type refusal struct {
	message string
	words   string
	status  int
	wait    time.Duration
	flagged bool
}

type refusalRule struct {
	statuses []int
	words    []string
	failure  failure
}

// The order matters, because OpenAI also returns 429 for missing credit, and Gemini 400 for an
// invalid key.
var refusalRules = []refusalRule{
	{
		words: []string{
			"content_filter", "content_policy_violation", "content management policy", "prompt was flagged",
			"input was flagged", "requires moderation",
		},
		failure: failure{refused: true},
	},
	{
		statuses: []int{402},
		words: []string{
			"insufficient_quota", "credit balance", "insufficient balance", "insufficient credits", "no credits",
			"billing_hard_limit",
			"insufficient_balance", "used all available credits", "billing_error", "billing_not_active",
		},
		failure: failure{kind: NoCredit, problem: "there is no credit left for the key"},
	},
	{
		statuses: []int{413},
		words: []string{
			"context_length_exceeded", "context length", "context window", "context size", "exceed_context_size",
			"prompt is too long",
			"input is too long", "too many tokens", "maximum number of tokens", "request_too_large",
			"request too large", "string_above_max_length", "reduce the length", "too large for model",
		},
		failure: failure{kind: TooLong},
	},
	{
		words:   []string{"perdayper", "requests per day", "tokens per day", "-per-day"},
		failure: failure{kind: Quota, problem: "the quota of this day is used up for the key"},
	},
	{
		statuses: []int{429},
		words:    []string{"rate_limit", "resource_exhausted", "too_many_requests"},
		failure:  failure{kind: Quota, retryable: true},
	},
	{
		words:   []string{"json_validate_failed"},
		failure: failure{kind: Down, retryable: true, problem: "the model did not answer in the required form"},
	},
	{
		words: []string{
			"model_not_found", "model_not_available", "model_decommissioned", "invalid_model", "not a valid model",
			"model not exist", "model_not_exist",
			"no such model", "invalid model", "does not exist or you do not have access",
			"is not found for api version", "unknown model",
			"unknown_model", "model_deprecated",
		},
		failure: failure{kind: NoModel},
	},
	{
		words: []string{
			"unsupported_country", "country, region, or territory not supported", "location is not supported",
		},
		failure: failure{kind: BadRequest, problem: "the provider does not serve the country of the caller"},
	},
	{
		statuses: []int{401, 403},
		words: []string{
			"invalid_api_key", "authentication_error", "api_key_invalid", "permission_error", "permission_denied",
			"unauthenticated", "incorrect api key", "invalid api key", "api key not valid", "api_key_service_blocked",
		},
		failure: failure{kind: KeyRefused},
	},
	{
		// Ollama returns 500 for a schema that has no grammar.
		words: []string{
			"invalid json schema in format", "a valid json schema object", "vocabulary required for format",
		},
		failure: failure{kind: BadRequest},
	},
}

// Local servers also report a missing model as "api_error", so passingWords apply only to an
// unknown status.
var passingWords = []string{"overloaded_error", "api_error", "timeout_error", "server_error", "unavailable", "internal"}

const (
	noSuchPath = "the server has no API at this path"
	pathHint   = "give the part of the address before the call, such as http://127.0.0.1:4000/v1"
)

var pathWords = []string{
	"invalid url", "unknown url", "unknown request url", "unexpected endpoint", "no route", "route not found",
	"cannot post", "file not found", "page not found",
	"path not found", "no such endpoint", "unknown endpoint", "the requested url", "unrecognized request url",
}

func isMissingPath(r refusal) bool {
	message := strings.ToLower(strings.Trim(r.message, " ."))
	return message == "not found" || mentionsAny(message, pathWords)
}

func readRefusal(status int, header http.Header, body []byte, now time.Time) *failure {
	r, ok := parseRefusal(body)
	failed := classifyRefusal(status, r)
	failed.status, failed.providerText = status, r.message
	failed.wait = max(readRetryAfter(header, now), r.wait)
	if status == http.StatusForbidden && !ok {
		// The error page of a gateway does not mean that the key is invalid.
		failed = &failure{
			kind: Down, status: status, providerText: r.message, wait: failed.wait,
			problem: "a gateway rejected the call",
		}
	}
	if failed.kind == NoModel && status == http.StatusNotFound && (!ok || isMissingPath(r)) {
		failed.kind, failed.problem, failed.hint = BadRequest, noSuchPath, pathHint
	}
	return failed
}

func readMidStream(body []byte) *failure {
	r, _ := parseRefusal(body)
	failed := classifyRefusal(r.status, r)
	switch {
	case mentionsAny(strings.ToLower(r.message), pathWords): // LM Studio sends this with status 200.
		failed.kind, failed.problem, failed.hint = BadRequest, noSuchPath, pathHint
	case failed.kind == BadRequest && r.status == 0:
		failed.kind, failed.retryable = Down, true
	}
	failed.status, failed.providerText, failed.wait = r.status, r.message, r.wait
	return failed
}

func classifyRefusal(status int, r refusal) *failure {
	if status >= 300 && status < 400 {
		return &failure{kind: Down, problem: "the address answers with a redirect, which is not followed"}
	}
	if r.flagged && status == http.StatusForbidden {
		return &failure{refused: true}
	}
	for _, row := range refusalRules {
		if slices.Contains(row.statuses, status) || mentionsAny(r.words, row.words) {
			f := row.failure
			return &f
		}
	}
	notFound := strings.Contains(r.words, "not found")
	isMissing := notFound || strings.Contains(r.words, "does not exist")
	if status == http.StatusNotFound || isMissing && strings.Contains(r.words, "model") {
		failed := &failure{kind: NoModel}
		if notFound && strings.HasPrefix(strings.ToLower(r.message), "model ") { // Ollama's words
			failed.hint = "`ollama pull` downloads a model, `ollama list` lists the local ones"
		}
		return failed
	}
	if status >= 500 || status == http.StatusRequestTimeout || status == 0 && mentionsAny(r.words, passingWords) {
		return &failure{kind: Down, retryable: true}
	}
	return &failure{kind: BadRequest}
}

func mentionsAny(text string, candidates []string) bool {
	return slices.ContainsFunc(candidates, func(part string) bool { return strings.Contains(text, part) })
}

func parseRefusal(body []byte) (refusal, bool) {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		if bytes.HasPrefix(body, []byte("<")) {
			body = nil
		}
		text := plaintext.ClipAfter(string(body), 4*maxSaid, plaintext.Ellipsis)
		return refusal{message: text, words: strings.ToLower(text)}, false
	}
	inner := top
	var nested map[string]json.RawMessage
	if json.Unmarshal(top["error"], &nested) == nil && nested != nil {
		inner = nested
	}
	r := refusal{words: strings.ToLower(string(body))}
	r.message = plaintext.ClipAfter(
		firstText(inner, "message", "detail", "error", "error_description", "msg"), 4<<10, plaintext.Ellipsis,
	)
	if r.status, _ = strconv.Atoi(firstText(inner, "code")); r.status < 400 || r.status > 599 {
		r.status = 0
	}
	var details []struct {
		RetryDelay string `json:"retryDelay"`
	}
	_ = json.Unmarshal(inner["details"], &details) // Other details have no delay.
	for _, d := range details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
			r.wait = max(r.wait, wait)
		}
	}
	var metadata struct {
		Reasons []string `json:"reasons"`
	}
	r.flagged = json.Unmarshal(inner["metadata"], &metadata) == nil && len(metadata.Reasons) > 0
	return r, true
}

func firstText(members map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		raw := members[name]
		var text string
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		if len(raw) > 0 && string(raw) != "null" && raw[0] != '"' {
			return plaintext.ClipAfter(string(raw), 4<<10, plaintext.Ellipsis)
		}
	}
	return ""
}

func readRetryAfter(header http.Header, now time.Time) time.Duration {
	wait := cmp.Or(
		wire.ParseRetryAfterMs(header.Get("Retry-After-Ms")), wire.ParseRetryAfter(header.Get("Retry-After"), now),
	)
	return min(wait, 24*time.Hour)
}
