package direct_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/direct"
)

// Next returns the buffers themselves, without a copy. The caller owns each until it releases it.
func ExampleReader_Next() {
	f, err := direct.Open("testdata/hello")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	r, err := f.NewReader(context.Background(), direct.ReaderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s", b.Bytes())
		b.Release()
	}
	// Output: Hello, disk.
}

// A part of a file.
func ExampleFile_NewReader() {
	f, err := direct.Open("testdata/words")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	r, err := f.NewReader(context.Background(), direct.ReaderOptions{Start: 10, End: 20})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	fmt.Printf("%q %v\n", b, err)
	pos, err := r.Seek(-5, io.SeekEnd)
	fmt.Println(pos, err)
	b, err = io.ReadAll(r)
	fmt.Printf("%q %v\n", b, err)
	// Output:
	// "two  three" <nil>
	// 5 <nil>
	// "three" <nil>
}

// A Writer reports each error, at the latest in Close.
func ExampleWriter() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "lines")
	write := func() error {
		f, err := direct.Create(name)
		if err != nil {
			return err
		}
		defer f.Close()
		w, err := f.NewWriter(context.Background(), direct.WriterOptions{})
		if err != nil {
			return err
		}
		for i := range 1000 {
			if _, err := fmt.Fprintf(w, "line %d\n", i); err != nil {
				w.Close() // gives its memory back
				return err
			}
		}
		if err := w.Sync(); err != nil { // to survive a crash
			w.Close()
			return err
		}
		return w.Close()
	}
	fmt.Println(write())
	b, err := os.ReadFile(name)
	fmt.Println(len(b), err)
	// Output:
	// <nil>
	// 8890 <nil>
}

// A copy of a file, past the page cache on both sides.
func ExampleReader_WriteTo() {
	from, err := direct.Open("testdata/hello")
	if err != nil {
		log.Fatal(err)
	}
	defer from.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	to, err := direct.Create(filepath.Join(dir, "copy"))
	if err != nil {
		log.Fatal(err)
	}
	defer to.Close()
	ctx := context.Background()
	r, err := from.NewReader(ctx, direct.ReaderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	w, err := to.NewWriter(ctx, direct.WriterOptions{})
	if err != nil {
		log.Fatal(err)
	}
	n, err := io.Copy(w, r)
	fmt.Println(n, err, w.Close())
	b, err := os.ReadFile(to.Name())
	fmt.Printf("%q %v\n", b, err)
	// Output:
	// 13 <nil> <nil>
	// "Hello, disk.\n" <nil>
}
