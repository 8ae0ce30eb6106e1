package record

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

//go:embed record.html
var recordPage string

type pageChapter struct {
	Title string
	Told  []pageMessage
}

type pageMessage struct {
	ToldMessage
	Words template.HTML
}

func (r *Record) writeHTML(w io.Writer) error {
	page, err := template.New("record").Parse(recordPage)
	if err != nil {
		return err
	}
	chapters := make([]pageChapter, len(r.Chapters))
	for i := range r.Chapters {
		chapters[i].Title = r.Chapters[i].Title
		for _, t := range r.Tell(&r.Chapters[i]) {
			chapters[i].Told = append(chapters[i].Told, pageMessage{t, wordsHTML(&t)})
		}
	}
	b := bufio.NewWriter(w)
	err = page.Execute(b, map[string]any{
		"Name": r.speakerName(wire.RoleAssistant), "About": terminal.Clean(r.Description),
		"By": r.bylineWords(), "Chapters": chapters,
	})
	if err != nil {
		return fmt.Errorf("writing the conversation as HTML: %w", err)
	}
	return b.Flush()
}

// maxPageMarkdown limits the time for rendering a reply.
const maxPageMarkdown = 32 << 10 // bytes

func wordsHTML(t *ToldMessage) template.HTML {
	if !t.Player && len(t.Text) <= maxPageMarkdown {
		var b bytes.Buffer
		if err := pageMarkdown().Convert([]byte(t.Text), &b); err == nil {
			// Markdown decodes character references such as &#27;.
			// The converter lacks the parsers of raw HTML, and escapes all text.
			return template.HTML(terminal.CleanLines(b.String())) //nolint:gosec // see above
		}
	}
	lines := strings.Split(template.HTMLEscapeString(t.Text), "\n")
	return template.HTML("<p>" + strings.Join(lines, "<br>\n") + "</p>\n") //nolint:gosec // escaped in the line above
}

func pageMarkdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(withoutParser(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
			parser.WithInlineParsers(withoutParser(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithRendererOptions(
			html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(plainLinks{}, 1))),
	)
}

func withoutParser(list []util.PrioritizedValue, kind any) []util.PrioritizedValue {
	var kept []util.PrioritizedValue
	for _, p := range list {
		if fmt.Sprintf("%T", p.Value) != fmt.Sprintf("%T", kind) {
			kept = append(kept, p)
		}
	}
	return kept
}

type plainLinks struct{}

func (l plainLinks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, l.renderTarget)
	r.Register(ast.KindImage, l.renderTarget)
	r.Register(ast.KindAutoLink, l.renderAutoLink)
}

func (plainLinks) renderTarget(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	var destination []byte
	switch n := n.(type) {
	case *ast.Link:
		destination = n.Destination
	case *ast.Image:
		destination = n.Destination
	}
	if !entering {
		_, _ = fmt.Fprintf(w, " (%s)", template.HTMLEscapeString(terminal.Clean(string(destination))))
	}
	return ast.WalkContinue, nil
}

func (plainLinks) renderAutoLink(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if link, ok := n.(*ast.AutoLink); ok && entering {
		_, _ = w.WriteString(template.HTMLEscapeString(string(link.URL(src))))
	}
	return ast.WalkContinue, nil
}
