package localserver

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func beginNodes(t testing.TB, count int, change ...func(*Options)) []*harness {
	t.Helper()
	shared := inPostgres(t)
	var nodes []*harness
	for range count {
		nodes = append(nodes, begin(t, append([]func(*Options){shared}, change...)...))
	}
	return nodes
}

func TestLimitOverNodes(t *testing.T) {
	t.Parallel()
	clock := &clock{start: time.Now()}
	nodes := beginNodes(t, 3, func(o *Options) { o.RateLimit, o.Now = true, clock.now })
	most := numberOf(api.LimitGeneral)
	for i := range most {
		answer := nodes[i%3].send("", "GET", wire.PathPersonas, "")
		answer.want(http.StatusOK)
		answer.checkCounted(most, most-1-i)
		clock.forward(100 * time.Millisecond)
	}
	for range 2 { // the second time from memory
		for _, node := range nodes {
			assert.Equal(t, node.send("", "GET", wire.PathPersonas, "").checkRefused(most, api.LimitGeneral), 48*time.Second, "the wait")
		}
	}
	clock.forward(48 * time.Second)
	nodes[1].send("", "GET", wire.PathPersonas, "").want(http.StatusOK)
	nodes[2].send("", "GET", wire.PathPersonas, "").checkRefused(most, api.LimitGeneral)
}

// TestLimitWithoutDatabase: a request that cannot be counted is refused.
func TestLimitWithoutDatabase(t *testing.T) {
	t.Parallel()
	own, address := storetest.Start(t)
	h := begin(t, func(o *Options) { o.Database.Address, o.RateLimit = address, true })
	h.send("", "GET", wire.PathPersonas, "").want(http.StatusOK)
	assert.NoError(t, own.Kill())
	for _, path := range []string{wire.PathPersonas, "/docs", "/openapi.json"} {
		e := h.send("", "GET", path, "").fails(http.StatusServiceUnavailable, wire.CodeUnavailable)
		assert.Contains(t, e.Message, "the database does not answer", path)
	}
	h.send("", "GET", "/healthz", "").want(http.StatusOK)
	assert.NoError(t, own.Restart(t.Context()))
	h.send("", "GET", wire.PathPersonas, "").want(http.StatusOK)
}

// TestPersonaOverNodes: other servers reflect a changed persona with the next request.
func TestPersonaOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	id := nodes[0].savePersona(gatePersona)
	path := wire.Path(wire.PathPersona, id)
	warm := func(status int, name string) {
		t.Helper()
		for range 2 {
			for i, node := range nodes {
				answer := node.send("", "GET", path, "").is(status)
				assert.Contains(t, string(answer.body), name, "server %d shows", i)
			}
		}
	}
	warm(http.StatusNotFound, "")
	nodes[1].send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(http.StatusOK)
	warm(http.StatusOK, "guard")
	for _, node := range nodes {
		node.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("before")).want(http.StatusOK)
	}
	second := strings.Replace(strings.Replace(gatePersona, "guard", "keeper", 1), "Halt,", "Who goes there,", 1)
	nodes[2].send(alice, "POST", wire.PathSave+"?persona_id="+id, second)
	warm(http.StatusOK, "keeper")
	for i, node := range nodes {
		player := []string{"one", "two", "three"}[i]
		said := node.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(player)).want(http.StatusOK)["message"]
		assert.True(t, said == "Who goes there, Ann.", "server %d opens with %q", i, said)
		node.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("before", "hm [[redirect]]")).want(http.StatusOK)
	}
	nodes[0].send(alice, "DELETE", wire.Path(wire.PathPersona, id), "")
	warm(http.StatusNotFound, "")
	for _, node := range nodes {
		node.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("before", "hm [[redirect]]")).want(http.StatusNotFound)
	}
}

// TestSameCallOverNodes: one call at three servers at once asks the model once.
func TestSameCallOverNodes(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	entered, goOn := make(chan struct{}, 10), make(chan struct{})
	nodes := beginNodes(t, 3, withFirstStep(func(ctx context.Context, _ string) error {
		asked.Add(1)
		entered <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return ctx.Err()
	}), func(o *Options) { o.after = func(time.Duration) <-chan time.Time { return nil } }) // no comments between
	id := nodes[0].publishPersona()
	nodes[0].send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(http.StatusOK)
	send := func(node *harness, path, text string) replied {
		return node.send("", "POST", wire.Path(path, id), messageJSON("ann", text), wire.HeaderIdempotencyKey, "k")
	}
	answers := make([]replied, 6)
	var group sync.WaitGroup
	group.Go(func() { answers[0] = send(nodes[0], wire.PathMessage, "hm [[redirect]]") })
	<-entered
	for i := range answers[1:] {
		path := []string{wire.PathMessage, wire.PathMessageStream}[i%2]
		group.Go(func() { answers[i+1] = send(nodes[(i+1)%3], path, "hm [[redirect]]") })
	}
	send(nodes[1], wire.PathMessage, "another one").fails(http.StatusUnprocessableEntity, wire.CodeInvalid)
	time.Sleep(300 * time.Millisecond) // all of them wait
	close(goOn)
	group.Wait()
	var first wire.Reply
	answers[0].decode(&first)
	for i, a := range answers {
		a.want(http.StatusOK)
		if !strings.Contains(string(a.body), first.Message) || i%2 == 1 && !bytes.Equal(a.body, answers[0].body) {
			t.Errorf("answer %d is %s, want %s", i, a.body, answers[0].body)
		}
	}
	assert.Equal(t, asked.Load(), 1, "the model was asked")
	checkOneTurn(nodes[2], id, 1)
}

func checkOneTurn(h *harness, id string, turns int) {
	h.Helper()
	assert.Equal(h, h.messagesOf(id, "ann"), 1+2*turns, "messages want the opening %d", turns)
}

// TestKeyOfKilledNode: a killed server's call is answered by others when its claim has expired.
func TestKeyOfKilledNode(t *testing.T) {
	t.Parallel()
	node := beginNodes(t, 1)[0]
	id := node.publishPersona()
	node.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(http.StatusOK)
	message := func() replied {
		return node.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hm [[redirect]]"), wire.HeaderIdempotencyKey, "k")
	}
	first := message()
	const lease = time.Second
	forgetAnswer(t, node.database, lease)
	begun := time.Now()
	second := message()
	second.want(http.StatusOK)
	took := time.Since(begun)
	assert.True(t, took >= lease/2 && took <= 10*lease, "it took %s", took)
	assert.Equal(t, second.header.Get(replayedHeader), "", "a stored answer: %s", second.body)
	first.want(http.StatusOK)
	checkOneTurn(node, id, 2)
}

func forgetAnswer(t testing.TB, address string, lease time.Duration) {
	t.Helper()
	pool := assert.Value(storetest.OpenPool(address))(t)
	defer func() { _ = pool.Close() }()
	for _, statement := range []string{
		`INSERT INTO calls_under_way SELECT scope, key, body_hash, 'killed',
			CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) + ` + strconv.FormatInt(lease.Milliseconds(), 10) + ` FROM answers`,
		`DELETE FROM answers`,
	} {
		assert.Value(pool.ExecContext(t.Context(), statement))(t)
	}
}

// PKCE's code_verifier and code_challenge in these tests (RFC 7636 appendix B).
const (
	pkceVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	pkceChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	redirectURI   = "http://127.0.0.1:9/callback"
)

func browserOf(t testing.TB) *http.Client {
	jar := assert.Value(cookiejar.New(nil))(t)
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

func (h *harness) visit(browser *http.Client, path string, form url.Values) (*http.Response, string) {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), http.MethodGet, h.URL()+path, nil)
	if form != nil {
		r, err = http.NewRequestWithContext(h.Context(), http.MethodPost, h.URL()+path, strings.NewReader(form.Encode()))
	}
	assert.NoError(h, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer := assert.Value(browser.Do(r))(h)
	defer answer.Body.Close()
	var text bytes.Buffer
	assert.Value(text.ReadFrom(answer.Body))(h)
	return answer, text.String()
}

func (h *harness) postToken(path string, form url.Values) (int, map[string]any) {
	h.Helper()
	form.Set("client_id", identity.ClientID)
	answer, text := h.visit(browserOf(h), path, form)
	var object map[string]any
	if text != "" {
		assert.NoError(h, json.Unmarshal([]byte(text), &object), text)
	}
	return answer.StatusCode, object
}

func (h *harness) userOf(token string) replied {
	h.Helper()
	return h.send("", "GET", wire.PathMe, "", "Authorization", "Bearer "+token)
}

var hiddenField = regexp.MustCompile(`name="(form|request)" value="([^"]*)"`)

func fillForm(page string, with url.Values) url.Values {
	for _, field := range hiddenField.FindAllStringSubmatch(page, -1) {
		with.Set(field[1], field[2])
	}
	return with
}

func authorizeQuery() url.Values {
	return url.Values{
		"client_id": {identity.ClientID}, "redirect_uri": {redirectURI}, "response_type": {"code"}, "scope": {"openid offline_access"},
		"code_challenge": {pkceChallenge}, "code_challenge_method": {"S256"}, "state": {"s"},
	}
}

func signInOver(t *testing.T, nodes []*harness) (code string, tokens map[string]any) {
	t.Helper()
	browser := browserOf(t)
	_, page := nodes[0].visit(browser, "/oauth/authorize?"+authorizeQuery().Encode(), nil)
	answer, page := nodes[1].visit(browser, "/oauth/authorize", fillForm(page, url.Values{"answer": {"allow"}, "email": {alice}}))
	back := assert.Value(answer.Location())(t, "%d %s", answer.StatusCode, page)
	code = back.Query().Get("code")
	status, tokens := nodes[2].postToken("/oauth/token", codeForm(code))
	assert.Must(t, status == http.StatusOK, "%d %v", status, tokens)
	return code, tokens
}

func codeForm(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirectURI}, "code_verifier": {pkceVerifier}}
}

func refreshForm(tokens map[string]any) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens["refresh_token"].(string)}}
}

// TestSignInOverNodes begins a sign-in at one server, answers its form at the second and completes
// it at the third. All servers accept its tokens, and after signing out none does.
func TestSignInOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	_, tokens := signInOver(t, nodes)
	for _, node := range nodes {
		node.userOf(tokens["access_token"].(string)).want(http.StatusOK)
	}
	status, fresh := nodes[0].postToken("/oauth/token", refreshForm(tokens))
	assert.Must(t, status == http.StatusOK, "%d %v", status, fresh)
	nodes[1].userOf(fresh["access_token"].(string)).want(http.StatusOK)
	if status, _ := nodes[1].postToken("/oauth/revoke", url.Values{"token": {fresh["access_token"].(string)}}); status != http.StatusOK {
		t.Errorf("revoking: %d", status)
	}
	for _, node := range nodes {
		node.userOf(fresh["access_token"].(string)).want(http.StatusUnauthorized)
		status, _ := node.postToken("/oauth/token", refreshForm(fresh))
		assert.Equal(t, status, http.StatusBadRequest, "a refresh token of a sign-in that has ended")
	}
}

// TestOneCodeAtOnceOverNodes: of three simultaneous uses of a refresh token, one succeeds.
func TestOneCodeAtOnceOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	for range 3 {
		_, tokens := signInOver(t, nodes)
		won := make(chan int, len(nodes))
		for _, node := range nodes {
			go func() {
				status, _ := node.postToken("/oauth/token", refreshForm(tokens))
				won <- status
			}()
		}
		good := 0
		for range nodes {
			switch status := <-won; status {
			case http.StatusOK:
				good++
			case http.StatusBadRequest:
			default:
				t.Errorf("status %d", status)
			}
		}
		assert.Equal(t, good, 1, "servers took the same refresh token")
	}
}

func TestKeysOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	for _, maker := range nodes {
		for _, node := range nodes {
			node.userOf(maker.token(alice)).want(http.StatusOK)
		}
	}
	seen := map[string]bool{}
	for _, node := range nodes {
		_, text := node.visit(browserOf(t), "/oauth/jwks.json", nil)
		assert.Equal(t, strings.Count(text, `"kid"`), 3)
		assert.NotContains(t, text, `"d"`)
		seen[text] = true
	}
	assert.Equal(t, len(seen), 1, "the keys are not the same everywhere")
	pool := assert.Value(storetest.OpenPool(nodes[0].database))(t)
	defer func() { _ = pool.Close() }()
	assert.Value(pool.ExecContext(t.Context(), "DELETE FROM provider_records WHERE kind = 'key'"))(t)
	nodes[1].userOf(nodes[0].token(alice)).want(http.StatusUnauthorized)
	nodes[0].userOf(nodes[0].token(alice)).want(http.StatusOK)
}

func TestNoSecretInDatabase(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	code, tokens := signInOver(t, nodes)
	_, begun := nodes[0].postToken("/oauth/device_authorization", url.Values{"scope": {"openid"}})
	pool := assert.Value(storetest.OpenPool(nodes[0].database))(t)
	defer func() { _ = pool.Close() }()
	var all string
	assert.NoError(t, pool.QueryRowContext(t.Context(), "SELECT string_agg(kind || ' ' || id || ' ' || content, chr(10)) FROM provider_records").Scan(&all))
	_, secret, _ := strings.Cut(tokens["refresh_token"].(string), ".")
	userCode := begun["user_code"].(string)
	for name, text := range map[string]string{
		"code": code, "access token": tokens["access_token"].(string), "refresh token": secret, "device code": begun["device_code"].(string),
		"user code": userCode, "user code without -": strings.ReplaceAll(userCode, "-", ""), "private key": `"d":`,
	} {
		assert.NotContains(t, all, text, "the database has the %s", name)
	}
	for _, kind := range []string{"token_sha256", `"device"`, "key "} {
		assert.Contains(t, all, kind)
	}
}

// TestSignInWithoutDatabase: without a database, a valid token is never reported as invalid.
func TestSignInWithoutDatabase(t *testing.T) {
	t.Parallel()
	own, address := storetest.Start(t)
	in := func(o *Options) { o.Database.Address = address }
	nodes := []*harness{begin(t, in), begin(t, in), begin(t, in)}
	code, tokens := signInOver(t, nodes)
	assert.NoError(t, own.Kill())
	nodes[0].userOf(tokens["access_token"].(string)).want(http.StatusServiceUnavailable)
	nodes[1].userOf(nodes[0].token(alice)).want(http.StatusServiceUnavailable)
	for _, form := range []url.Values{codeForm(code), refreshForm(tokens)} {
		status, said := nodes[0].postToken("/oauth/token", form)
		assert.True(t, status == http.StatusServiceUnavailable && said["error"] == "temporarily_unavailable", "%d %v", status, said)
	}
	answer, page := nodes[2].visit(browserOf(t), "/oauth/jwks.json", nil)
	assert.Equal(t, answer.StatusCode, http.StatusServiceUnavailable, "the keys: %d %s", answer.StatusCode, page)
	assert.NoError(t, own.Restart(t.Context()))
	nodes[1].userOf(tokens["access_token"].(string)).want(http.StatusOK)
	status, said := nodes[2].postToken("/oauth/token", refreshForm(tokens))
	assert.Equal(t, status, http.StatusOK, "afterwards: %d %v", status, said)
}
