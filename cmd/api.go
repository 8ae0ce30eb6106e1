package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type apiOptions struct {
	*service.Access
	method  string
	path    string
	texts   []string // -f
	typed   []string // -F
	headers []string
	input   string
	include bool
	silent  bool
	list    bool
	json    cli.JSONFlag
}

const apiLong = `Send any HTTP request to the service with your sign-in, and print the answer.

PATH is a path of the service, such as /api/v1/personas. Without a leading slash it
is below /api/v1: personas means the same. --list lists all paths. The method is
GET, or POST if there are fields or a body (GET if the service has no POST there).
Write it before the path, or use --method.

-f KEY=VALUE adds a text. -F KEY=VALUE adds true, false, null or a whole number, or
with @FILE the content of a file (@- is stdin). With GET they become the query,
otherwise the JSON body: a[b]=c is a nested member, a[]=c an item of a list. With
--input FILE the file is the body and fields become the query.

Calls below /api/v1/sdk use the API key in PARLEY_API_KEY and, if they ask a model,
the provider's key in PARLEY_LLM_API_KEY. Secrets are refused on the command line,
where other users can read it: -H @FILE reads headers from a file, one a line.

The body is printed unchanged; on a terminal JSON is indented and control characters
are made visible. Event streams are printed as they arrive. If the service refuses,
its body is printed too and the exit code tells. Lists have at most 100 items
(` + "`-f limit=100`" + `); the header Link (--include) leads to more.`

func newAPICmd(access *service.Access) *cobra.Command {
	o := &apiOptions{Access: access}
	c := &cobra.Command{
		Use:   "api [METHOD] PATH",
		Short: "Send any HTTP request to the service",
		Long:  apiLong,
		Example: `  parley api personas -f limit=100
  parley api auth/me
  parley api DELETE personas/01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11
  parley api chat/01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11/message -f message=Hello -f user_session_id=me
  parley persona show Biscuit --json | parley api POST creator/save --input -`,
		Args: o.checkArguments,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				o.method = args[0]
			}
			if len(args) > 0 {
				o.path = args[len(args)-1]
			}
			return runAPI(c.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.method, "method", "X", "", "the `METHOD` (default: GET, with fields or a body POST)")
	f.StringArrayVarP(&o.texts, "raw-field", "f", nil, "add a text, `KEY=VALUE`")
	f.StringArrayVarP(&o.typed, "field", "F", nil, "add a typed value, `KEY=VALUE`: true, null, 12, @FILE")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "add a header, `NAME: VALUE`, or the headers in a file with @FILE")
	f.StringVar(&o.input, "input", "", "send this `FILE` as the body, - is stdin")
	f.BoolVarP(&o.include, "include", "i", false, "also print the status and the headers of the answer")
	f.BoolVar(&o.silent, "silent", false, "print no body")
	f.BoolVar(&o.list, "list", false, "only list the paths of the service")
	o.json.AddFlags(c, nil)
	return c
}

func (o *apiOptions) checkArguments(c *cobra.Command, args []string) error {
	switch {
	case o.list && len(args) == 0:
		return nil
	case o.list:
		return cli.UsageError("--list cannot be combined with a path: `%s`", c.UseLine())
	case len(args) == 0:
		return cli.UsageError("PATH is missing: `%s`; --list lists all paths", c.UseLine())
	case len(args) > 2:
		return cli.RefuseExtra(c, args[2])
	case len(args) == 2 && o.method != "":
		return cli.UsageError("the method is given twice, as %q and with --method: `%s`", args[0], c.UseLine())
	}
	return nil
}

func runAPI(ctx context.Context, o *apiOptions) error {
	if o.list {
		list := localserver.Endpoints()
		if o.json.On {
			return o.PrintJSON(o.json, list)
		}
		rows := make([][]string, len(list))
		for i, e := range list {
			rows[i] = []string{e.Method, e.Path, e.Summary}
		}
		return o.PrintTable([]string{"METHOD", "PATH", "WHAT"}, rows)
	}
	s, err := o.Connect()
	if err != nil {
		return err
	}
	request, err := o.buildRequest(s)
	if err != nil {
		return err
	}
	stream := &apiStream{apiOptions: o}
	if !o.json.On {
		request.Stream = stream.beginStream
	}
	answer, err := s.Send(ctx, request)
	switch {
	case stream.begun:
		_, failed := io.WriteString(o.Out, stream.clean.End()) // the bytes of an incomplete character
		err = errors.Join(err, failed)
	case answer != nil:
		if failed := o.printAnswer(answer, err != nil); failed != nil {
			return failed
		}
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", request.Method, cutQuery(request.Path), withKeyHint(err, request))
	}
	return nil
}

func withKeyHint(err error, r client.Request) error {
	if !r.NoToken || wire.ErrorStatus(err) != http.StatusUnauthorized {
		return err
	}
	return &cli.Failure{Code: cli.ExitSignIn, Err: err,
		Hint: "set " + envAPIKey + " to a key that `parley key create NAME` has printed"}
}

// cutQuery removes the query, because a query may contain a session ID.
func cutQuery(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return path
}

func (o *apiOptions) buildRequest(s *service.Service) (client.Request, error) {
	request := client.Request{}
	path, err := apiPath(o.path, s.Address)
	if err != nil {
		return request, err
	}
	fields, err := o.readFields()
	if err != nil {
		return request, err
	}
	request.Path = path
	if request.Method, err = o.chooseMethod(cutQuery(path), len(fields) > 0); err != nil {
		return request, err
	}
	if err := o.fillRequest(&request, fields); err != nil {
		return request, err
	}
	if request.Headers, err = o.readHeaders(); err != nil {
		return request, err
	}
	return request, o.addCredentials(&request, s.Address)
}

// chooseMethod follows gh. Fields select POST unless the path supports only GET.
func (o *apiOptions) chooseMethod(path string, fields bool) (string, error) {
	method := strings.ToUpper(o.method)
	_, hasGet := findEndpoint(http.MethodGet, path)
	_, hasPost := findEndpoint(http.MethodPost, path)
	onlyGet := hasGet && !hasPost
	switch {
	case method == "" && (o.input != "" || fields && !onlyGet):
		return http.MethodPost, nil
	case method == "":
		return http.MethodGet, nil
	}
	if !slices.Contains(apiMethods, method) {
		return "", cli.UsageError("unknown method %q; the methods are %s", o.method, strings.Join(apiMethods, ", "))
	}
	return method, nil
}

var apiMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

func (o *apiOptions) fillRequest(request *client.Request, fields []field) (err error) {
	without := request.Method == http.MethodGet || request.Method == http.MethodHead
	switch {
	case without && o.input != "":
		return cli.UsageError("--input is the body of a call, but %s calls have no body: give another --method",
			request.Method)
	case o.input != "":
		if request.Body, err = o.readInput(o.input); err != nil {
			return err
		}
		fallthrough
	case without:
		request.Query = url.Values{}
		for _, f := range fields {
			request.Query.Add(f.key, f.text)
		}
	case len(fields) > 0:
		request.Body, err = buildBody(fields)
	}
	return err
}

const (
	envAPIKey = "PARLEY_API_KEY" //nolint:gosec // a name, no key
	envLLMKey = models.EnvKey
)

func (o *apiOptions) addCredentials(r *client.Request, address string) error {
	at, known := findEndpoint(r.Method, cutQuery(r.Path))
	if at.Idempotent {
		r.Key = o.NewID()
	}
	if at.SDK || !known && strings.HasPrefix(r.Path, wire.PrefixSDK) {
		r.NoToken = true
		keys := []client.Header{{Name: wire.HeaderAPIKey, Value: strings.TrimSpace(o.Env(envAPIKey)), Secret: true}}
		if at.ModelKey {
			keys = append(keys, client.Header{Name: wire.HeaderLLMKey, Value: strings.TrimSpace(o.Env(envLLMKey)), Secret: true})
		}
		keys = slices.DeleteFunc(keys, func(key client.Header) bool { return key.Value == "" })
		r.Headers = append(keys, r.Headers...)
	}
	return o.checkSecrets(r, address)
}

func (o *apiOptions) checkSecrets(r *client.Request, address string) error {
	first := slices.IndexFunc(r.Headers, func(h client.Header) bool { return h.Secret && h.Value != "" })
	if first < 0 {
		return nil
	}
	s, err := o.Settings()
	if err != nil {
		return err
	}
	return cmp.Or(service.GuardSecret(s, r.Headers[first].Name), o.CheckTransport(address))
}

func findEndpoint(method, path string) (localserver.Endpoint, bool) {
	for _, e := range localserver.Endpoints() {
		if e.Method == method && matchesPattern(e.Path, path) {
			return e, true
		}
	}
	return localserver.Endpoint{}, false
}

func matchesPattern(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(want, got string) bool {
		return want == got || strings.HasPrefix(want, "{") && got != ""
	})
}

func (o *apiOptions) printAnswer(response *client.Response, refused bool) error {
	if o.include {
		if _, err := o.Out.Write(o.presentBody(answerHead(response))); err != nil {
			return err
		}
	}
	if o.silent || len(response.Body) == 0 {
		return nil
	}
	if o.json.On && !refused {
		if !json.Valid(response.Body) {
			return cli.WrapTrouble(errors.New("the answer is not JSON"), "omit --json to see it")
		}
		return o.PrintJSON(o.json, json.RawMessage(response.Body))
	}
	body := o.presentBody(response.Body)
	if json.Valid(response.Body) || !refused && !o.TTY.Out { // a body that is not JSON may be a picture
		return o.WriteDocument(body)
	}
	_, err := o.Out.Write(body)
	return err
}

func answerHead(r *client.Response) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %d %s\n", r.Proto, r.Status, http.StatusText(r.Status))
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, value := range r.Header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	b.WriteString("\n")
	return b.Bytes()
}

func (o *apiOptions) presentBody(body []byte) []byte {
	if !o.TTY.Out {
		return body
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", "  ") == nil {
		body = pretty.Bytes()
	}
	text := strings.TrimRight(terminal.CleanLines(string(body)), "\n") + "\n"
	if bytes.HasSuffix(body, []byte("\n\n")) {
		text += "\n" // the empty line after a response's head
	}
	return []byte(text)
}

type apiStream struct {
	*apiOptions
	begun bool
	clean terminal.Cleaner
}

func (s *apiStream) beginStream(head *client.Response) io.Writer {
	s.begun = true
	if s.include {
		_, _ = s.Out.Write(s.presentBody(answerHead(head)))
	}
	return s
}

func (s *apiStream) Write(p []byte) (int, error) {
	switch {
	case s.silent:
		return len(p), nil
	case !s.TTY.Out:
		return cli.RawWriter(s.Out).Write(p)
	}
	_, err := io.WriteString(s.Out, s.clean.Add(string(p)))
	return len(p), err
}
