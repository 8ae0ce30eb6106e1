package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// A field is one -f or -F flag. The path of a[b][] is a, b and "".
type field struct {
	key   string
	path  []string
	value any
	text  string
}

const maxKeyParts = 20

func (o *apiOptions) readFields() ([]field, error) {
	var fields []field
	for _, given := range o.texts {
		f, err := readField(given)
		if err != nil {
			return nil, cli.UsageError("--raw-field %w", err)
		}
		fields = append(fields, f)
	}
	for _, given := range o.typed {
		f, err := readField(given)
		if err != nil {
			return nil, cli.UsageError("--field %w", err)
		}
		if err := o.inferValue(&f); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func readField(given string) (field, error) {
	key, text, valued := strings.Cut(given, "=")
	path, err := splitKey(key)
	if err == nil && !valued {
		err = fmt.Errorf("%q lacks a value: write KEY=VALUE", key)
	}
	return field{key, path, text, text}, err
}

var keyPattern = plaintext.Pattern(`^[^\[\]]+(\[[^\[\]]*\])*$`)

func splitKey(key string) ([]string, error) {
	if !keyPattern().MatchString(key) || strings.Count(key, "[") >= maxKeyParts {
		return nil, fmt.Errorf("%q is not a valid key: write KEY=VALUE, where KEY is a name, optionally followed by parts in brackets such as a[b] or a[]", key)
	}
	key = strings.TrimSuffix(strings.ReplaceAll(key, "][", "["), "]")
	return strings.Split(key, "["), nil
}

// jsonNull encodes as null, because addValue treats nil as a missing value.
type jsonNull struct{}

func (jsonNull) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

func (o *apiOptions) inferValue(parsed *field) error {
	switch parsed.text {
	case "true", "false":
		parsed.value = parsed.text == "true"
		return nil
	case "null":
		parsed.value = jsonNull{}
		return nil
	}
	if file, ok := strings.CutPrefix(parsed.text, "@"); ok {
		content, err := o.readInput(file)
		parsed.text = string(content)
		parsed.value = parsed.text
		return err
	}
	if number, err := strconv.ParseInt(parsed.text, 10, 64); err == nil && strconv.FormatInt(number, 10) == parsed.text {
		parsed.value = number
	}
	return nil
}

func (o *apiOptions) readInput(path string) ([]byte, error) {
	if path == "-" {
		return cli.AwaitResult(o.Interrupted, func() ([]byte, error) { return cli.ReadBody("<stdin>", o.In) })
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, cli.WrapTrouble(fmt.Errorf("read %s: %w", path, cli.PathReason(err)), "")
	}
	defer func() { _ = f.Close() }()
	return cli.ReadBody(path, f)
}

func buildBody(fields []field) ([]byte, error) {
	var whole any
	for _, f := range fields {
		var err error
		if whole, err = addValue(whole, f.path, f.value); err != nil {
			return nil, cli.UsageError("the field %q %w", f.key, err)
		}
	}
	return json.Marshal(whole)
}

var (
	errTwice = errors.New("is given twice")
	errKinds = errors.New("is used in conflicting ways: it can be a list, an object or a single value, but only one of these")
)

func addValue(node any, path []string, value any) (any, error) {
	if len(path) == 0 {
		switch node.(type) {
		case nil:
			return value, nil
		case map[string]any, []any:
			return nil, errKinds
		}
		return nil, errTwice
	}
	if path[0] == "" {
		return addItem(node, path[1:], value)
	}
	members, ok := node.(map[string]any)
	switch {
	case node == nil:
		members = map[string]any{}
	case !ok:
		return nil, errKinds
	}
	below, err := addValue(members[path[0]], path[1:], value)
	members[path[0]] = below
	return members, err
}

// addItem follows gh. A second value for a member of the last object starts a new object.
func addItem(node any, path []string, value any) (any, error) {
	list, ok := node.([]any)
	if node != nil && !ok {
		return nil, errKinds
	}
	if n := len(list); n > 0 && len(path) > 0 && path[0] != "" {
		last, isObject := list[n-1].(map[string]any)
		_, hasMember := last[path[0]]
		extendsList := len(path) > 1 && path[1] == ""
		if isObject && (!hasMember || extendsList) {
			_, err := addValue(last, path, value)
			return list, err
		}
	}
	item, err := addValue(nil, path, value)
	return append(list, item), err
}

func (o *apiOptions) readHeaders() ([]client.Header, error) {
	var list []client.Header
	for _, given := range o.headers {
		lines, inFile := []string{given}, false
		if file, ok := strings.CutPrefix(given, "@"); ok {
			content, err := o.readInput(file)
			if err != nil {
				return nil, err
			}
			lines, inFile = strings.Split(strings.TrimRight(string(content), "\r\n"), "\n"), true
		}
		for _, line := range lines {
			h, err := readHeader(strings.TrimRight(line, "\r"), inFile)
			if err != nil {
				return nil, err
			}
			list = append(list, h)
		}
	}
	return list, nil
}

func readHeader(line string, inFile bool) (client.Header, error) {
	name, value, ok := strings.Cut(line, ":")
	name = strings.TrimSpace(name)
	secret := secretHeader().MatchString(name)
	switch {
	case !ok && inFile:
		return client.Header{}, cli.UsageError("a line in the file of --header is not a header: write NAME: VALUE")
	case !ok:
		return client.Header{}, cli.UsageError("--header %q is not a header: write NAME: VALUE", line)
	case secret && !inFile:
		return client.Header{},
			cli.UsageError("--header %s: other users of this machine can read a secret on the command line; "+
				"set the token as PARLEY_TOKEN, keys as %s and %s, and read other secrets from a file with --header @FILE",
				name, envAPIKey, envLLMKey)
	}
	return client.Header{Name: name, Value: strings.TrimSpace(value), Secret: secret || inFile}, nil
}

var secretHeader = plaintext.Pattern(`(?i)^(authorization|proxy-authorization|cookie|x-api-key|x-llm-.*api-key)$`)

// apiPath rejects the URL of another service, because the token must not be sent there.
func apiPath(given, address string) (string, error) {
	text := given
	if strings.Contains(given, "://") {
		rest, ok := strings.CutPrefix(given, address)
		if !ok || !strings.HasPrefix(rest, "/") {
			return "", cli.UsageError("%q is not on the service %s: give a path, or name that service with --server",
				plaintext.RedactUser(given), address)
		}
		text = rest
	}
	if !strings.HasPrefix(text, "/") {
		text = wire.Prefix + "/" + strings.TrimPrefix(text, strings.TrimPrefix(wire.Prefix, "/")+"/")
	}
	path, _, _ := strings.Cut(text, "?")
	switch {
	case strings.ContainsAny(path, "{}"):
		return "", cli.UsageError("%q has a part in braces: replace it with an id", given)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' || r == '\\' }):
		return "", cli.UsageError("%q is not a path: encode spaces and other special characters, such as %%20 for a space", given)
	}
	for part := range strings.SplitSeq(path, "/") {
		if whole, err := url.PathUnescape(part); err != nil || whole == "." || whole == ".." {
			return "", cli.UsageError("%q is not a path: the part %q is not allowed", given, part)
		}
	}
	return text, nil
}
