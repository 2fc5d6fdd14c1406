package cache_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
)

var (
	_ cache.Direct    = (*direct.File)(nil)
	_ cache.Allocator = (*direct.File)(nil)
)

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
