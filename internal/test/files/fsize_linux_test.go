package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func init() { testenv.Children["limited"] = runLimited }

const sizeLimit = 3 * testenv.PageSize

// runLimited makes writes that RLIMIT_FSIZE cuts short, with os and with sluice. The limit applies
// to the whole process, so a test cannot set it.
func runLimited() error {
	limit := unix.Rlimit{Cur: sizeLimit, Max: sizeLimit}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println("skip: limits:", err)
		return nil
	}
	dir := os.Getenv(testenv.DirEnv)
	s, err := sluice.Default()
	if err != nil {
		return err
	}
	for _, flag := range []int{0, os.O_APPEND, os.O_SYNC} {
		want := overLimit(testenv.OSOpen, filepath.Join(dir, "theirs"), flag)
		if got := overLimit(testenv.OpenOn(s), filepath.Join(dir, "ours"), flag); got != want {
			return fmt.Errorf("flag %#x:\n%s; want\n%s", flag, got, want)
		}
	}
	if err := partly(s, filepath.Join(dir, "partly")); err != nil {
		return err
	}
	fmt.Println("the same")
	return nil
}

// partly has a WriteAt fail in the middle. os.File loses the count of the written bytes; a File
// does not.
func partly(s *sluice.Scheduler, name string) error {
	f, err := s.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := f.WriteAt(make([]byte, 2*testenv.PageSize), sizeLimit-testenv.PageSize)
	if n != testenv.PageSize || !errors.Is(err, unix.EFBIG) {
		return fmt.Errorf("WriteAt over the limit = %d, %w; want %d, EFBIG", n, err, testenv.PageSize)
	}
	return nil
}

// overLimit writes up to the limit and beyond it, and prints the outcome.
func overLimit(open testenv.Opener, name string, flag int) string {
	os.Remove(name)
	f, err := open(name, os.O_RDWR|os.O_CREATE|flag, 0o600)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	var b strings.Builder
	note := func(n any, err error) { fmt.Fprintln(&b, n, testenv.Describe(err, filepath.Dir(name))) }
	data := bytes.Repeat([]byte{7}, 2*testenv.PageSize)
	note(f.Write(data))
	note(f.Write(data)) // half of it
	note(f.Write(data)) // nothing
	note(f.WriteAt(data, sizeLimit))
	note(f.ReadFrom(bytes.NewReader(data)))
	note(nil, f.Truncate(sizeLimit+1))
	note(f.Seek(0, 2))
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "theirs", "F"), "ours", "F")
}

// TestSizeLimit writes past the largest size of a file. The count and EFBIG must be os's, and no
// signal may end the program.
func TestSizeLimit(t *testing.T) {
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			// Skips the test without the driver.
			testenv.Scheduler(t, sluice.Options{Driver: driver})
			out, ok := testenv.Child(t, "limited", testenv.DirEnv+"="+t.TempDir(), "SLUICE_DRIVER="+driver)
			if !ok || out != "the same" {
				t.Error(out)
			}
		})
	}
}
