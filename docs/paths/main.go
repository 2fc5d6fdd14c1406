// Paths makes reads, writes and Syncs of a temporary file, and prints which path each took.
// docs/how-a-request-travels.md explains the output. Usage:
//
//	go run ./docs/paths [directory]
package main

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
)

const (
	size = 64 << 20 // of the file: 64 MiB
	page = 4 << 10  // of each read: 4 KiB
)

func main() {
	dir := "." // os.TempDir may be in memory
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	f, d := create(dir)
	s, err := sluice.Default()
	check(err)
	var last sluice.Stats
	say := func(what string) {
		now := s.Stats()
		fmt.Printf("%-20s cached %4d, plain %5d, queued %5d in %5d batches, shared Syncs %2d, rings %d\n", what,
			now.Cached-last.Cached, now.Plain-last.Plain, now.Queued-last.Queued,
			now.Submits-last.Submits, now.SharedSyncs-last.SharedSyncs, now.Rings)
		last = now
	}
	read(f, 1)
	say("memory, 1 goroutine")
	write(f, 1)
	say("a write and a Sync")
	read(d, 1)
	say("disk, 1 goroutine")
	read(d, 64)
	say("disk, 64 goroutines")
	write(f, 16)
	say("16 writes and Syncs")
	fmt.Print(s.Explain())
}

// create returns a new file, opened through the page cache and past it. It has no name any more.
func create(dir string) (*sluice.File, *direct.File) {
	f, err := sluice.CreateTemp(dir, "paths")
	check(err)
	defer os.Remove(f.Name())
	d, err := direct.Open(f.Name())
	check(err)
	check(os.WriteFile(f.Name(), make([]byte, size), 0o600)) // by package os, so it is not counted
	return f, d
}

// file is the part of a File, and of a direct.File, that this program needs.
type file interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
}

// read makes 1000 random reads in each of n goroutines.
func read(f file, n int) {
	each(n, func(int) {
		b := make([]byte, page)
		for range 1000 {
			_, err := f.ReadAt(b, rand.Int64N(size/page)*page)
			check(err)
		}
	})
}

// write has n goroutines write a byte and call Sync.
func write(f file, n int) {
	each(n, func(i int) {
		_, err := f.WriteAt([]byte("x"), int64(i))
		check(err)
		check(f.Sync())
	})
}

// each calls do in n goroutines and waits for them.
func each(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
