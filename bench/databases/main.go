// Command databases measures databases of other authors, which do not know sluice: one program,
// built by go build and by sluice build. It is a separate module to keep the databases away from
// all others.
//
//	go run . [-dir DIR] [-size 512MiB] [-time 1s] [-rounds 12] [-o FILE] [case...]
//	go run . [-keep DIR] [-rows FILE] [-o FILE] programs
//
// It must run in its directory in a tree of sluice, as root: processes that read have a quarter of
// the data's size as memory. A case is a name in cases.go. Without a case it measures all that
// compare the two builds. That takes a quarter of an hour, and as long again for the first build.
// The case prometheus-query compares ways to read mapped memory, in the program of go build.
//
// The cases of programs.go, or "programs" for all, have a page of their own. With -rows each result
// is kept in a file, and the page has all that are there, so a case can be measured alone. With
// -keep the builds and the data stay in a directory, and the next run uses them.
//
// With -o it writes its page into a file, such as docs/results/databases.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/bench/bytesize"
)

func main() {
	if name := os.Getenv(caseVariable); name != "" {
		exit(work(name))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, o)
	}
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "databases:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	dir    string
	size   bytesize.Size
	time   time.Duration
	rounds int
	page   string
	keep   string // "" or the directory of builds and data
	kept   string // "" or the file of rows
	make   bool   // make builds and data, and measure nothing
	write  bool   // write the page of kept, and measure nothing
	cases  []*testCase
}

// measured returns a directory of the file system that is measured.
func (o options) measured() string { return cmp.Or(o.keep, o.dir) }

// leastSize is the smallest size of a database. With 64 MiB of memory, SQLite of ncruces with 16
// connections was killed.
const leastSize = 512 << 20

func parse(args []string) (options, error) {
	o := options{size: leastSize}
	flags := flag.NewFlagSet("databases", flag.ContinueOnError)
	flags.StringVar(&o.dir, "dir", ".", "make the databases in this `directory`: its file system is what is measured")
	flags.Func("size", "`size` of a database that is read (default 512MiB)", func(text string) error { return o.size.UnmarshalText([]byte(text)) })
	flags.DurationVar(&o.time, "time", time.Second, "how long a process is measured")
	flags.IntVar(&o.rounds, "rounds", 12, "processes of each side")
	flags.StringVar(&o.keep, "keep", "", "keep builds and data in this `directory`, and use what it has")
	flags.BoolVar(&o.make, "make", false, "with -keep: make builds and data, and measure nothing")
	flags.BoolVar(&o.write, "write", false, "measure nothing, and write the page of the results in -rows")
	flags.StringVar(&o.kept, "rows", "", "keep the results of programs in this `file`, and write all that it has on the page")
	flags.StringVar(&o.page, "o", "", "write the page into this `file` and not to standard output")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case o.size < leastSize:
		return o, fmt.Errorf("-size: %d is too small; want at least 512MiB: a process has a quarter of it as memory", o.size)
	case o.time <= 0:
		return o, fmt.Errorf("-time: %v; want more than 0", o.time)
	case o.make && o.keep == "":
		return o, errors.New("-make: there is no -keep")
	case o.write && o.kept == "":
		return o, errors.New("-write: there are no -rows")
	case o.rounds < 1:
		return o, fmt.Errorf("-rounds: %d; want at least 1", o.rounds)
	}
	var err error
	o.cases, err = choose(flags.Args())
	return o, err
}
