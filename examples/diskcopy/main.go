// Diskcopy copies a file, or a block device, past the page cache: while one disk is written
// to, the other one is read.
//
//	diskcopy -buffer 1024 -ahead 8 /data/big /backup/big
//
// It needs 2 x buffer x ahead bytes of memory however long the file is. When it ends without an
// error, the copy is on the disk. After an error, or Ctrl-C, there is no copy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
)

// copyFile copies src to dst, which must not exist, and returns the number of bytes.
func copyFile(ctx context.Context, dst, src string, buffer, ahead int) (n int64, err error) {
	from, err := direct.Open(src)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, err := direct.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err = errors.Join(err, to.Close()); err != nil {
			err = errors.Join(err, os.Remove(dst))
		}
	}()
	if err := reserve(to, from); err != nil {
		return 0, err
	}
	if n, err = stream(ctx, to, from, buffer, ahead); err != nil {
		return n, err
	}
	return n, syncDir(filepath.Dir(dst))
}

// reserve makes room for all of from, so that a disk that is too small is found out now.
func reserve(to, from *direct.File) error {
	size, err := from.Size()
	if err != nil || size == 0 {
		return err
	}
	if err := to.Allocate(0, size); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// stream copies all of from, and returns when it is on the disk.
func stream(ctx context.Context, to, from *direct.File, buffer, ahead int) (n int64, err error) {
	r, err := from.NewReader(ctx, direct.ReaderOptions{BufferSize: buffer, ReadAhead: ahead})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	w, err := to.NewWriter(ctx, direct.WriterOptions{BufferSize: buffer, WriteBehind: ahead})
	if err != nil {
		return 0, err
	}
	if n, err = io.Copy(w, r); err == nil {
		err = w.Sync()
	}
	// A Writer returns its first error again from each later call.
	if e := w.Close(); err == nil {
		err = e
	}
	return n, err
}

// syncDir commits the names in a directory. Windows has no call for it.
func syncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := sluice.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func main() {
	buffer := flag.Int("buffer", 512, "the size of a buffer, in `KiB`")
	ahead := flag.Int("ahead", 5, "how many `buffers` each of the two streams has")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: diskcopy [flags] FROM TO"); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	n, err := copyFile(ctx, flag.Arg(1), flag.Arg(0), *buffer<<10, *ahead)
	if err != nil {
		fmt.Fprintln(os.Stderr, "diskcopy:", err)
		os.Exit(1)
	}
	fmt.Printf("copied %d bytes in %v\n", n, time.Since(start).Round(time.Millisecond))
}
