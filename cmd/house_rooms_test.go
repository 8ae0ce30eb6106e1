package cmd_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/go/packages"
)

// What a package may be at most: more is a hall, not a room.
const (
	maxPackageFiles = 30
	maxCircle       = 15 // of files that need each other
	maxMethods      = 50 // of one type
)

// manyMethods are types that stand for a whole interface, and one that is to be cut.
var manyMethods = map[string]bool{"client.Client": true, "personas/lint.machineContext": true}

// overfull are packages that have outgrown the limits: how many files each may have, and
// how many of them may need each other, until it is cut. They may not grow further.
var overfull = map[string]struct{ files, circle int }{
	"cmd/author":               {maxPackageFiles, 20},
	"localserver":              {32, 27},
	"localserver/llm/provider": {33, maxCircle},
	"localserver/store":        {32, 23},
	"personas":                 {maxPackageFiles, 16},
}

// TestRooms: inside of each package there are floors too, and no name hides a
// builtin or a package.
func TestRooms(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{Dir: "..", Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax |
		packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded) < 20 {
		t.Fatalf("only %d packages were loaded", len(loaded))
	}
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		r := newRoom(p)
		for _, fault := range slices.Concat(r.checkSize(), r.checkMethods(), r.findShadows()) {
			t.Error(fault)
		}
	}
}

// room is a package as its rules see it: the files that people wrote, and for each
// the files whose names it uses.
type room struct {
	*packages.Package
	name  string
	files []string
	uses  map[string]map[string]bool
}

func newRoom(p *packages.Package) *room {
	r := &room{Package: p, name: strings.TrimPrefix(p.PkgPath, module+"/"), uses: map[string]map[string]bool{}}
	for _, f := range p.Syntax {
		if !ast.IsGenerated(f) {
			r.files = append(r.files, r.fileOf(f.Pos()))
		}
	}
	for id, object := range p.TypesInfo.Uses {
		if object.Pkg() == p.Types && isDeclaration(object) {
			r.addUse(r.fileOf(id.Pos()), r.fileOf(object.Pos()))
		}
	}
	return r
}

func (r *room) fileOf(pos token.Pos) string { return filepath.Base(r.Fset.Position(pos).Filename) }

func (r *room) addUse(from, to string) {
	if from == to || !slices.Contains(r.files, from) || !slices.Contains(r.files, to) {
		return
	}
	if r.uses[from] == nil {
		r.uses[from] = map[string]bool{}
	}
	r.uses[from][to] = true
}

// isDeclaration reports whether a name is of the package, a method or a field, and not local.
func isDeclaration(object types.Object) bool {
	switch o := object.(type) {
	case *types.Func:
		return true
	case *types.Var:
		return o.IsField() || o.Parent() == o.Pkg().Scope()
	}
	return object.Parent() == object.Pkg().Scope()
}

func (r *room) checkSize() []string {
	var faults []string
	most := overfull[r.name]
	most.files, most.circle = max(most.files, maxPackageFiles), max(most.circle, maxCircle)
	if n := len(r.files); n > most.files {
		faults = append(faults, fmt.Sprintf("%s has %d files, over %d: cut it where its users change", r.name, n, most.files))
	}
	if circle := r.largestCircle(); len(circle) > most.circle {
		faults = append(faults, fmt.Sprintf("%s: %d files need each other, over %d: %s", r.name, len(circle), most.circle, strings.Join(circle, " ")))
	}
	return faults
}

// largestCircle returns the largest set of files each of which needs all others.
func (r *room) largestCircle() []string {
	reach := map[string]map[string]bool{}
	for _, f := range r.files {
		reach[f] = r.reachable(f)
	}
	var largest []string
	for _, f := range r.files {
		var circle []string
		for other := range reach[f] {
			if reach[other][f] {
				circle = append(circle, other)
			}
		}
		if len(circle) > len(largest) {
			slices.Sort(circle)
			largest = circle
		}
	}
	return largest
}

func (r *room) reachable(from string) map[string]bool {
	seen := map[string]bool{}
	open := []string{from}
	for len(open) > 0 {
		f := open[len(open)-1]
		open = open[:len(open)-1]
		for to := range r.uses[f] {
			if !seen[to] {
				seen[to] = true
				open = append(open, to)
			}
		}
	}
	return seen
}

func (r *room) checkMethods() []string {
	var faults []string
	scope := r.Types.Scope()
	for _, name := range scope.Names() {
		declared, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !slices.Contains(r.files, r.fileOf(declared.Pos())) || manyMethods[r.name+"."+name] {
			continue
		}
		if named, ok := declared.Type().(*types.Named); ok && named.NumMethods() > maxMethods {
			faults = append(faults, fmt.Sprintf("%s.%s has %d methods, over %d: break it up by what it does", r.name, name, named.NumMethods(), maxMethods))
		}
	}
	return faults
}

// findShadows finds functions, variables and parameters that are named as a builtin
// or as a package that their file imports.
func (r *room) findShadows() []string {
	var faults []string
	imported := r.importsByFile()
	for id, object := range r.TypesInfo.Defs {
		if object == nil || id.Name == "_" || !hides(object) {
			continue
		}
		at := r.Fset.Position(id.Pos())
		switch {
		case types.Universe.Lookup(id.Name) != nil:
			faults = append(faults, fmt.Sprintf("%s: %s hides a builtin", at, id.Name))
		case imported[at.Filename][id.Name]:
			faults = append(faults, fmt.Sprintf("%s: %s hides a package that is imported", at, id.Name))
		}
	}
	return faults
}

// hides reports whether a name can stand where another one was meant: fields and
// methods cannot, since they are never written alone.
func hides(object types.Object) bool {
	switch o := object.(type) {
	case *types.Var:
		return !o.IsField()
	case *types.Func:
		return o.Signature().Recv() == nil
	case *types.PkgName:
		return false
	}
	return true
}

func (r *room) importsByFile() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, f := range r.Syntax {
		names := map[string]bool{}
		for _, spec := range f.Imports {
			if name := r.TypesInfo.PkgNameOf(spec); name != nil {
				names[name.Name()] = true
			}
		}
		all[r.Fset.Position(f.Pos()).Filename] = names
	}
	return all
}

// retired are words of a dialect that the code once spoke: what they meant has a
// name in docs/house.md, "Words", and nobody would search for these.
var retired = strings.Fields("desk keepsake lender lobby sluice inflow understudy venue")

// noRetiredWords refuses declared names that hold one of them.
func noRetiredWords(s *source) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		for _, id := range declaredNames(n) {
			for _, word := range splitWords(id.Name) {
				if slices.Contains(retired, word) {
					s.fault(id.Pos(), fmt.Sprintf("%s: %q is retired; docs/house.md, \"Words\", has a plain one", id.Name, word))
				}
			}
		}
		return true
	})
}

// declaredNames are the names that a node of the syntax declares.
func declaredNames(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.Field:
		return n.Names
	}
	return nil
}

// splitWords returns the words of a name in lower case: loadSession is load, session.
func splitWords(name string) []string {
	var words []string
	for len(name) > 0 {
		end := 1 + strings.IndexFunc(name[1:]+"A", unicode.IsUpper)
		words = append(words, strings.ToLower(name[:end]))
		name = name[end:]
	}
	return words
}

// TestRoomsBite: each rule about rooms finds what it is for.
func TestRoomsBite(t *testing.T) {
	source := "package p\n\nimport \"fmt\"\n\ntype wide struct{}\n"
	for i := range maxMethods + 1 {
		source += fmt.Sprintf("\nfunc (wide) m%d() {}\n", i)
	}
	source += "\nfunc f(len int) { fmt := len; _ = fmt }\n\nfunc g() { fmt.Println() }\n"
	r := newRoom(typeCheck(t, source))
	if len(r.checkMethods()) != 1 {
		t.Errorf("methods: %q", r.checkMethods())
	}
	if got := r.findShadows(); len(got) != 2 {
		t.Errorf("names: %q", got)
	}
	r.uses = map[string]map[string]bool{}
	r.files = nil
	for i := range maxPackageFiles + 1 {
		r.files = append(r.files, fmt.Sprint(i))
	}
	for i := range maxCircle + 1 {
		r.addUse(fmt.Sprint(i), fmt.Sprint((i+1)%(maxCircle+1)))
	}
	if got := r.checkSize(); len(got) != 2 || !strings.Contains(got[1], "16 files") {
		t.Errorf("size: %q", got)
	}
	r.files = r.files[:maxPackageFiles]
	delete(r.uses, "0")
	if got := r.checkSize(); len(got) != 0 {
		t.Errorf("at the limits: %q", got)
	}
}

func typeCheck(t *testing.T, text string) *packages.Package {
	t.Helper()
	s := parse(t, "p/p.go", []byte(text))
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}}
	checked, err := (&types.Config{Importer: stub{}}).Check(module+"/p", s.fset, []*ast.File{s.file}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &packages.Package{PkgPath: module + "/p", Fset: s.fset, Syntax: []*ast.File{s.file}, Types: checked, TypesInfo: info}
}

// stub imports a package fmt that has Println alone.
type stub struct{}

func (stub) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path)
	p.Scope().Insert(types.NewFunc(token.NoPos, p, "Println", types.NewSignatureType(nil, nil, nil, nil, nil, false)))
	p.MarkComplete()
	return p, nil
}
