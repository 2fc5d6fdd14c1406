package proof_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestFIFOsAreWaitedFor copies files to FIFOs and back. The other ends are opened before or after
// the copy begins.
func TestFIFOsAreWaitedFor(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, unix.Mkfifo("fifo", 0o600))
	o := option.Options{Follow: option.FollowAll, CopyContents: true}
	for _, want := range []string{"", "short", strings.Repeat("more than a pipe holds", 20_000)} {
		put(t, "file", want)
		read := make(chan string)
		go func() {
			b, _ := os.ReadFile("fifo")
			read <- string(b)
		}()
		r := copied(t, "fifo", "file", o)
		if got := <-read; got != want || r.Bytes != int64(len(want)) {
			t.Errorf("%d bytes came, %d are said to; want %d", len(got), r.Bytes, len(want))
		}
		wrote := make(chan error)
		go func() { wrote <- os.WriteFile("fifo", []byte(want), 0) }()
		copied(t, "copy", "fifo", o)
		must(t, <-wrote)
		holds(t, "copy", want)
	}
}

// TestFIFOsEnd checks that the end of the context ends the wait for the other end of a FIFO. The
// destination must not be touched.
func TestFIFOsEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "file", "content")
	must(t, unix.Mkfifo("fifo", 0o600))
	for _, test := range []struct{ dst, src string }{{"fifo", "file"}, {"file", "fifo"}, {"new", "fifo"}} {
		for _, force := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			soon := time.AfterFunc(20*time.Millisecond, cancel)
			_, err := copyOne(ctx, test.dst, test.src, option.Options{CopyContents: true, Follow: option.FollowAll, Force: force})
			soon.Stop()
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Copy(%q, %q) = %v; want that it was ended", test.dst, test.src, err)
			}
		}
	}
	holds(t, "file", "content")
	if info, err := os.Lstat("fifo"); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the FIFO is %v, %v", info, err)
	}
	if _, err := os.Lstat("new"); !os.IsNotExist(err) {
		t.Errorf("new: %v; want none", err)
	}
}
