package main

// page is a page of docs/results, with its run of `sluice bench`.
type page struct {
	name    string   // the file's name without .md
	summary string   // the comparison, for the table of all pages
	args    []string // for sluice bench: the experiments in their published form
	quick   []string // further arguments for a tiny run

	fio    bool  // fio takes part
	image  bool  // copies are made in a new file system, which needs root
	raw    bool  // writes to a loop device, which needs root
	slow   bool  // reads a slow disk, which needs root or FUSE
	memory bool  // limits memory, which needs root
	space  int64 // bytes beyond 1 GiB for the published form; with less it drops --full
}

// tiny has the arguments of -quick for all experiments.
var tiny = []string{"--size", "8m", "--time", "2ms", "--rounds", "5"}

// pages are in the order of measurement.
var pages = []page{
	{
		name: "matrix", summary: "os.File with sluice: kinds of I/O x sizes x goroutines x GOMAXPROCS",
		args: []string{"matrix", "--full"}, quick: []string{"--cells", "read-cached/4k/1,4"},
	},
	{
		name: "p1", summary: "the calls of the 2017 paper: how long they take, and their system calls",
		args: []string{"fig4-read", "fig4-write", "fig5", "fig6", "--full"},
	},
	{
		name: "p2", summary: "`sluice cp` with cp and other programs: cp-small, cp-large, cp-block, cp-reflink, fio-expect",
		args: []string{"p2", "--full"}, quick: []string{"--levels", "1", "--programs", "sluice"}, image: true, space: 4 << 30,
	},
	{
		name: "p3", summary: "1000 writes to a raw device at once, with each I/O scheduler",
		args: []string{"aio-latency", "--full"}, raw: true,
	},
	{
		name: "p4", summary: "streams and random reads with os.File and fio",
		args: []string{"p4", "--full"}, fio: true, space: 22 << 30,
	},
	{
		name: "rand-depth", summary: "random direct reads, 4 to 1024 at a time, with os.File and fio",
		args: []string{"rand-depth", "--full"}, fio: true,
	},
	{
		name: "cache", summary: "package cache with the page cache, and with none",
		args: []string{"cache", "--full"},
	},
	{
		name: "mapped", summary: "touches of a mapped file, with package mapped and without",
		args: []string{"mapped", "--full"},
	},
	{
		name: "fair", summary: "small reads beside a flood of large ones, with classes",
		args: []string{"fair", "--full"},
	},
	{
		name: "wal", summary: "append and Sync by 1 to 256 goroutines: one log, and a log each",
		args: []string{"wal", "--full"},
	},
	{
		name: "threads", summary: "threads and memory of 12,000 goroutines on a slow disk",
		args: []string{"threads", "--full"}, quick: []string{"--goroutines", "50"}, slow: true,
	},
	{
		name: "transparent", summary: "one program built by `go build` and by `sluice build`",
		args: []string{"transparent", "--full"}, quick: []string{"--goroutines", "50"}, slow: true,
	},
	{
		name: "pebble", summary: "a Pebble database larger than memory, with pebblevfs and without",
		args: []string{"pebble", "--full"}, memory: true, space: 10 << 30,
	},
}

func pageNames() []string {
	var names []string
	for _, p := range pages {
		names = append(names, p.name)
	}
	return names
}
