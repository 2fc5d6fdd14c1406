package main

import (
	"fmt"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// runScripts is testscript.Run for scripts that skip with a reason of package skip:
//
//	[!cgo] skip 'gcc: the race detector needs a C compiler'
func runScripts(t *testing.T, p testscript.Params) {
	t.Helper()
	p.Dir = "testdata/" + p.Dir
	if deadline, ok := t.Deadline(); ok {
		p.Deadline = deadline
	}
	testscript.RunT(scriptT{t}, p)
}

// scriptT is a *testing.T for testscript.
type scriptT struct{ *testing.T }

// Run runs a script.
func (t scriptT) Run(name string, script func(t testscript.T)) {
	t.T.Run(name, func(t *testing.T) { script(scriptT{t}) })
}

// Skip skips a script for the reason with which its message begins.
func (t scriptT) Skip(message ...any) { skip.Named(t.T, fmt.Sprint(message...)) }

// Verbose reports whether the tests run with -v.
func (scriptT) Verbose() bool { return testing.Verbose() }
