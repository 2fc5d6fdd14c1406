//go:build unix

package copies

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestCopy copies between a file and something else.
func TestCopy(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		long := strings.Repeat(testenv.Twenty, 50_000)
		name := filepath.Join(t.TempDir(), "long")
		testenv.Write(t, name, long)
		ends := map[string]func(*testing.T) (io.Reader, io.WriteCloser){
			"pipe": func(t *testing.T) (io.Reader, io.WriteCloser) { return pipe(t) },
			"FIFO": func(t *testing.T) (io.Reader, io.WriteCloser) { return testenv.FIFO(t, s) },
			"TCP":  func(t *testing.T) (io.Reader, io.WriteCloser) { return tcp(t) },
		}
		for kind, make := range ends {
			t.Run(kind, func(t *testing.T) {
				r, w := make(t)
				go func() {
					src := testenv.Must(t, testenv.OpenOn(s), name, os.O_RDONLY)
					if n, err := io.Copy(w, src); n != int64(len(long)) || err != nil {
						t.Errorf("Copy to %s = %d, %v; want %d, nil", kind, n, err, len(long))
					}
					w.Close()
				}()
				dst := testenv.Must(t, testenv.OpenOn(s), name+kind, os.O_RDWR|os.O_CREATE)
				if n, err := io.Copy(dst, r); n != int64(len(long)) || err != nil {
					t.Errorf("Copy from %s = %d, %v; want %d, nil", kind, n, err, len(long))
				}
				if b, err := os.ReadFile(name + kind); string(b) != long || err != nil {
					t.Errorf("the copy through %s has %d bytes, %v; want %d", kind, len(b), err, len(long))
				}
			})
		}
	})
}

func pipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, w
}

func tcp(t *testing.T) (r, w net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		skip.For(t, skip.Socket, err)
	}
	defer l.Close()
	if w, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if r, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, w
}
