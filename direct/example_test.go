package direct_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
)

// File accepts any offset, length and memory, and is exactly as long as the bytes written.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	f, err := direct.Create(filepath.Join(dir, "table"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("a record"), 1000); err != nil {
		log.Fatal(err)
	}
	b := make([]byte, 6)
	if _, err := f.ReadAt(b, 1002); err != nil {
		log.Fatal(err)
	}
	size, err := f.Size()
	fmt.Println(string(b), size, err)
	// Output: record 1008 <nil>
}

// file has the methods that the code below calls. *sluice.File, *direct.File and a test's fake
// implement it.
type file interface {
	ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	Sync() error
	Close() error
}

// A program that can use either kind of file declares an interface of the methods that it calls.
func ExampleFile_interface() {
	open := func(name string, past bool) (file, error) {
		if past {
			return direct.Open(name)
		}
		return sluice.Open(name)
	}
	for _, past := range []bool{false, true} {
		f, err := open("testdata/words", past)
		if err != nil {
			log.Fatal(err)
		}
		b := make([]byte, 5)
		n, err := f.ReadAtContext(context.Background(), b, 15)
		fmt.Printf("%s %v\n", b[:n], err)
		f.Close()
	}
	// Output:
	// three <nil>
	// three <nil>
}

// A read without a copy: the Buffer is memory of the Scheduler's pool, and goes back there.
func ExampleFile_ReadBuffer() {
	f, err := direct.Open("testdata/words")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	b, err := f.ReadBuffer(context.Background(), 15, 5)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Release()
	fmt.Printf("%s\n", b.Bytes())
	// Output: three
}

// ReadMany reads many places of a file, with many requests in flight.
func ExampleFile_ReadMany() {
	f, err := direct.Open("testdata/words")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	words := []direct.Range{{Off: 25, Len: 4}, {Off: 5, Len: 3}, {Off: 15, Len: 5}, {Off: 30, Len: 5}}
	for r, err := range f.ReadMany(context.Background(), slices.Values(words), direct.ReadManyOptions{}) {
		if err != nil {
			fmt.Println(r.Off, err) // this range failed; the iteration goes on
			continue
		}
		fmt.Printf("%d %s\n", r.Off, r.Buffer.Bytes())
		r.Buffer.Release()
	}
	// Output:
	// 25 five
	// 5 one
	// 15 three
	// 30 EOF
}
