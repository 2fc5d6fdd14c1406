// Command builds compares how long `go build` and `sluice build` take for a program:
//
//	go run ./dev/builds [-pairs 8] [-first 0] DIRECTORY [PACKAGE]
//
// DIRECTORY is a copy of the program's module, in which the command adds a file to the package. A
// pair is one build by each, in new processes, and the next pair begins with the other one. Before
// that both were built once, so that what they compile is in the build cache. The table has
// medians: of an unchanged program, and of one with another constant in a function of its main
// package. With -first there are as many pairs of first builds, each with an empty build cache.
//
// Processor time is of the command and of all the processes that it started.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := program{ctx: ctx}
	flag.StringVar(&p.sluice, "sluice", "sluice", "the command sluice")
	pairs := flag.Int("pairs", 8, "pairs of builds of each row")
	first := flag.Int("first", 0, "pairs of first builds, each with empty caches")
	flag.Parse()
	if flag.NArg() < 1 || flag.NArg() > 2 || *pairs < 1 {
		flag.Usage()
		os.Exit(2)
	}
	p.dir, p.pkg = flag.Arg(0), "."
	if flag.NArg() == 2 {
		p.pkg = flag.Arg(1)
	}
	if err := p.run(*pairs, *first); err != nil {
		fmt.Fprintln(os.Stderr, "builds:", err)
		os.Exit(1)
	}
}

// program is what is built.
type program struct {
	ctx      context.Context
	sluice   string
	dir, pkg string
	out      string // the directory of the programs
}

// side is one of the two commands, and what its builds took.
type side struct {
	command   string
	wall, cpu []time.Duration
}

func (p *program) run(pairs, first int) (err error) {
	if p.out, err = os.MkdirTemp("", "builds-"); err != nil {
		return err
	}
	defer os.RemoveAll(p.out)
	fmt.Print("| builds | pairs | wall: go, sluice | ratio | processor: go, sluice | ratio |\n|---|---|---|---|---|---|\n")
	if err := p.edit(0); err != nil {
		return err
	}
	defer func() { _ = os.Remove(p.added()) }()
	nothing := func(int) error { return nil }
	if first > 0 {
		if err := p.row("first, with empty caches", first, true, nothing); err != nil {
			return err
		}
	}
	// sluice keeps nothing of files that are two seconds old or less, and neither does the go
	// command.
	if err := p.settle(); err != nil {
		return err
	}
	if err := p.row("unchanged", pairs, false, nothing); err != nil {
		return err
	}
	return p.row("after an edit", pairs, false, p.edit)
}

// added is the file that is edited.
func (p *program) added() string { return filepath.Join(p.dir, p.pkg, "zz_edited.go") }

// edit makes the n-th content of the file.
func (p *program) edit(n int) error {
	text := fmt.Sprintf("package main\n\nvar edited int\n\nfunc init() { edited = %d }\n", time.Now().UnixNano()+int64(n))
	return os.WriteFile(p.added(), []byte(text), 0o666)
}

// settle builds both until there is nothing left to find out.
func (p *program) settle() error {
	for range 2 {
		for _, command := range []string{"go", p.sluice} {
			if _, _, err := p.build(command, ""); err != nil {
				return err
			}
		}
		select {
		case <-time.After(3 * time.Second):
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
	return nil
}

// row measures pairs of builds, each after a change, and prints the medians.
func (p *program) row(name string, pairs int, empty bool, change func(n int) error) error {
	sides := []*side{{command: "go"}, {command: p.sluice}}
	for n := range pairs {
		for i := range sides {
			if err := change(2*n + i); err != nil {
				return err
			}
			s := sides[(n+i)%2]
			if err := p.measure(s, empty); err != nil {
				return err
			}
		}
	}
	stock, ours := sides[0], sides[1]
	fmt.Printf("| %s | %d | %s | %s |\n", name, pairs, compared(stock.wall, ours.wall), compared(stock.cpu, ours.cpu))
	return nil
}

func (p *program) measure(s *side, empty bool) error {
	cache := ""
	if empty {
		var err error
		if cache, err = os.MkdirTemp(p.out, "cache-"); err != nil {
			return err
		}
		defer os.RemoveAll(cache)
	}
	wall, cpu, err := p.build(s.command, cache)
	s.wall, s.cpu = append(s.wall, wall), append(s.cpu, cpu)
	return err
}

// build builds the program once. cache is the directory of empty caches; without one they are the
// user's.
func (p *program) build(command, cache string) (wall, cpu time.Duration, err error) {
	cmd := exec.CommandContext(p.ctx, command, "build", "-o", filepath.Join(p.out, filepath.Base(command)+".exe"), p.pkg)
	cmd.Dir = p.dir
	if cache != "" {
		cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(cache, "go"), "XDG_CACHE_HOME="+cache)
	}
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s build: %w\n%s", command, err, text.Bytes())
	}
	return time.Since(began), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// compared returns the medians of both, in seconds, and their ratio.
func compared(stock, ours []time.Duration) string {
	a, b := median(stock).Seconds(), median(ours).Seconds()
	return fmt.Sprintf("%.2f, %.2f | %.2f", a, b, b/a)
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}
