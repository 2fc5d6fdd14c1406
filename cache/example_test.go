package cache_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
)

var _ cache.Direct = (*direct.File)(nil)

// A View is the cache's own memory: nothing is copied. It ends with the block, or the file.
func ExampleFile_View() {
	c, err := cache.New(cache.Options{Block: 4 << 10})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close() // closes its files, too
	d, err := direct.Open("testdata/words")
	if err != nil {
		log.Fatal(err)
	}
	f := c.File(d)
	v, err := f.View(context.Background(), 20, 100)
	if err != nil {
		log.Fatal(err)
	}
	defer v.Release()
	fmt.Printf("%s\n", v.Bytes())
	// Output: four five
}

// A file is read past the page cache, through a Cache of 16 MiB.
func Example() {
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c, err := cache.New(cache.Options{Bytes: 16 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	d, err := direct.Create(filepath.Join(dir, "table"))
	if err != nil {
		log.Fatal(err)
	}
	f := c.File(d)
	if _, err := f.WriteAt([]byte("a row of a table"), 4090); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		b := make([]byte, 3)
		if _, err := f.ReadAt(b, 4092); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", b)
	}
	st := c.Stats()
	fmt.Println(st.Misses, "misses,", st.Hits, "hits")
	// Output:
	// row
	// row
	// row
	// 1 misses, 2 hits
}
