package api

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"path"
	"slices"
	"strings"
)

// PagePolicy is the Content-Security-Policy of the documentation page. It prevents the page from
// loading, sending or running anything.
const PagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed docs.html
var pageTemplate string

// Types of the parts of an OpenAPI document that the page shows.
type (
	openapiDocument struct {
		Info       struct{ Title, Version, Description string }
		Tags       []struct{ Name, Description string }
		Paths      map[string]map[string]openapiOperation
		Components struct {
			Schemas         map[string]openapiSchema
			Responses       map[string]openapiResponse
			Headers         map[string]openapiParameter
			SecuritySchemes map[string]struct{ Type, Name, Description string }
		}
	}
	openapiOperation struct {
		OperationID, Summary, Description string
		Tags                              []string
		Security                          []map[string]any
		Parameters                        []openapiParameter
		RequestBody                       *openapiResponse
		Responses                         map[string]openapiResponse
	}
	openapiParameter struct {
		Ref         string `json:"$ref"`
		Name, In    string
		Description string
		Required    bool
		Schema      openapiSchema
	}
	openapiResponse struct {
		Ref         string `json:"$ref"`
		Description string
		Headers     map[string]openapiParameter
		Content     map[string]struct {
			Schema openapiSchema
			Events map[string]openapiSchema `json:"x-events"`
		}
	}
	openapiSchema struct {
		Ref                  string `json:"$ref"`
		Type                 any
		Description          string
		Format               string
		Enum                 []any
		Items                *openapiSchema
		AllOf                []openapiSchema
		AdditionalProperties *openapiSchema
		Properties           map[string]openapiSchema
		Required             []string
		Default              any
		Minimum, Maximum     json.Number
		MinLength, MaxLength json.Number
	}
)

type pageView struct {
	openapiDocument
	Groups []pageGroup
}

type pageGroup struct {
	Name, Description string
	Operations        []pageOperation
}

type pageOperation struct {
	openapiOperation
	Method, Path string
}

// RenderPage renders the documentation page of an OpenAPI document from Describe. order lists the
// ids of the operations in display order.
func RenderPage(document []byte, order []string) ([]byte, error) {
	var view pageView
	if err := json.Unmarshal(document, &view.openapiDocument); err != nil {
		return nil, fmt.Errorf("render the documentation page: %w", err)
	}
	view.groupOperations(order)
	page, err := template.New("docs").Funcs(view.templateFunctions()).Parse(pageTemplate)
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
	place := map[string]int{}
	for i, id := range order {
		place[id] = i
	}
	for _, tag := range v.Tags {
		g := pageGroup{Name: tag.Name, Description: tag.Description}
		for p, item := range v.Paths {
			for method, op := range item {
				if slices.Contains(op.Tags, tag.Name) {
					g.Operations = append(g.Operations, pageOperation{op, strings.ToUpper(method), p})
				}
			}
		}
		slices.SortFunc(g.Operations, func(a, b pageOperation) int {
			return cmp.Compare(place[a.OperationID], place[b.OperationID])
		})
		v.Groups = append(v.Groups, g)
	}
}

func (v *pageView) templateFunctions() template.FuncMap {
	return template.FuncMap{
		"paragraphs": func(text string) []string { return strings.Split(text, "\n\n") },
		"typed":      typeParts,
		"allowed":    allowedValues,
		"who":        accessText,
		"anchor":     func(s string) string { return "schema-" + s },
		"breakable":  func(path string) []string { return strings.SplitAfter(path, "/") },
		"required":   slices.Contains[[]string],
		"response": func(r openapiResponse) openapiResponse {
			if r.Ref != "" {
				return v.Components.Responses[path.Base(r.Ref)]
			}
			return r
		},
		"isError": func(status string) bool { return status >= "4" },
	}
}

// part is a word in the description of a type. If Schema is set, the word links to that schema.
type part struct{ Text, Schema string }

// typeParts returns words such as "array of Machine" or "string or null".
func typeParts(s openapiSchema) []part {
	switch {
	case s.Ref != "":
		name := path.Base(s.Ref)
		return []part{{name, name}}
	case s.Items != nil:
		return append([]part{{Text: "array of "}}, typeParts(*s.Items)...)
	case s.AdditionalProperties != nil && len(s.Properties) == 0:
		return append([]part{{Text: "object of "}}, typeParts(*s.AdditionalProperties)...)
	case len(s.AllOf) > 0 && s.AllOf[0].Ref != "":
		return append(typeParts(s.AllOf[0]), part{Text: " and more"})
	}
	if list, ok := s.Type.([]any); ok {
		var words []string
		for _, word := range list {
			words = append(words, fmt.Sprint(word))
		}
		return []part{{Text: strings.Join(words, " or ")}}
	}
	if s.Type == nil {
		return []part{{Text: "any"}}
	}
	return []part{{Text: fmt.Sprint(s.Type)}}
}

// allowedValues returns words such as "one of …" or "at most 200 characters".
func allowedValues(s openapiSchema) string {
	var words []string
	if len(s.Enum) > 0 {
		var values []string
		for _, value := range s.Enum {
			values = append(values, fmt.Sprint(value))
		}
		words = append(words, "one of "+strings.Join(values, ", "))
	}
	for _, limit := range []struct {
		name  string
		value json.Number
	}{{"at least %s characters", s.MinLength}, {"at most %s characters", s.MaxLength}, {"at least %s", s.Minimum}, {"at most %s", s.Maximum}} {
		if limit.value != "" {
			words = append(words, fmt.Sprintf(limit.name, limit.value))
		}
	}
	if s.Default != nil {
		words = append(words, fmt.Sprintf("default %v", s.Default))
	}
	return strings.Join(words, "; ")
}

func accessText(security []map[string]any) string {
	words := map[string]string{schemeToken: "bearer token", schemeKey: "API key"}
	var names []string
	open := len(security) == 0
	for _, requirement := range security {
		open = open || len(requirement) == 0
		for _, name := range slices.Sorted(maps.Keys(requirement)) {
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
