package direct_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

const watchEnv = "SLUICE_TEST_WATCH"

func init() { testenv.Children["watch"] = runWatch }

// runWatch looks at the size of a file until it is told to stop. The size never exceeds the promise
// that is read after the look. It never shrinks, because nobody truncates the file.
func runWatch() error {
	name := os.Getenv(watchEnv)
	promise, err := os.OpenFile(promiseOf(name), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer promise.Close()
	last := int64(0)
	for {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		most, err := readPromise(promise)
		if err != nil {
			return err
		}
		if most < 0 {
			return nil
		}
		if info.Size() > most || info.Size() < last {
			return fmt.Errorf("size %d after %d, of %d at most", info.Size(), last, most)
		}
		last = info.Size()
		if _, err := promise.WriteAt([]byte{1}, watching); err != nil {
			return err
		}
	}
}

// watching is the offset in the file of promises where the watcher reports that it runs.
const watching = 8

func readPromise(f *os.File) (int64, error) {
	var b [8]byte
	_, err := f.ReadAt(b[:], 0)
	return int64(binary.LittleEndian.Uint64(b[:])), err
}

// newPromise returns a function that promises a size that the file will not exceed.
func newPromise(t *testing.T, name string) func(size int64) {
	f, err := os.OpenFile(promiseOf(name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return func(size int64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(size))
		if _, err := f.WriteAt(b[:], 0); err != nil {
			t.Error(err)
		}
	}
}

// watchSize has another process watch a file's size until stop is called.
func watchSize(t *testing.T, name string) (stop func()) {
	os.Remove(promiseOf(name))
	promise := newPromise(t, name)
	promise(0)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if out, ok := testenv.Child(t, "watch", watchEnv+"="+name); !ok {
			t.Error(out)
		}
	}()
	testenv.WaitFor(t, "the watcher", func() bool {
		info, err := os.Stat(promiseOf(name))
		return err == nil && info.Size() > watching
	})
	return func() {
		promise(-1)
		<-ended
	}
}
