package proof_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// breaking has Options with a function that calls end.
var breaking = map[string]func(end func()) option.Options{
	"OnDone": func(end func()) option.Options {
		return option.Options{OnDone: func(d report.Done) {
			if d.What == report.Copied {
				end()
			}
		}}
	},
	"OnDone of a directory": func(end func()) option.Options {
		return option.Options{OnDone: func(d report.Done) {
			if d.What == report.MadeDir || d.What == report.Merged {
				end()
			}
		}}
	},
	"OnError": func(end func()) option.Options {
		return option.Options{OnError: func(*report.Error) { end() }}
	},
	"OnError of an fsync": func(end func()) option.Options {
		return option.Options{OnError: func(*report.Error) { end() }, Sync: option.SyncFiles}
	},
	"OnWait": func(end func()) option.Options { return option.Options{OnWait: end} },
	"Ask": func(end func()) option.Options {
		return option.Options{Ask: func(string) bool { end(); return true }}
	},
	"Backup": func(end func()) option.Options {
		return option.Options{Backup: func(string) (string, error) { end(); return "", nil }}
	},
}

// breakableTree makes a tree with a large file, a file that cannot be copied, and directories. It
// also makes a part of the tree's copy.
func breakableTree(t *testing.T) (dst, src string) {
	t.Helper()
	src, dst = filepath.Join(t.TempDir(), "tree"), filepath.Join(t.TempDir(), "copy")
	for i := range 4 {
		from, to := fmt.Sprintf("%s/%d", src, i), fmt.Sprintf("%s/%d", dst, i)
		for _, dir := range []string{from, to + "/in the way"} {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		for name, size := range map[string]int{"a": 10, "b": 1 << 20, "c": 10, "in the way": 10} {
			if err := os.WriteFile(filepath.Join(from, name), make([]byte, size), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(to, "a"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dst, src
}

// TestCallbackDoesNotReturn has a function of the Options that panics or ends its goroutine. The
// copy must end. No goroutine may wait, and no file may stay open.
func TestCallbackDoesNotReturn(t *testing.T) {
	for name, options := range breaking {
		for _, concurrency := range []int{1, 8} {
			t.Run(fmt.Sprintf("%s/%d", name, concurrency), func(t *testing.T) {
				endBy(t, options(runtime.Goexit), concurrency)
			})
		}
		// With one goroutine, the panic reaches the caller of Copy. A panic in another goroutine
		// would end the program.
		t.Run(name+"/panic", func(t *testing.T) {
			if strings.Contains(name, "fsync") {
				skip.For(t, skip.Case, "called by other goroutines")
			}
			if r := endBy(t, options(func() { panic("mine") }), 1); r != "mine" {
				t.Errorf("Copy panicked with %v; want mine", r)
			}
		})
	}
}

// endBy copies with o in a new goroutine. It returns the value with which Copy panicked.
func endBy(t *testing.T, o option.Options, concurrency int) (panicked any) {
	t.Helper()
	dst, src := breakableTree(t)
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	o.Concurrency = concurrency
	before := testenv.HeldNow(t)
	ended := make(chan struct{})
	var err error
	returned := false
	go func() {
		defer close(ended)
		defer func() { panicked = recover() }()
		_, err = withinOn(t, s, dst, src, o)
		returned = true
	}()
	<-ended
	if returned && (err == nil || !strings.Contains(err.Error(), "runtime.Goexit")) {
		t.Errorf("Copy = %v; want the error of runtime.Goexit", err)
	}
	if err := s.Close(); err != nil { // waits for the copy
		t.Error(err)
	}
	testenv.WaitFor(t, "all that the copy has opened and started to end", func() bool {
		return len(before.More(testenv.HeldNow(t))) == 0
	})
	return panicked
}

// TestCallbackDoesNotReturnLinks has an OnWait that ends the copy of a file with two names, while
// another worker waits to link the second name.
func TestCallbackDoesNotReturnLinks(t *testing.T) {
	src := filepath.Join(t.TempDir(), "tree")
	put(t, filepath.Join(src, "0/large"), strings.Repeat("x", 1<<20))
	must(t, os.Mkdir(filepath.Join(src, "1"), 0o755), os.Link(filepath.Join(src, "0/large"), filepath.Join(src, "1/large")))
	o := option.Options{
		Preserve: option.PreserveLinks, Reflink: option.ReflinkNever, Concurrency: 2,
		OnWait: func() {
			testenv.WaitOr(
				func() bool { return hang.Parked("hardlink.(*Copy).Wait") > 0 },
				func() { t.Error("no worker waits for the copy") })
			runtime.Goexit()
		},
	}
	dst := filepath.Join(t.TempDir(), "copy")
	ended := make(chan struct{})
	var err error
	returned := false
	go func() { // OnWait may end it
		defer close(ended)
		_, err = within(t, dst, src, o)
		returned = true
	}()
	<-ended
	if returned && (err == nil || !strings.Contains(err.Error(), "runtime.Goexit")) {
		t.Errorf("Copy = %v; want the error of runtime.Goexit", err)
	}
}
