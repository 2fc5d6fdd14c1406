package sluice_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sluicetest"
)

func Example() {
	name, remove := sluicetest.ExampleFile("Hello, disk.\n")
	defer remove()

	f, err := sluice.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(os.Stdout, f); err != nil {
		log.Fatal(err)
	}
	// Output: Hello, disk.
}

func ExampleFile_ReadAt() {
	name, remove := sluicetest.ExampleFile("zero one  two  threefour five ")
	defer remove()

	f, err := sluice.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	// Any number of goroutines read at once; none of them holds a thread
	// while it waits for the disk.
	words := make([]string, 6)
	var all sync.WaitGroup
	for i := range words {
		all.Go(func() {
			b := make([]byte, 5)
			if _, err := f.ReadAt(b, int64(i)*5); err != nil {
				log.Fatal(err)
			}
			words[i] = string(b)
		})
	}
	all.Wait()
	fmt.Printf("%q\n", words)
	_, err = f.ReadAt(make([]byte, 5), 28)
	fmt.Println(err)
	// Output:
	// ["zero " "one  " "two  " "three" "four " "five "]
	// EOF
}

func ExampleFile_ReadAtContext() {
	name, remove := sluicetest.ExampleFile("Hello, disk.\n")
	defer remove()

	f, err := sluice.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	b := make([]byte, 5)
	n, err := f.ReadAtContext(ctx, b, 7)
	fmt.Printf("%q %v\n", b[:n], err)
	cancel()
	_, err = f.ReadAtContext(ctx, b, 7)
	fmt.Println(errors.Is(err, context.Canceled))
	// Output:
	// "disk." <nil>
	// true
}

func ExampleFile_Sync() {
	name, remove := sluicetest.ExampleFile("")
	defer remove()

	log := func(f *sluice.File, i int) error {
		if _, err := f.WriteAt([]byte{byte('a' + i)}, int64(i)); err != nil {
			return err
		}
		// Syncs that are called while an fsync is going on share the next.
		return f.Sync()
	}
	f, err := sluice.OpenFile(name, sluice.O_RDWR, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	var all sync.WaitGroup
	for i := range 26 {
		all.Go(func() {
			if err := log(f, i); err != nil {
				fmt.Println(err)
			}
		})
	}
	all.Wait()
	b, err := sluice.ReadFile(name)
	fmt.Println(string(b), err)
	// Output: abcdefghijklmnopqrstuvwxyz <nil>
}

func ExampleDirFS() {
	name, remove := sluicetest.ExampleFile("Hello, disk.\n")
	defer remove()

	fsys := sluice.DirFS(filepath.Dir(name))
	b, err := fs.ReadFile(fsys, "data")
	fmt.Printf("%q %v\n", b, err)
	_, err = fs.Stat(fsys, "none")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// "Hello, disk.\n" <nil>
	// true
}

func ExampleNewScheduler() {
	s, err := sluice.NewScheduler(sluice.Options{Driver: "pool", BlockingThreads: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	name, remove := sluicetest.ExampleFile("")
	defer remove()
	f, err := s.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	f.WriteString("through a scheduler of its own")
	fmt.Println(s.Stats().BytesWritten)

	_, err = sluice.NewScheduler(sluice.Options{Driver: "mule"})
	fmt.Println(err)
	// Output:
	// 30
	// sluice: Options.Driver "mule" is not one of uring, aio, pool
}
