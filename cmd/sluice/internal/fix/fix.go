package fix

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// Options say what is rewritten. The zero value is for the package in the current directory.
type Options struct {
	Dir      string   // where the go command runs; "" means the current directory
	Patterns []string // packages, as the go command names them; none means "."
	Tags     string   // build tags, separated by commas
	Exported bool     // change exported names of library packages, too
	Env      []string // of the go command; nil means the environment of the process

	// Progress, if it is not nil, is called with what Run does, by one goroutine at a time.
	Progress func(Step)
}

// Result is what Run found. Nothing is written until Write is called.
type Result struct {
	Files []*File // those that change, by name
	Left  []Left  // calls that stay as they are, with the reason
	Calls int     // calls that are replaced, and uses of these functions as values
	Types int     // uses of the type os.File that are replaced
	Notes []string

	// Modules are the directories of the modules whose packages are named.
	Modules []string

	dir      string
	required bool
}

// File is a file that changes.
type File struct {
	Name     string // absolute
	Old, New []byte
}

// Left is a reason for which calls stay as they are.
type Left struct {
	At     token.Position // of what must stay an *os.File
	Reason string
	Calls  []Call
}

// Call is a use of a function of package os that opens files.
type Call struct {
	At   token.Position
	Name string // os.Open
}

// Required reports whether the module of the packages already has package sluice among its
// requirements.
func (r *Result) Required() bool { return r.required }

// Run loads the packages and computes their new text. Its error says why nothing can be
// rewritten, such as a package that does not compile.
func Run(ctx context.Context, o Options) (*Result, error) {
	if len(o.Patterns) == 0 {
		o.Patterns = []string{"."}
	}
	p, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	a := newAnalysis(p)
	for _, c := range p.configs {
		for _, pkg := range c.checked {
			a.walk(c, pkg)
		}
	}
	a.pinExported(o.Exported)
	a.pinUnseen()
	a.observeTypeArgs()
	a.pinReflected()
	a.pinEmbedded()
	for _, c := range p.configs {
		for _, pkg := range c.checked {
			a.pinHiding(pkg)
		}
	}
	a.propagate()
	files, err := a.rewrite(ctx)
	if err != nil {
		return nil, err
	}
	r := &Result{Files: files, dir: p.dir, required: p.required, Notes: p.notes, Modules: p.modules}
	a.count(r)
	return r, nil
}

// rewrite returns the files of the largest set of classes that compiles. Each round that
// does not compile pins at least one class.
func (a *analysis) rewrite(ctx context.Context) ([]*File, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		files := a.edit(a.chosen())
		wrong := a.check(files)
		if wrong == nil {
			return a.finish(files)
		}
		if !a.pinWrong(wrong) {
			return nil, fmt.Errorf("internal error: the result does not compile, and nothing was changed: %s: %s", a.p.position(wrong.pos), wrong.text)
		}
	}
}

// chosen returns the sites to replace, in the order of their positions.
func (a *analysis) chosen() []*site {
	var chosen []*site
	opens := a.openClasses()
	for _, s := range a.sites {
		if s.pinned != nil || !a.p.rewritable(s.expr.Pos()) {
			continue
		}
		if s.node == none || opens[a.files.find(s.node)] && a.pinOf(s.node) == nil {
			chosen = append(chosen, s)
		}
	}
	slices.SortFunc(chosen, func(x, y *site) int { return int(x.expr.Pos() - y.expr.Pos()) })
	return chosen
}

// openClasses returns the classes in which a call opens a file: no other class has a reason
// to change.
func (a *analysis) openClasses() map[int]bool {
	opens := make(map[int]bool)
	for _, s := range a.sites {
		if s.call && s.node != none {
			opens[a.files.find(s.node)] = true
		}
	}
	return opens
}

// count adds to r what changed and what is left.
func (a *analysis) count(r *Result) {
	changed := make(map[ast.Expr]bool)
	for _, s := range a.chosen() {
		changed[s.expr] = true
		if s.call {
			r.Calls++
		} else {
			r.Types++
		}
	}
	for _, s := range a.sites {
		if !s.call || changed[s.expr] || !a.p.matched(s.expr.Pos()) {
			continue
		}
		pin := s.pinned
		if pin == nil && s.node != none {
			pin = a.pinOf(s.node)
		}
		if pin == nil {
			pin = a.p.notRewritable(s.expr.Pos())
		}
		r.leave(*pin, a.p, Call{At: a.p.position(s.expr.Pos()), Name: s.name})
	}
	for i := range r.Left {
		slices.SortFunc(r.Left[i].Calls, func(x, y Call) int { return comparePositions(x.At, y.At) })
	}
	slices.SortFunc(r.Left, func(x, y Left) int { return comparePositions(x.Calls[0].At, y.Calls[0].At) })
}

// leave adds a call that stays.
func (r *Result) leave(why pin, p *program, c Call) {
	at := p.position(why.pos)
	for i := range r.Left {
		if r.Left[i].Reason == why.reason && r.Left[i].At == at {
			r.Left[i].Calls = append(r.Left[i].Calls, c)
			return
		}
	}
	r.Left = append(r.Left, Left{At: at, Reason: why.reason, Calls: []Call{c}})
}
