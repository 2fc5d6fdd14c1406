package sluicetest_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/sluicetest"
)

func open(t *testing.T, d *sluicetest.Disk, name string, flag int) *sluice.File {
	t.Helper()
	f, err := d.Scheduler().OpenFile(name, flag, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// outcomes runs a program on disks with many seeds. It returns the contents of file "f" after the
// crash, or "none", and how often each occurred.
func outcomes(t *testing.T, run func(d *sluicetest.Disk)) map[string]int {
	t.Helper()
	left := map[string]int{}
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			d := sluicetest.NewDisk(sluicetest.Options{Seed: seed, Latency: time.Second})
			run(d)
			d = d.Crash()
			b, err := d.ReadFile("f")
			switch {
			case errors.Is(err, os.ErrNotExist):
				left["none"]++
			case err != nil:
				t.Fatal(err)
			default:
				left[strings.TrimRight(string(b), "\x00")]++
			}
			must(t, d.Close())
		})
	}
	return left
}

// TestCrash checks that each allowed outcome of a crash occurs with some seed, and that no other
// does.
func TestCrash(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(d *sluicetest.Disk)
		want []string
	}{
		{"written", func(d *sluicetest.Disk) {
			_, err := open(t, d, "f", os.O_CREATE|os.O_WRONLY).WriteString("a")
			must(t, err)
		}, []string{"", "a", "none"}},
		{"synced", func(d *sluicetest.Disk) {
			f := open(t, d, "f", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteString("a")
			must(t, err)
			must(t, f.Sync())
		}, []string{"a"}},
		{"written with O_SYNC", func(d *sluicetest.Disk) {
			_, err := open(t, d, "f", os.O_CREATE|os.O_WRONLY|os.O_SYNC).WriteString("a")
			must(t, err)
		}, []string{"a"}},
		{"written beside a write with O_SYNC", func(d *sluicetest.Disk) {
			_, err := open(t, d, "f", os.O_CREATE|os.O_WRONLY).WriteAt([]byte("a"), 0)
			must(t, err)
			_, err = open(t, d, "f", os.O_WRONLY|os.O_SYNC).WriteAt([]byte("b"), 1)
			must(t, err)
		}, []string{"\x00b", "ab"}},
		{"overwritten with O_SYNC", func(d *sluicetest.Disk) {
			f := open(t, d, "f", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteAt([]byte("aaa"), 0)
			must(t, err)
			must(t, f.Truncate(2))
			_, err = open(t, d, "f", os.O_WRONLY|os.O_SYNC).WriteAt([]byte("b"), 0)
			must(t, err)
		}, []string{"b", "ba", "baa"}},
		{"truncated", func(d *sluicetest.Disk) {
			f := open(t, d, "f", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteString("ab")
			must(t, err)
			must(t, f.Sync())
			must(t, f.Truncate(1))
		}, []string{"a", "ab"}},
		{"punched", func(d *sluicetest.Disk) {
			f := open(t, d, "f", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteString("a")
			must(t, err)
			must(t, f.Sync())
			must(t, f.PunchHole(0, 1))
		}, []string{"", "a"}},
		{"renamed", func(d *sluicetest.Disk) {
			f := open(t, d, "new", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteString("a")
			must(t, err)
			must(t, f.Sync())
			must(t, d.Rename("new", "f"))
		}, []string{"a", "none"}},
		{"created and datasynced", func(d *sluicetest.Disk) {
			f := open(t, d, "f", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteString("a")
			must(t, err)
			must(t, f.Datasync())
		}, []string{"a"}},
		{"renamed and datasynced", func(d *sluicetest.Disk) {
			f := open(t, d, "new", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteString("a")
			must(t, err)
			must(t, d.SyncNames())
			must(t, d.Rename("new", "f"))
			must(t, f.Datasync())
		}, []string{"a", "none"}},
		{"renamed and synced, the file", func(d *sluicetest.Disk) {
			f := open(t, d, "new", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteString("a")
			must(t, err)
			must(t, d.Rename("new", "f"))
			must(t, f.Sync())
		}, []string{"a"}},
		{"renamed and synced", func(d *sluicetest.Disk) {
			f := open(t, d, "new", os.O_CREATE|os.O_WRONLY)
			_, err := f.WriteString("a")
			must(t, err)
			must(t, f.Sync())
			must(t, d.Rename("new", "f"))
			must(t, d.SyncNames())
		}, []string{"a"}},
		{"removed", func(d *sluicetest.Disk) {
			must(t, open(t, d, "f", os.O_CREATE|os.O_WRONLY).Sync())
			must(t, d.Remove("f"))
		}, []string{"", "none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for left := range outcomes(t, c.run) {
				got = append(got, left)
			}
			if slices.Sort(got); !slices.Equal(got, c.want) {
				t.Errorf("left is one of %q; want %q", got, c.want)
			}
		})
	}
}

// TestCrashInProgress checks that a crash may keep a write that is in progress, or nothing of it:
// at an offset, at the position or at the end. Two appends never overlap.
func TestCrashInProgress(t *testing.T) {
	for _, c := range []struct {
		name   string
		flag   int
		writes int
		write  func(f *sluice.File) (int, error)
		want   []string
	}{
		{"WriteAt", 0, 1, func(f *sluice.File) (int, error) { return f.WriteAt([]byte("b"), 1) }, []string{"a", "ab"}},
		{"Write", 0, 1, func(f *sluice.File) (int, error) { return f.WriteString("b") }, []string{"a", "ab"}},
		{"append", os.O_APPEND, 1, func(f *sluice.File) (int, error) { return f.WriteString("b") }, []string{"a", "ab"}},
		{
			"two appends", os.O_APPEND, 2, func(f *sluice.File) (int, error) { return f.WriteString("b") },
			[]string{"a", "a\x00b", "ab", "abb"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for left := range outcomes(t, func(d *sluicetest.Disk) {
				f := open(t, d, "f", os.O_CREATE|os.O_WRONLY|c.flag)
				_, err := f.WriteString("a")
				must(t, err)
				must(t, f.Sync())
				d.Freeze()
				for range c.writes {
					// Each write is by a descriptor of its own: those by one File wait for each
					// other.
					f := open(t, d, "f", os.O_WRONLY|c.flag)
					_, err := f.Seek(1, io.SeekStart)
					must(t, err)
					go c.write(f)
				}
				synctest.Wait()
			}) {
				got = append(got, left)
			}
			if slices.Sort(got); !slices.Equal(got, c.want) {
				t.Errorf("left is one of %q; want %q", got, c.want)
			}
		})
	}
}

// TestRenameDuringSync checks that a Sync keeps no rename that came after its beginning.
func TestRenameDuringSync(t *testing.T) {
	left := outcomes(t, func(d *sluicetest.Disk) {
		f := open(t, d, "new", os.O_CREATE|os.O_WRONLY)
		_, err := f.WriteString("a")
		must(t, err)
		must(t, d.SyncNames())
		synced := make(chan error)
		go func() { synced <- f.Sync() }()
		synctest.Wait() // the Sync is in progress
		must(t, d.Rename("new", "f"))
		must(t, <-synced)
	})
	if left["a"] == 0 || left["none"] == 0 || len(left) != 2 {
		t.Errorf("left is %v; want the file with either name", left)
	}
}

// TestFails checks that exactly the chosen operation fails.
func TestFails(t *testing.T) {
	d := sluicetest.NewDisk(sluicetest.Options{})
	defer d.Close()
	f := open(t, d, "f", os.O_CREATE|os.O_RDWR)
	_, err := f.WriteAt(make([]byte, 10), 0)
	must(t, err)
	d.FailRead(1, errors.New("not an errno"))
	if _, err := f.ReadAt(make([]byte, 10), 0); !errors.Is(err, syscall.EIO) {
		t.Errorf("ReadAt = %v; want EIO", err)
	}
	_, err = f.ReadAt(make([]byte, 10), 0)
	must(t, err)
	d.FailSync(2, syscall.ENOSPC)
	must(t, f.Sync())
	for range 2 { // the File remembers the error
		if err := f.Sync(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Sync = %v; want ENOSPC", err)
		}
	}
}

// TestInterrupted checks that a Sync that a signal has interrupted is repeated, as in package os,
// and so is a queued one.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := sluicetest.NewDisk(sluicetest.Options{Seed: 1, Latency: time.Second})
		f := open(t, d, "f", os.O_CREATE|os.O_RDWR)
		for range 3 {
			_, err := f.WriteAt([]byte("a"), 0)
			must(t, err)
			d.FailSync(1, syscall.EINTR)
			if err := f.Sync(); err != nil {
				t.Errorf("Sync = %v; want nil", err)
			}
		}
		must(t, d.Close())
	})
}

// TestFreeze checks that calls wait while the disk is frozen, and end after it. A crash ends all
// calls.
func TestFreeze(t *testing.T) {
	for _, crash := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := sluicetest.NewDisk(sluicetest.Options{Latency: time.Millisecond})
			f := open(t, d, "f", os.O_CREATE|os.O_RDWR)
			_, err := f.WriteAt(make([]byte, 10), 0)
			must(t, err)
			thaw := d.Freeze()
			ends := make(chan error, 3)
			go func() { _, err := f.WriteAt(make([]byte, 10), 0); ends <- err }()
			go func() { _, err := f.ReadAt(make([]byte, 10), 0); ends <- err }()
			go func() { ends <- f.Sync() }()
			time.Sleep(time.Hour)
			if len(ends) > 0 {
				t.Errorf("%d calls have ended on a frozen disk: %v", len(ends), <-ends)
			}
			if crash {
				d = d.Crash()
			} else {
				thaw()
			}
			for range 3 {
				if err := <-ends; crash != errors.Is(err, syscall.EIO) {
					t.Errorf("crash = %v: a call has returned %v", crash, err)
				}
			}
			must(t, d.Close())
		})
	}
}

// TestSyncNames checks that SyncNames fails and waits as a sync does, and keeps the changes of
// names before its beginning. A Rename does not wait.
func TestSyncNames(t *testing.T) {
	lost := 0
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			d := sluicetest.NewDisk(sluicetest.Options{Seed: seed, Latency: time.Second})
			must(t, open(t, d, "a", os.O_CREATE|os.O_WRONLY).Sync())
			d.FailSync(1, syscall.ENOSPC)
			if err := d.SyncNames(); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("SyncNames = %v; want ENOSPC", err)
			}
			must(t, d.Rename("a", "b"))
			thaw := d.Freeze()
			synced := make(chan error, 1)
			go func() { synced <- d.SyncNames() }()
			time.Sleep(time.Hour)
			if len(synced) > 0 {
				t.Errorf("SyncNames on a frozen disk = %v; want none", <-synced)
			}
			must(t, d.Rename("b", "c"))
			thaw()
			must(t, <-synced)
			d = d.Crash()
			switch names := d.Names(); {
			case slices.Equal(names, []string{"b"}):
				lost++
			case !slices.Equal(names, []string{"c"}):
				t.Errorf("Names after a crash = %q; want b or c", names)
			}
			must(t, d.Close())
		})
	}
	if lost == 0 || lost == 100 {
		t.Errorf("the rename beside SyncNames is lost in %d of 100 crashes; want some", lost)
	}
}

// TestSpace checks that a call that needs more room than Options.Space fails.
func TestSpace(t *testing.T) {
	d := sluicetest.NewDisk(sluicetest.Options{Space: 8192})
	f, g := open(t, d, "f", os.O_CREATE|os.O_RDWR), open(t, d, "g", os.O_CREATE|os.O_RDWR)
	full := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s = %v; want ENOSPC", what, err)
		}
	}
	write := func(f *sluice.File, n int) error {
		_, err := f.WriteAt(make([]byte, n), 0)
		return err
	}
	// Allocate works on Linux alone
	if err := f.Allocate(0, 8193); !errors.Is(err, errors.ErrUnsupported) {
		full("Allocate of more than there is", err)
		must(t, f.Allocate(0, 8192))
		full("a write beside what is allocated", write(g, 1))
		must(t, write(f, 8192))
		must(t, f.Truncate(1))
		must(t, write(g, 8191))
		must(t, g.Truncate(0))
	}
	must(t, f.Truncate(4096))
	full("Truncate", f.Truncate(8193))
	must(t, write(g, 4096))
	full("a write to a full disk", write(g, 4097))
	must(t, write(f, 4096)) // overwrites
	must(t, d.Remove("f"))
	full("a write to a removed file", write(f, 4097))
	must(t, write(g, 8192))
	must(t, d.Close())
}

// TestSpaceFreed checks that a Truncate frees what Allocate has reserved beyond the size, also if
// the size stays the same, and that O_TRUNC does so for an empty file. ext4 does the same.
func TestSpaceFreed(t *testing.T) {
	d := sluicetest.NewDisk(sluicetest.Options{Space: 8192})
	defer d.Close()
	f, g := open(t, d, "f", os.O_CREATE|os.O_RDWR), open(t, d, "g", os.O_CREATE|os.O_RDWR)
	for _, c := range []struct {
		how  string
		free func() error
	}{
		{"Truncate", func() error { return f.Truncate(0) }},
		{"O_TRUNC", func() error { return open(t, d, "f", os.O_TRUNC|os.O_RDWR).Close() }},
	} {
		err := f.Allocate(0, 8192)
		if errors.Is(err, errors.ErrUnsupported) { // Allocate works on Linux alone
			return
		}
		must(t, err)
		if _, err := g.WriteAt(make([]byte, 8192), 0); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: a write beside what is allocated = %v; want ENOSPC", c.how, err)
		}
		must(t, c.free())
		if _, err := g.WriteAt(make([]byte, 8192), 0); err != nil {
			t.Errorf("%s: a write after it = %v; want the room that it has freed", c.how, err)
		}
		must(t, g.Truncate(0))
	}
}

// TestRenameToNothing checks that a file does not get the empty name, with which it cannot be
// opened.
func TestRenameToNothing(t *testing.T) {
	d := sluicetest.NewDisk(sluicetest.Options{})
	defer d.Close()
	must(t, open(t, d, "f", os.O_CREATE|os.O_RDWR).Close())
	if err := d.Rename("f", ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Rename to \"\" = %v; want ENOENT", err)
	}
	must(t, open(t, d, "f", os.O_RDWR).Close())
}

// TestOthers checks that direct files and Batches are on the disk, too.
func TestOthers(t *testing.T) {
	d := sluicetest.NewDisk(sluicetest.Options{})
	f, err := direct.OpenOn(d.Scheduler(), "f", os.O_CREATE|os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt([]byte("direct"), 0)
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
	b := batch.New(d.Scheduler())
	b.Chain().Rename("f", "g")
	must(t, b.Do(t.Context()))
	if names := d.Names(); !slices.Equal(names, []string{"g"}) {
		t.Errorf("Names = %q; want g", names)
	}
	must(t, d.SyncNames())
	d = d.Crash()
	if got, err := d.ReadFile("g"); string(got) != "direct" || err != nil {
		t.Errorf("ReadFile = %q, %v; want direct", got, err)
	}
	must(t, d.Close())
}

// TestCopies checks that a copy between a File of a disk and any other file goes through the disk,
// so that a Sync keeps it.
func TestCopies(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	must(t, os.WriteFile(name, []byte("copied"), 0o666))
	for _, c := range []struct {
		name string
		copy func(dst, src *sluice.File) (int64, error)
	}{
		{"WriteTo", func(dst, src *sluice.File) (int64, error) { return src.WriteTo(dst) }},
		{"ReadFrom", func(dst, src *sluice.File) (int64, error) { return dst.ReadFrom(src) }},
		{"io.Copy", func(dst, src *sluice.File) (int64, error) { return io.Copy(dst, src) }},
		{"io.CopyN", func(dst, src *sluice.File) (int64, error) { return io.CopyN(dst, src, 6) }},
	} {
		d := sluicetest.NewDisk(sluicetest.Options{})
		outside, err := sluice.Open(name)
		must(t, err)
		first := open(t, d, "first", os.O_CREATE|os.O_RDWR)
		second := open(t, d, "second", os.O_CREATE|os.O_RDWR)
		back, err := sluice.Create(name + "." + c.name)
		must(t, err)
		for _, step := range []struct{ dst, src *sluice.File }{{first, outside}, {second, first}, {back, second}} {
			if n, err := c.copy(step.dst, step.src); n != 6 || err != nil {
				t.Errorf("%s from %s to %s = %d, %v; want 6, nil", c.name, step.src.Name(), step.dst.Name(), n, err)
			}
			must(t, step.dst.Sync())
			_, err := step.dst.Seek(0, io.SeekStart)
			must(t, err)
		}
		must(t, d.SyncNames())
		d = d.Crash()
		for _, name := range []string{"first", "second"} {
			if got, err := d.ReadFile(name); string(got) != "copied" || err != nil {
				t.Errorf("%s, Sync, Crash: %s has %q, %v; want copied", c.name, name, got, err)
			}
		}
		if got, err := os.ReadFile(back.Name()); string(got) != "copied" || err != nil {
			t.Errorf("%s from the disk: %q, %v; want copied", c.name, got, err)
		}
		must(t, d.Close())
		must(t, outside.Close())
		must(t, back.Close())
	}
}
