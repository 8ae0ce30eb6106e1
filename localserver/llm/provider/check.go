package provider

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/parley-npc/parley/localserver/llm"
)

// Check tells whether the key and the model of an asker are good, with the
// cheapest call that does: the description of the model or of the key where the
// provider has one, else an answer of one token. Its error is an *Error. An asker
// that is no provider's is asked for an answer.
func (c *Client) Check(ctx context.Context, who Asker) error {
	a, ok := who.(*asker)
	if !ok {
		return checkByAnswer(ctx, who)
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.Whole)
	defer cancel()
	if a.base.String() != a.home() {
		// Only a provider itself is known to keep its lists from strangers.
		return checkByAnswer(ctx, a)
	}
	switch a.provider.proof {
	case byModel:
		return a.checkModel(ctx)
	case byList:
		return a.checkList(ctx)
	case byKey:
		if _, err := a.get(ctx, "/key"); err != nil {
			return err
		}
		return a.checkList(ctx)
	}
	return checkByAnswer(ctx, a)
}

// home is the address at which the provider is known to be itself.
func (a *asker) home() string {
	if a.provider.Local {
		return a.base.String()
	}
	if u, err := base(a.provider, a.client.publicAddress(a.provider)); err == nil {
		return u.String()
	}
	return ""
}

func checkByAnswer(ctx context.Context, who Asker) error {
	_, err := who.Ask(ctx, Request{Step: "check", Messages: []llm.Message{{Role: "user", Text: "Say yes."}}, MaxTokens: 1}, nil)
	return err
}

func (a *asker) checkModel(ctx context.Context) error {
	if a.provider.Format == Ollama {
		body, err := encode(map[string]string{"model": a.target.Model})
		if err == nil {
			_, err = a.call(ctx, http.MethodPost, a.format.model(a.target.Model), body)
		}
		return err
	}
	_, err := a.get(ctx, a.format.model(a.target.Model))
	return err
}

// checkList looks for the model in the provider's list. One that is not there
// may be another name of one that is: then only an answer tells.
func (a *asker) checkList(ctx context.Context) error {
	body, err := a.get(ctx, a.format.models())
	if err != nil {
		return err
	}
	models, err := a.format.list(body)
	if err == nil && slices.Contains(models, a.target.Model) {
		return nil
	}
	return checkByAnswer(ctx, a)
}

func (a *asker) get(ctx context.Context, path string) ([]byte, error) {
	return a.call(ctx, http.MethodGet, path, nil)
}

// call makes a call that is no question to a model, and makes it again as Ask
// does. Its error is an *Error.
func (a *asker) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	for attempts := 1; ; attempts++ {
		answer, f := a.callOnce(ctx, method, path, body)
		if f == nil {
			return answer, nil
		}
		if !a.waited(ctx, f, attempts) {
			return nil, a.explain(f)
		}
	}
}

func (a *asker) callOnce(ctx context.Context, method, path string, body []byte) ([]byte, *fault) {
	answer, err := a.send(ctx, method, path, body, "application/json")
	if err != nil {
		return nil, faultOf(err)
	}
	defer discard(answer)
	text, err := a.readWhole(ctx, answer)
	return text, faultOf(err)
}

// reachable is the list of models, asked for once and briefly.
func (a *asker) reachable(ctx context.Context) ([]string, error) {
	body, f := a.callOnce(ctx, http.MethodGet, a.format.models(), nil)
	if f != nil {
		return nil, a.explain(f)
	}
	models, err := a.format.list(body)
	if err != nil {
		return nil, a.explain(&fault{kind: Down, problem: fmt.Sprintf("what answers at %s is not %s", a.base.Host, a.provider.Title), cause: err})
	}
	return models, nil
}
