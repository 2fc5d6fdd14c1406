package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// testCase is a database with its operations.
type testCase struct {
	name       string
	module     string
	does       string // the operation
	goroutines []int
	why        string // the reason for a gain, or for none

	// fill makes a database of so many records in an existing directory. It is nil if each process
	// begins with an empty database.
	fill func(dir string, records int) error
	// sides has the ways to read that are compared, in the program of go build. A case of programs
	// has two. nil compares that program with the one of sluice build.
	sides []load.Side
	// open opens the database. It is nil if command is not.
	open func(dir string, s load.Setup) (database, error)
	// data is the directory that fill fills, if several cases share it. "" is the case's name.
	data string
	// own is the memory that the program itself needs, in bytes. Its limit is that and a quarter
	// of the data.
	own int64
	// command is a whole program. An operation is one of its files.
	command *command
}

// database is an open database.
type database interface {
	// do performs one operation of a client. Clients call it concurrently.
	do(client int, random *rand.Rand) error
	Close() error
}

// A record is a key or number, and a value of valueSize bytes.
const valueSize = 1000

var cases = []*testCase{
	{
		name: "goleveldb", module: "github.com/syndtr/goleveldb", does: "Get of a random key", goroutines: []int{1, 16, 64},
		why:  "each Get reads a block by os.File.ReadAt; many wait at once",
		fill: fillLevelDB, open: openLevelDB,
	},
	{
		name: "sqlite-modernc", module: "modernc.org/sqlite", does: "SELECT by primary key, a connection each", goroutines: []int{1, 16},
		why:  "SQLite in Go makes its system calls itself (modernc.org/libc), past os.File",
		fill: fillModernc, open: openModernc,
	},
	{
		name: "sqlite-ncruces", module: "github.com/ncruces/go-sqlite3", does: "SELECT by primary key, a connection each", goroutines: []int{1, 16},
		why:  "SQLite in WebAssembly reads pages by os.File.ReadAt",
		fill: fillNcruces, open: openNcruces,
	},
	{
		name: "prometheus-append", module: "github.com/prometheus/prometheus", does: "Commit of 100 samples", goroutines: []int{1, 16},
		why:  "the log is written without a sync, into the page cache: nothing waits",
		open: openPrometheus,
	},
	{
		name: "etcd-wal", module: "go.etcd.io/etcd/server/v3", does: "Save of an entry of 1000 bytes, synced", goroutines: []int{1},
		why:  "one writer, and fdatasync by a call of its own, past os.File",
		open: openEtcdWAL,
	},
	{
		name: "raft-wal", module: "github.com/hashicorp/raft-wal", does: "StoreLogs of an entry of 1000 bytes, synced", goroutines: []int{1},
		why:  "one writer: there is one fsync at a time, and nothing to share",
		open: openRaftWAL,
	},
}

// readers has the cases that compare ways to read. They have their own page.
var readers = []*testCase{
	{
		name: "prometheus-query", module: "github.com/prometheus/prometheus", does: "query of an hour of one series", goroutines: []int{1, 4, 16, 64, 256},
		why:   "a page fault is a wait that the Go runtime does not see; Load queues the read, and the goroutine alone waits",
		sides: querySides, fill: fillQuery, open: openQuery,
	},
}

// choose returns the cases with these names. Without names it returns those of the databases' page.
func choose(names []string) ([]*testCase, error) {
	if len(names) == 0 {
		return cases, nil
	}
	var chosen []*testCase
	if slices.Equal(names, []string{"programs"}) {
		return programs, nil
	}
	for _, name := range names {
		c, err := caseOf(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, c)
	}
	return chosen, nil
}

func caseOf(name string) (*testCase, error) {
	known := slices.Concat(cases, readers, programs)
	i := slices.IndexFunc(known, func(c *testCase) bool { return c.name == name })
	if i < 0 {
		var all []string
		for _, c := range known {
			all = append(all, c.name)
		}
		return nil, fmt.Errorf("unknown case %q; there are %s", name, strings.Join(all, ", "))
	}
	return known[i], nil
}

// value returns bytes that do not compress.
func value(random *rand.Rand) []byte {
	b := make([]byte, valueSize)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// wantValue returns an error if the bytes read are no record.
func wantValue(b []byte, err error) error {
	if err == nil && len(b) != valueSize {
		err = fmt.Errorf("a record has %d bytes; want %d", len(b), valueSize)
	}
	return err
}
