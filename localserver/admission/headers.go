package admission

import (
	"net/http"

	"github.com/parley-npc/parley/localserver/apierror"
	"github.com/parley-npc/parley/personas/wire"
)

// singleHeaders identify the caller, the keys, and the call.
var singleHeaders = [...]string{
	"Authorization", wire.HeaderAPIKey, wire.HeaderIdempotencyKey, "Content-Type",
	wire.HeaderLLMKey, wire.HeaderLLMModel, wire.HeaderLLMEvalKey, wire.HeaderLLMEvalModel,
	wire.HeaderLLMResponseKey, wire.HeaderLLMResponseModel, wire.HeaderLLMSummarizationKey, wire.HeaderLLMSummarizationModel,
}

// checkHeaders refuses a request with two of one of these headers, since the second would be
// ignored.
func checkHeaders(h http.Header) error {
	for _, name := range singleHeaders {
		if len(h.Values(name)) > 1 {
			return apierror.BadRequest("the header " + name + " is there twice: send it once")
		}
	}
	return nil
}
