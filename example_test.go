package sluice_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/sluiceio/sluice"
)

func Example() {
	f, err := sluice.Open("testdata/hello")
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
	f, err := sluice.Open("testdata/words")
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
	f, err := sluice.Open("testdata/hello")
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

// Many goroutines append to a log. Syncs that are called while an fsync is going on share the
// next one.
func ExampleFile_Sync() {
	f, err := sluice.CreateTemp("", "log")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	commit := func(i int) error {
		if _, err := f.WriteAt([]byte{byte('a' + i)}, int64(i)); err != nil {
			return err
		}
		return f.Sync()
	}
	var all sync.WaitGroup
	for i := range 26 {
		all.Go(func() {
			if err := commit(i); err != nil {
				log.Fatal(err)
			}
		})
	}
	all.Wait()
	b, err := sluice.ReadFile(f.Name())
	fmt.Println(string(b), err)
	// Output: abcdefghijklmnopqrstuvwxyz <nil>
}

// The output of another process goes into the file itself, and not through a pipe.
func ExampleFile_OSFile() {
	f, err := sluice.CreateTemp("", "output")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	cmd := exec.Command("go", "env", "GOARCH")
	cmd.Stdout = f.OSFile()
	if err := cmd.Run(); err != nil {
		log.Fatal(err)
	}
	b, err := sluice.ReadFile(f.Name())
	fmt.Println(strings.TrimSpace(string(b)) == runtime.GOARCH, err)
	// Output: true <nil>
}

func ExampleDirFS() {
	fsys := sluice.DirFS("testdata")
	b, err := fs.ReadFile(fsys, "hello")
	fmt.Printf("%q %v\n", b, err)
	_, err = fs.Stat(fsys, "none")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// "Hello, disk.\n" <nil>
	// true
}

func ExampleNewScheduler() {
	s, err := sluice.NewScheduler(sluice.Options{Driver: sluice.DriverPool, Threads: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close() // closes its files, too
	f, err := s.Create(filepath.Join(os.TempDir(), "example"))
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString("through a scheduler of its own"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Stats().BytesWritten)

	_, err = sluice.NewScheduler(sluice.Options{Driver: "mule"})
	fmt.Println(err)
	// Output:
	// 30
	// sluice: Options.Driver "mule" is not one of uring, aio, pool
}
