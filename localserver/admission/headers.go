package admission

import (
	"net/http"

	"github.com/parley-npc/parley/localserver/apierror"
	"github.com/parley-npc/parley/personas/wire"
)

// singleHeaders are the headers that say who calls, with which key, and which call it is.
var singleHeaders = [...]string{
	"Authorization", wire.HeaderAPIKey, wire.HeaderIdempotencyKey, "Content-Type",
	wire.HeaderLLMKey, wire.HeaderLLMModel, wire.HeaderLLMEvalKey, wire.HeaderLLMEvalModel,
	wire.HeaderLLMResponseKey, wire.HeaderLLMResponseModel, wire.HeaderLLMSummarizationKey, wire.HeaderLLMSummarizationModel,
}

// checkHeaders refuses a request that has one of these headers twice: the second one would
// be ignored, whatever it says.
func checkHeaders(h http.Header) error {
	for _, name := range singleHeaders {
		if len(h.Values(name)) > 1 {
			return apierror.BadRequest("the header " + name + " is there twice: send it once")
		}
	}
	return nil
}
