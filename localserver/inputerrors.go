package localserver

import (
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/apierror"
	"github.com/parley-npc/parley/localserver/endpoint"
	"github.com/parley-npc/parley/personas/wire"
)

// shapeError gives every error the service's shape: those of handlers and those
// of huma itself.
func shapeError(ctx huma.Context, _ string, value any) (any, error) {
	c, ok := ctx.(*call)
	if !ok {
		return value, nil
	}
	switch e := value.(type) {
	case *apierror.Error:
		c.status = e.Status
		return e.Body(c.Context(), c.URL().Path), nil
	case *huma.ErrorModel:
		refusal := refuseInput(e)
		c.status = refusal.Status
		ctx.SetHeader("Content-Type", endpoint.ContentJSON)
		return refusal.Body(c.Context(), c.URL().Path), nil
	}
	return value, nil
}

// refuseInput words huma's refusal of a request. What the caller sent is left
// out: only places and rules are named.
func refuseInput(e *huma.ErrorModel) *apierror.Error {
	var details []wire.Detail
	for _, d := range e.Errors {
		if d != nil {
			details = append(details, inputDetail(d))
		}
	}
	unreadable := func(d *huma.ErrorDetail) bool { return d != nil && strings.HasPrefix(d.Message, "invalid ") }
	switch {
	case e.Status >= http.StatusInternalServerError:
		return apierror.Internal(nil)
	case e.Status == http.StatusBadRequest:
		refusal := apierror.BadRequest("the body is not valid JSON")
		if len(e.Errors) == 0 {
			refusal.Message = "the body is empty, it must be a JSON object"
		}
		refusal.Details = details
		return refusal
	case slices.ContainsFunc(e.Errors, unreadable):
		return apierror.WithDetails(http.StatusBadRequest, wire.CodeBadRequest, details)
	}
	return apierror.WithDetails(e.Status, wire.CodeInvalid, details)
}

// wordings are huma's messages in our words; what huma says after said stands
// between before and after.
var wordings = []struct{ said, before, after string }{
	{"required ", "is required", ""},
	{"expected string to match pattern", "must not be empty", ""},
	{"expected string", "must be a text", ""},
	{"expected object", "must be an object", ""},
	{"expected length >= 1", "must not be empty", ""},
	{"expected length <= ", "must have at most ", " characters"},
	{"expected value to be one of ", "must be one of ", ""},
	{"expected number >= ", "must be at least ", ""},
	{"expected number <= ", "must be at most ", ""},
	{"invalid integer", "must be a whole number", ""},
	{"invalid boolean", "must be true or false", ""},
}

// inputDetail turns huma's place ("body.message", "query.limit") into a path and
// words its message.
func inputDetail(d *huma.ErrorDetail) wire.Detail {
	const before, after = "expected required property ", " to be present"
	_, path, _ := strings.Cut(d.Location, ".")
	if name, ok := strings.CutPrefix(d.Message, before); ok {
		path = strings.TrimPrefix(path+"."+strings.TrimSuffix(name, after), ".")
		return wire.Detail{Path: path, Message: "is required"}
	}
	return wire.Detail{Path: path, Message: inOurWords(d.Message)}
}

func inOurWords(message string) string {
	for _, w := range wordings {
		rest, ok := strings.CutPrefix(message, w.said)
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
