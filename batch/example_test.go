package batch_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/batch"
)

// Small files are written and then read, each by a chain.
func ExampleBatch() {
	dir, err := os.MkdirTemp("", "sluice")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b := batch.New(nil)
	name := func(i int) string { return filepath.Join(dir, fmt.Sprint(i)) }
	for i := range 3 {
		c := b.Chain()
		f := c.OpenFile(name(i)+".new", os.O_WRONLY|os.O_CREATE, 0o600)
		c.WriteAt(f, fmt.Appendf(nil, "file %d", i), 0)
		c.Close(f)
		c.Rename(name(i)+".new", name(i)) // only if all steps before have succeeded
	}
	fmt.Println(b.Do(context.Background()))

	b.Reset()
	var bufs [4][6]byte
	for i := range bufs {
		c := b.Chain()
		f := c.Open(name(i))
		c.ReadAt(f, bufs[i][:], 0)
		c.Close(f)
	}
	err = b.Do(context.Background())
	fmt.Printf("%s, %s, %s\n", bufs[0], bufs[1], bufs[2])
	fmt.Println(errors.Is(err, os.ErrNotExist), errors.Is(b.Op(10).Err(), batch.ErrChainBroken))
	// Output:
	// <nil>
	// file 0, file 1, file 2
	// true true
}

// Each yields each operation when it ends.
func ExampleBatch_Each() {
	b := batch.New(nil)
	b.Chain().Stat("testdata/hello")
	for op, err := range b.Each(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(op.Info().Name(), op.Info().Size())
	}
	// Output: hello 13
}
