package fix

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/sluiceio/sluice/bench/outcomes"
)

// program is all that was loaded.
type program struct {
	dir      string
	fset     *token.FileSet
	sources  map[string]*source // by absolute name
	configs  []*config
	matches  map[string]bool // names of the files of packages that the user has named
	unseen   []*source       // files that no configuration has
	modules  []string        // directories of the modules of the packages that the user has named
	required bool
	notes    []string
	progress func(Step)
}

// source is a file of Go, parsed once for all configurations.
type source struct {
	name string
	text []byte
	tree *ast.File
	err  error

	module    bool // of a module that is being worked on
	generated bool
	cgo       bool
}

// config is the packages as one system sees them.
type config struct {
	goos, goarch string   // "" is the current one
	differs      *differs // nil for the current one
	roots        []*packages.Package
	packages     map[string]*unit // by ID
	// The packages of the modules that are changed, dependencies first
	module  []*unit
	checked []*unit // the packages whose functions have their bodies
}

// unit is a package, or a variant of it for tests.
type unit struct {
	*packages.Package
	module bool // of a module that is being worked on
	whole  bool // the bodies of its functions are looked at
	trees  []*ast.File
	looked []*ast.File // trees, without the bodies that are not looked at on other systems
	types  *types.Package
	info   *types.Info
	errs   []types.Error
}

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedModule | packages.NeedForTest

// load loads the packages that o names, and those of the same modules, which may use them.
func load(ctx context.Context, o Options) (*program, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	p := &program{
		dir: dir, fset: token.NewFileSet(), sources: make(map[string]*source), matches: make(map[string]bool), progress: o.Progress,
	}
	p.step(Step{Doing: "listing packages"})
	named, err := p.list(ctx, o, nil, o.Patterns, packages.NeedName|packages.NeedFiles|packages.NeedModule|packages.NeedForTest)
	if err != nil {
		return nil, err
	}
	modules, err := p.match(named)
	if err != nil {
		return nil, err
	}
	o.Patterns = append(slices.Clone(o.Patterns), modules...)
	first, err := p.addConfig(ctx, o, "", "", nil)
	if err != nil {
		return nil, err
	}
	if err := p.firstError(first); err != nil {
		return nil, err
	}
	if err := p.otherSystems(ctx, o, first); err != nil {
		return nil, err
	}
	for _, pkg := range named {
		if pkg.Module != nil {
			p.required = p.required || requires(pkg.Module)
		}
	}
	return p, nil
}

// step says what is being done.
func (p *program) step(s Step) {
	if p.progress != nil {
		p.progress(s)
	}
}

// list runs the go command.
func (p *program) list(ctx context.Context, o Options, env, patterns []string, mode packages.LoadMode) ([]*packages.Package, error) {
	base := o.Env
	if base == nil {
		base = os.Environ()
	}
	c := &packages.Config{
		Context: ctx, Dir: p.dir, Mode: mode, Tests: true,
		Env: append(append(slices.Clone(base), "PWD="+p.dir), env...),
	}
	if o.Tags != "" {
		c.BuildFlags = []string{"-tags=" + o.Tags}
	}
	list, err := packages.Load(c, patterns...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// Package packages writes: err: ERROR: stderr: TEXT
		failed, text, _ := strings.Cut(strings.TrimPrefix(err.Error(), "err: "), ": stderr:")
		return nil, errors.New(cmp.Or(firstMessage(text), firstMessage(failed)))
	}
	return list, nil
}

// firstMessage returns the first message of the go command's text, in one line.
func firstMessage(text string) string {
	return strings.TrimPrefix(outcomes.FirstMessage(text), "go: ")
}

// match notes which files the user has named, and returns the patterns of their modules.
func (p *program) match(named []*packages.Package) (modules []string, err error) {
	for _, pkg := range named {
		for _, e := range pkg.Errors {
			return nil, errors.New(p.goError(e))
		}
		if strings.HasSuffix(pkg.ID, ".test") {
			continue
		}
		if pkg.Module == nil && len(pkg.GoFiles) > 0 && pkg.PkgPath != "command-line-arguments" {
			return nil, fmt.Errorf("%s is a package of the standard library; want packages of a module that you work on", pkg.PkgPath)
		}
		if pkg.Module != nil {
			if !pkg.Module.Main {
				return nil, fmt.Errorf("%s is a package of the module %s, which is not being worked on here; run sluice fix in its own tree", pkg.PkgPath, pkg.Module.Path)
			}
			if pkg.Module.Path == modulePath {
				return nil, fmt.Errorf("%s belongs to package sluice itself, which opens its files with package os", pkg.PkgPath)
			}
			if pattern := pkg.Module.Path + "/..."; !slices.Contains(modules, pattern) {
				modules = append(modules, pattern)
				p.modules = append(p.modules, pkg.Module.Dir)
			}
		}
		for _, name := range append(slices.Clone(pkg.GoFiles), pkg.IgnoredFiles...) {
			p.matches[name] = true
		}
	}
	if len(p.matches) == 0 {
		return nil, errors.New("no packages to fix")
	}
	return modules, nil
}

// goError returns an error of the go command in one line, with the name of the file as seen
// from the current directory.
func (p *program) goError(e packages.Error) string {
	text := strings.ReplaceAll(firstMessage(e.Msg), p.dir+string(filepath.Separator), "./")
	if strings.Contains(text, "does not contain main module") {
		text += " (is there a go.mod?)"
	}
	name, place, _ := strings.Cut(e.Pos, ":")
	if name == "" || name == "-" || strings.HasPrefix(text, name) {
		return text
	}
	if rel, err := filepath.Rel(p.dir, name); err == nil && filepath.IsAbs(name) {
		name = rel
	}
	return name + ":" + place + ": " + text
}

// addConfig loads the packages that o names for a system: the current one if d is nil, or one that
// differs by d.
func (p *program) addConfig(ctx context.Context, o Options, goos, goarch string, d *differs) (*config, error) {
	c := &config{goos: goos, goarch: goarch, differs: d, packages: make(map[string]*unit)}
	var env []string
	system := "this system"
	if goos != "" {
		system = goos + "/" + goarch
		env = []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
	}
	p.step(Step{Doing: "listing packages for " + system})
	var err error
	if c.roots, err = p.list(ctx, o, env, o.Patterns, loadMode); err != nil {
		return nil, err
	}
	var order []*unit
	packages.Visit(c.roots, nil, func(pkg *packages.Package) {
		if _, seen := c.packages[pkg.ID]; seen {
			return
		}
		u := &unit{Package: pkg, module: pkg.Module != nil && pkg.Module.Main}
		if pkg.PkgPath == "command-line-arguments" || strings.HasPrefix(pkg.ID, "command-line-arguments ") {
			u.module = true
		}
		u.whole = u.module && (d == nil || d.only[strings.TrimSuffix(pkg.PkgPath, "_test")])
		c.packages[pkg.ID] = u
		if !strings.HasSuffix(u.ID, ".test") { // its main function is of the go command's making
			order = append(order, u)
		}
	})
	p.step(Step{Doing: "parsing packages for " + system})
	p.parse(c, order)
	if err := p.checkAll(ctx, c, order, "type-checking packages for "+system); err != nil {
		return nil, err
	}
	for _, u := range order {
		if u.module {
			c.module = append(c.module, u)
		}
		if u.whole {
			c.checked = append(c.checked, u)
		}
	}
	p.configs = append(p.configs, c)
	return c, nil
}

// checkAll type-checks the packages, as many at once as there are processors, each after those
// that it imports.
func (p *program) checkAll(ctx context.Context, c *config, order []*unit, doing string) error {
	ready := make(map[string]chan struct{}, len(order))
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	done := 0
	var checking sync.WaitGroup
	for _, u := range order { // dependencies first
		var before []chan struct{}
		for _, imported := range u.Imports {
			if ch := ready[imported.ID]; ch != nil {
				before = append(before, ch)
			}
		}
		checked := make(chan struct{})
		ready[u.ID] = checked
		checking.Go(func() {
			defer close(checked)
			for _, ch := range before {
				<-ch
			}
			processors <- struct{}{}
			defer func() { <-processors }()
			if ctx.Err() != nil {
				return
			}
			p.checkTypes(c, u)
			mu.Lock()
			defer mu.Unlock()
			done++
			p.step(Step{doing, done, len(order)})
		})
	}
	checking.Wait()
	return ctx.Err()
}

// parse parses the files of the packages that are not parsed yet.
func (p *program) parse(c *config, units []*unit) {
	var work []*source
	for _, u := range units {
		for _, name := range u.GoFiles {
			s := p.sources[name]
			if s == nil {
				s = &source{name: name}
				p.sources[name] = s
				work = append(work, s)
			}
			s.module = s.module || u.module
		}
	}
	var wait sync.WaitGroup
	next := make(chan *source)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for s := range next {
				s.parse(p.fset)
			}
		})
	}
	for _, s := range work {
		next <- s
	}
	close(next)
	wait.Wait()
	for _, u := range units {
		for _, name := range u.GoFiles {
			if s := p.sources[name]; s != nil && s.tree != nil {
				u.trees = append(u.trees, s.tree)
				u.looked = append(u.looked, c.looked(s, s.tree))
			}
		}
	}
}

func (s *source) parse(fset *token.FileSet) {
	if s.text, s.err = os.ReadFile(s.name); s.err != nil {
		return
	}
	mode := parser.SkipObjectResolution
	if s.module {
		mode |= parser.ParseComments
	}
	s.tree, s.err = parser.ParseFile(fset, s.name, s.text, mode)
	if s.tree == nil {
		return
	}
	s.generated = ast.IsGenerated(s.tree)
	for _, spec := range s.tree.Imports {
		s.cgo = s.cgo || spec.Path.Value == `"C"`
	}
}

// checkTypes type-checks a package whose dependencies are checked.
func (p *program) checkTypes(c *config, u *unit) {
	if u.PkgPath == "unsafe" {
		u.types = types.Unsafe
		return
	}
	if u.whole {
		u.info = newInfo()
	}
	conf := p.typesConfig(c, u, func(path string) *types.Package {
		if pkg := u.Imports[path]; pkg != nil {
			return c.packages[pkg.ID].types
		}
		return nil
	})
	conf.Error = func(err error) {
		if te, ok := errors.AsType[types.Error](err); ok && !p.unfounded(c, te) {
			u.errs = append(u.errs, te)
		}
	}
	u.types, _ = conf.Check(u.PkgPath, p.fset, u.looked, u.info)
}

func newInfo() *types.Info {
	return &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Instances:  make(map[*ast.Ident]types.Instance),
	}
}

// typesConfig returns the configuration of the type checker for u.
func (p *program) typesConfig(c *config, u *unit, imported func(path string) *types.Package) *types.Config {
	conf := &types.Config{
		Importer: importer(imported), FakeImportC: true, IgnoreFuncBodies: !u.whole,
		Sizes: types.SizesFor("gc", cmp.Or(c.goarch, build.Default.GOARCH)),
	}
	if u.Module != nil && u.Module.GoVersion != "" {
		conf.GoVersion = "go" + u.Module.GoVersion
	}
	return conf
}

// importer is a types.Importer.
type importer func(path string) *types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := i(path); pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("no package %q", path)
}

// firstError returns why the packages of the user cannot be changed.
func (p *program) firstError(c *config) error {
	for _, u := range c.checked {
		if !slices.ContainsFunc(u.GoFiles, func(name string) bool { return p.matches[name] }) {
			continue
		}
		for _, e := range u.Errors {
			return fmt.Errorf("%s does not compile: %s", u.PkgPath, p.goError(e))
		}
		for _, path := range slices.Sorted(maps.Keys(u.Imports)) {
			for _, e := range u.Imports[path].Errors {
				return fmt.Errorf("%s does not compile: %s", u.PkgPath, p.goError(e))
			}
		}
		for _, name := range u.GoFiles {
			if s := p.sources[name]; s.err != nil {
				return fmt.Errorf("%s does not compile: %s", u.PkgPath, p.relative(firstMessage(s.err.Error())))
			}
		}
		for _, e := range u.errs {
			return fmt.Errorf("%s does not compile: %s: %s", u.PkgPath, p.position(e.Pos), firstMessage(e.Msg))
		}
	}
	return nil
}

// relative removes the current directory from the name at the beginning of a message.
func (p *program) relative(text string) string {
	return strings.TrimPrefix(text, p.dir+string(filepath.Separator))
}

// position returns the position with the file's name as seen from the current directory.
func (p *program) position(pos token.Pos) token.Position {
	at := p.fset.PositionFor(pos, false)
	if rel, err := filepath.Rel(p.dir, at.Filename); err == nil && at.IsValid() {
		at.Filename = rel
	}
	return at
}

// source returns the file of pos, or nil.
func (p *program) source(pos token.Pos) *source {
	f := p.fset.File(pos)
	if f == nil {
		return nil
	}
	return p.sources[f.Name()]
}

// matched reports whether pos is in a file of a package that the user has named.
func (p *program) matched(pos token.Pos) bool {
	s := p.source(pos)
	return s != nil && p.matches[s.name]
}

func (p *program) rewritable(pos token.Pos) bool { return p.notRewritable(pos) == nil }

// notRewritable returns why the file of pos stays as it is, or nil.
func (p *program) notRewritable(pos token.Pos) *pin {
	switch s := p.source(pos); {
	case s == nil || !s.module:
		return &pin{pos, "the source belongs to another module"}
	case !p.matches[s.name]:
		return &pin{pos, "the package is not among those to fix"}
	case s.generated:
		return &pin{pos, "the source is generated; change its generator"}
	case s.cgo:
		return &pin{pos, "the source uses cgo"}
	}
	return nil
}

// requires reports whether the go.mod of m names package sluice's module.
func requires(m *packages.Module) bool {
	if m.Path == modulePath {
		return true
	}
	text, err := os.ReadFile(m.GoMod)
	return err == nil && bytes.Contains(text, []byte(modulePath+" "))
}

func comparePositions(x, y token.Position) int {
	return cmp.Or(strings.Compare(x.Filename, y.Filename), cmp.Compare(x.Offset, y.Offset))
}
