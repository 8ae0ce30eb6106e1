package localserver

import (
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/wire"
)

func refuseInput(problem *huma.ErrorModel) *api.Error {
	var details []wire.Detail
	for _, d := range problem.Errors {
		if d != nil {
			details = append(details, inputDetail(d))
		}
	}
	unreadable := func(d *huma.ErrorDetail) bool { return d != nil && strings.HasPrefix(d.Message, "invalid ") }
	switch {
	case problem.Status >= http.StatusInternalServerError:
		return api.Internal(nil)
	case problem.Status == http.StatusBadRequest:
		if len(problem.Errors) == 0 {
			return api.EmptyBody()
		}
		refusal := api.BadRequest("the body is not valid JSON")
		refusal.Details = details
		return refusal
	case slices.ContainsFunc(problem.Errors, unreadable):
		return api.WithDetails(http.StatusBadRequest, wire.CodeBadRequest, details)
	}
	return api.WithDetails(problem.Status, wire.CodeInvalid, details)
}

const isRequired = "is required"

// wordings maps a prefix of huma's message to our message. The rest of huma's message comes between
// before and after.
var wordings = []struct{ prefix, before, after string }{
	{"required ", isRequired, ""},
	{"expected string to match pattern", api.IsEmpty, ""},
	{"expected string", "must be a text", ""},
	{"expected object", "the body must be a JSON object", ""},
	{"expected length >= 1", api.IsEmpty, ""},
	{"expected length <= ", "must have at most ", " characters"},
	{"expected value to be one of ", "must be one of ", ""},
	{"expected number >= ", "must be at least ", ""},
	{"expected number <= ", "must be at most ", ""},
	{"invalid integer", "must be a whole number", ""},
	{"invalid boolean", "must be true or false", ""},
}

func inputDetail(d *huma.ErrorDetail) wire.Detail {
	const before, after = "expected required property ", " to be present"
	_, path, _ := strings.Cut(d.Location, ".")
	if name, ok := strings.CutPrefix(d.Message, before); ok {
		path = strings.TrimPrefix(path+"."+strings.TrimSuffix(name, after), ".")
		return wire.Detail{Path: path, Message: isRequired}
	}
	return wire.Detail{Path: path, Message: inOurWords(d.Message)}
}

func inOurWords(message string) string {
	for _, w := range wordings {
		rest, ok := strings.CutPrefix(message, w.prefix)
		switch {
		case !ok:
		case w.after == "" && !strings.HasSuffix(w.before, " "):
			return w.before
		default:
			return w.before + strings.Trim(rest, `"`) + w.after
		}
	}
	return message
}
