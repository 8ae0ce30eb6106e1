package card

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// object is a JSON object. Values are objects, lists ([]any), strings, json.Numbers, booleans and
// nil.
type object = map[string]any

// parseJSON uses the last of several equal members, as in JavaScript.
func parseJSON(content []byte) (object, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if len(content) > maxJSON {
		return nil, fmt.Errorf("the card's JSON is larger than the maximum of %d MiB", maxJSON>>20)
	}
	begin := bytes.TrimLeft(content, " \t\r\n")
	if len(begin) == 0 || begin[0] != '{' {
		return nil, fmt.Errorf("%w: it is not a PNG, a CHARX or a JSON object", ErrNoCard)
	}
	if !utf8.Valid(content) {
		return nil, errors.New("the card's JSON is not valid UTF-8")
	}
	p := &jsonParser{decoder: json.NewDecoder(bytes.NewReader(content)), remaining: maxValues}
	p.decoder.UseNumber()
	root, err := p.readValue(0)
	if err == nil {
		if _, err = p.decoder.Token(); errors.Is(err, io.EOF) {
			return objectOf(root), nil
		} else if err == nil {
			err = errors.New("something follows the end of the object")
		}
	}
	return nil, explainJSON(content, err)
}

func explainJSON(content []byte, err error) error {
	if errors.Is(err, errBounds) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the card's JSON ends too early; is the file complete?")
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset := min(max(int(syntax.Offset)-1, 0), len(content))
		return fmt.Errorf("the card's JSON cannot be read: line %d: %w", 1+bytes.Count(content[:offset], []byte("\n")), err)
	}
	return fmt.Errorf("the card's JSON cannot be read: %w", err)
}

var errBounds = errors.New("the card's JSON is rejected")

type jsonParser struct {
	decoder   *json.Decoder
	remaining int // number of values that may still follow
}

func (p *jsonParser) readValue(level int) (any, error) {
	if p.remaining--; p.remaining < 0 {
		return nil, fmt.Errorf("%w: it has more than %d values", errBounds, maxValues)
	}
	token, err := p.decoder.Token()
	if err != nil {
		return nil, err
	}
	if text, ok := token.(string); ok {
		return strings.ReplaceAll(text, "\x00", ""), nil
	}
	delim, ok := token.(json.Delim)
	switch {
	case !ok:
		return token, nil
	case level >= maxLevels:
		return nil, fmt.Errorf("%w: it nests deeper than %d levels", errBounds, maxLevels)
	}
	members, items := object{}, []any{}
	for p.decoder.More() {
		name := ""
		if delim == '{' {
			token, err := p.decoder.Token()
			if err != nil {
				return nil, err
			}
			name, _ = token.(string)
		}
		item, err := p.readValue(level + 1)
		if err != nil {
			return nil, err
		}
		if delim == '{' {
			members[strings.ReplaceAll(name, "\x00", "")] = item
			continue
		}
		items = append(items, item)
	}
	if _, err = p.decoder.Token(); delim == '{' {
		return members, err
	}
	return items, err
}

func objectOf(value any) object {
	o, _ := value.(object)
	return o
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}

func describe(value any) string {
	switch value.(type) {
	case object:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a text"
	case bool:
		return "a boolean"
	case nil:
		return "null"
	}
	return "a number"
}

func encodeJSON(value any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // Parsed values can always be encoded.
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
