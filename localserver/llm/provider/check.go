package provider

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/parley-npc/parley/localserver/llm"
)

// Check checks the key and the model of an asker with the cheapest sufficient call. The error is an
// *Error.
func (c *Client) Check(ctx context.Context, model Asker) error {
	a, ok := model.(*asker)
	if !ok {
		return checkByAnswer(ctx, model)
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Limits.Whole)
	defer cancel()
	if a.base.String() != a.knownAddress() {
		// A server at a custom address may list models without a valid key.
		return checkByAnswer(ctx, a)
	}
	switch a.provider.keyProof {
	case byModel:
		return a.checkModel(ctx)
	case byList:
		return a.checkList(ctx)
	case byKey:
		if _, err := a.getBody(ctx, "/key"); err != nil {
			return err
		}
		return a.checkList(ctx)
	}
	return checkByAnswer(ctx, a)
}

func checkByAnswer(ctx context.Context, model Asker) error {
	_, err := model.Ask(ctx, Request{
		Step: "check", Messages: []llm.Message{{Role: "user", Text: "Say yes."}}, MaxTokens: 1,
	}, nil)
	return err
}

func (a *asker) checkModel(ctx context.Context) error {
	if a.provider.Format == Ollama {
		body, err := encodeJSON(map[string]string{"model": a.target.Model})
		if err == nil {
			_, err = a.callWithRetry(ctx, http.MethodPost, ollamaShow, body)
		}
		return err
	}
	_, err := a.getBody(ctx, "/models/"+url.PathEscape(a.target.Model))
	return err
}

// A model that the list omits may be an alias.
func (a *asker) checkList(ctx context.Context) error {
	body, err := a.getBody(ctx, a.format.modelsPath)
	if err != nil {
		return err
	}
	models, err := a.format.readModels(body)
	if err == nil && slices.Contains(models, a.target.Model) {
		return nil
	}
	return checkByAnswer(ctx, a)
}

func (a *asker) getBody(ctx context.Context, path string) ([]byte, error) {
	return a.callWithRetry(ctx, http.MethodGet, path, nil)
}

func (a *asker) callWithRetry(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	for attempts := 1; ; attempts++ {
		answer, failed := a.callOnce(ctx, method, path, body)
		if failed == nil {
			return answer, nil
		}
		if !a.waitForRetry(ctx, failed, attempts) {
			return nil, a.explainFailure(failed)
		}
	}
}

func (a *asker) listReachable(ctx context.Context) ([]string, error) {
	body, failed := a.callOnce(ctx, http.MethodGet, a.format.modelsPath, nil)
	if failed != nil {
		return nil, a.explainFailure(failed)
	}
	models, err := a.format.readModels(body)
	if err != nil {
		return nil, a.explainFailure(&failure{
			kind: Down, problem: fmt.Sprintf("the server at %s is not %s", a.base.Host, a.provider.Title), cause: err,
		})
	}
	return models, nil
}
