package api

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"
)

// PagePolicy is the Content-Security-Policy of the documentation page. It allows only inline
// styles.
const PagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed docs.html
var pageTemplate string

type object = map[string]any

type pageView struct {
	Document object
	Groups   []pageGroup
}

type pageGroup struct {
	Name, Description any
	Operations        []pageOperation
}

type pageOperation struct {
	Method, Path string
	Op           object
}

// RenderPage renders the documentation page of an OpenAPI document from Describe. order lists the
// operation ids in display order.
func RenderPage(document []byte, order []string) ([]byte, error) {
	var view pageView
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	if err := decoder.Decode(&view.Document); err != nil {
		return nil, fmt.Errorf("render the documentation page: %w", err)
	}
	view.groupOperations(order)
	page, err := template.New("docs").Funcs(templateFunctions).Parse(pageTemplate)
	if err != nil {
		return nil, fmt.Errorf("render the documentation page: %w", err)
	}
	var text bytes.Buffer
	if err := page.Execute(&text, view); err != nil {
		return nil, fmt.Errorf("render the documentation page: %w", err)
	}
	return text.Bytes(), nil
}

func (v *pageView) groupOperations(order []string) {
	tags, _ := v.Document["tags"].([]any)
	paths, _ := v.Document["paths"].(object)
	for _, tag := range tags {
		name := tag.(object)["name"]
		g := pageGroup{Name: name, Description: tag.(object)["description"]}
		for p, item := range paths {
			for method, op := range item.(object) {
				if tags, ok := op.(object)["tags"].([]any); ok && slices.Contains(tags, name) {
					g.Operations = append(g.Operations, pageOperation{strings.ToUpper(method), p, op.(object)})
				}
			}
		}
		position := func(o pageOperation) int { return slices.Index(order, fmt.Sprint(o.Op["operationId"])) }
		slices.SortFunc(g.Operations, func(a, b pageOperation) int { return cmp.Compare(position(a), position(b)) })
		v.Groups = append(v.Groups, g)
	}
}

var templateFunctions = template.FuncMap{
	"paragraphs": func(text string) []string { return strings.Split(text, "\n\n") },
	"typed":      typeParts,
	"allowed":    allowedValues,
	"who":        accessText,
	"anchor":     func(s string) string { return "schema-" + s },
	"breakable":  func(path string) []string { return strings.SplitAfter(path, "/") },
	"required": func(s object, member string) bool {
		names, _ := s["required"].([]any)
		return slices.Contains(names, any(member))
	},
	"response": func(shared, r object) any {
		if ref, ok := r["$ref"].(string); ok {
			return shared[path.Base(ref)]
		}
		return r
	},
	"events":  func(content object) any { return content["x-events"] },
	"isError": func(status string) bool { return status >= "4" },
}

type part struct{ Text, Schema string }

func typeParts(s object) []part {
	if ref, ok := s["$ref"].(string); ok {
		return []part{{path.Base(ref), path.Base(ref)}}
	}
	if items, ok := s["items"].(object); ok {
		return append([]part{{Text: "array of "}}, typeParts(items)...)
	}
	if values, ok := s["additionalProperties"].(object); ok && s["properties"] == nil {
		return append([]part{{Text: "object of "}}, typeParts(values)...)
	}
	if all, ok := s["allOf"].([]any); ok {
		return append(typeParts(all[0].(object)), part{Text: " and more"})
	}
	switch kind := s["type"].(type) {
	case nil:
		return []part{{Text: "any"}}
	case []any:
		return []part{{Text: joinWords(kind, " or ")}}
	default:
		return []part{{Text: fmt.Sprint(kind)}}
	}
}

func joinWords(list []any, separator string) string {
	var words []string
	for _, word := range list {
		words = append(words, fmt.Sprint(word))
	}
	return strings.Join(words, separator)
}

func allowedValues(s object) string {
	var words []string
	if values, ok := s["enum"].([]any); ok {
		words = append(words, "one of "+joinWords(values, ", "))
	}
	for _, limit := range [][2]string{
		{"minLength", "at least %v characters"}, {"maxLength", "at most %v characters"},
		{"minimum", "at least %v"}, {"maximum", "at most %v"}, {"default", "default %v"},
	} {
		if value, ok := s[limit[0]]; ok {
			words = append(words, fmt.Sprintf(limit[1], value))
		}
	}
	return strings.Join(words, "; ")
}

func accessText(security []any) string {
	words := map[string]string{schemeToken: "bearer token", schemeKey: "API key"}
	var names []string
	open := len(security) == 0
	for _, requirement := range security {
		open = open || len(requirement.(object)) == 0
		for name := range requirement.(object) {
			names = append(names, words[name])
		}
	}
	switch {
	case len(names) == 0:
		return "open to all"
	case open:
		return strings.Join(names, " or ") + " optional"
	}
	return strings.Join(names, " or ")
}
