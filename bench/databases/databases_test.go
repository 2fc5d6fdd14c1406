package main

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// TestMain lets the test's program be a process that performs a case.
func TestMain(m *testing.M) {
	if os.Getenv(caseVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestCases makes each database, opens it, and performs operations of each client. A missing record
// must be an error.
func TestCases(t *testing.T) {
	const records = 300
	for _, c := range slices.Concat(cases, programs) {
		if c.command != nil {
			continue // its program is not built here
		}
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.fill != nil {
				t.Chdir(dir)
				if err := c.fill(".", records); err != nil {
					t.Fatal(err)
				}
			}
			for _, n := range c.goroutines {
				w, err := c.begin(load.Setup{Path: dir, Load: load.Load{Goroutines: n, Records: records}})
				if err != nil {
					t.Fatal(err)
				}
				random := rand.New(rand.NewPCG(1, 2))
				for i := range 3 * n {
					if err := w.do(i%n, random); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			}
			if c.fill == nil {
				return
			}
			w, err := c.begin(load.Setup{Path: dir, Load: load.Load{Goroutines: 1, Records: 1000 * records}})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			random := rand.New(rand.NewPCG(1, 2))
			for err = nil; err == nil; {
				err = w.do(0, random)
			}
		})
	}
}

// TestArguments checks that the errors of wrong arguments name the mistake.
func TestArguments(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"-size 1MiB", "-size: 1048576 is too small"},
		{"-time 0s", "-time: 0s; want more than 0"},
		{"-rounds 0", "-rounds: 0; want at least 1"},
		{"-make programs", "-make: there is no -keep"},
		{"-write", "-write: there are no -rows"},
		{"bolt", `unknown case "bolt"; there are goleveldb`},
	} {
		if _, err := parse(strings.Fields(test.args)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %q", test.args, err, test.want)
		}
	}
	if o, err := parse([]string{"etcd-wal"}); err != nil || len(o.cases) != 1 || o.cases[0].name != "etcd-wal" {
		t.Errorf("parse = %v, %v; want the case", o.cases, err)
	}
}

// TestPage checks a row of the page.
func TestPage(t *testing.T) {
	result := func(ops float64, threads int) *duel.Result {
		r := &duel.Result{Threads: threads}
		for range 12 {
			r.Rounds = append(r.Rounds, load.Slice{Ops: ops, Elapsed: time.Second, CPU: time.Second, P99: time.Duration(1e9 / ops)})
		}
		return r
	}
	var b strings.Builder
	rows := []row{newRow(cases[0], 64, []*duel.Result{result(1000, 70), result(2000, 9)})}
	writePage(&b, form(options{size: 1 << 30, rounds: 12, time: time.Second}, "a machine", time.Unix(0, 0)), rows)
	for _, want := range []string{
		"| goleveldb | github.com/syndtr/goleveldb | Get of a random key | 64 | 1.00k | 2.00 | 2.00-2.00 | ahead | 0.50 | 0.50 | 70, 9 |",
		"databases of 1 GiB, 12 rounds of 1s", "- goleveldb: each Get reads",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, b.String())
		}
	}
}
