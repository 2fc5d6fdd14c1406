package sim_test

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/sim"
)

const sector = 512

// sectors returns the letters of a file's sectors. It checks that each sector has one letter only,
// and an allowed one.
func sectors(t testing.TB, image []byte, letters string) string {
	t.Helper()
	var s strings.Builder
	for off := 0; off < len(image); off += sector {
		b := image[off:min(off+sector, len(image))]
		if !strings.Contains(letters, string(b[:1])) || len(bytes.Trim(b, string(b[:1]))) > 0 {
			t.Fatalf("the sector at %d is %q; want one of %q throughout", off, b, letters)
		}
		s.WriteByte(b[0])
	}
	return s.String()
}

func fill(letter string, n int) string { return strings.Repeat(letter, n*sector) }

// outcomes crashes disks with many seeds, and counts the results.
func outcomes(t *testing.T, run func(d *sim.Disk, fd int32)) map[string]int {
	t.Helper()
	found := map[string]int{}
	for seed := range uint64(100) {
		d := disk(t, sim.Options{Seed: seed})
		fd := d.Create("log", []byte(fill("a", 4)))
		run(d, fd)
		after := d.Crash()
		found[sectors(t, after.Contents(after.Open("log")), "ab\x00")]++
	}
	return found
}

// TestCrashSynced checks that synced bytes survive, with every seed.
func TestCrashSynced(t *testing.T) {
	for _, code := range []driver.Code{driver.Fsync, driver.Fdatasync} {
		found := outcomes(t, func(d *sim.Disk, fd int32) {
			want(t, "Write", do(t, d, write(fd, sector, fill("b", 5))), 5*sector)
			want(t, code.String(), do(t, d, &driver.Op{Code: code, FD: fd}), 0)
			if got := sectors(t, d.Durable(fd), "ab"); got != "abbbbb" {
				t.Errorf("Durable = %s; want abbbbb", got)
			}
		})
		if len(found) != 1 || found["abbbbb"] == 0 {
			t.Errorf("after %v and a crash: %v; want abbbbb always", code, found)
		}
	}
}

// TestCrashUnsynced checks that unsynced bytes may survive, be lost or be torn.
func TestCrashUnsynced(t *testing.T) {
	for name, run := range map[string]func(d *sim.Disk, fd int32){
		"completed": func(d *sim.Disk, fd int32) {
			do(t, d, write(fd, 0, fill("b", 4)))
			if got := sectors(t, d.Contents(fd), "ab"); got != "bbbb" {
				t.Errorf("Contents = %s; want bbbb", got)
			}
		},
		"in flight": func(d *sim.Disk, fd int32) { submit(t, d, write(fd, 0, fill("b", 4))) },
		// The sync was submitted before the write had completed. It need not cover the write,
		// although it ends later.
		"beside a sync": func(d *sim.Disk, fd int32) {
			submit(t, d, write(fd, 0, fill("b", 4)), fsync(fd))
			reap(t, d, 2)
		},
	} {
		found := outcomes(t, run)
		if found["aaaa"] == 0 || found["bbbb"] == 0 || len(found) < 5 {
			t.Errorf("a write %s, after a crash: %v; want all, nothing and parts", name, found)
		}
	}
}

// TestCrashExtend checks that a write beyond the end may be lost, or survive in part. The missing
// bytes before that part then read as zeros.
func TestCrashExtend(t *testing.T) {
	found := outcomes(t, func(d *sim.Disk, fd int32) { do(t, d, write(fd, 4*sector, fill("b", 2))) })
	for _, w := range []string{"aaaa", "aaaab", "aaaa\x00b", "aaaabb"} {
		if found[w] == 0 {
			t.Errorf("a write that extends, after a crash: %v; want %q among them", found, w)
		}
	}
	if len(found) != 4 {
		t.Errorf("a write that extends, after a crash: %v; want 4 outcomes", found)
	}
}

// TestCrashOrder checks that an earlier write never undoes a later one.
func TestCrashOrder(t *testing.T) {
	found := outcomes(t, func(d *sim.Disk, fd int32) {
		do(t, d, write(fd, 0, fill("a", 4)))
		do(t, d, write(fd, 0, fill("b", 4)))
		do(t, d, fsync(fd))
	})
	if len(found) != 1 || found["bbbb"] == 0 {
		t.Errorf("after two writes and a sync: %v; want bbbb always", found)
	}
}

// TestFailedSync checks that after a failed sync the next one succeeds, and the data is lost.
func TestFailedSync(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(200) {
		d := disk(t, sim.Options{Seed: seed, Fail: 0.5})
		fd := d.Create("log", []byte(fill("a", 4)))
		for do(t, d, write(fd, 0, fill("b", 4))) < 0 {
		}
		if do(t, d, fsync(fd)) == 0 {
			continue // the sync did not fail
		}
		for do(t, d, fsync(fd)) < 0 {
		}
		if got := sectors(t, d.Contents(fd), "ab"); got != "bbbb" {
			t.Errorf("Contents = %s; want bbbb: the page cache still has it", got)
		}
		after := d.Crash()
		found[sectors(t, after.Contents(after.Open("log")), "ab")]++
	}
	if found["aaaa"] == 0 || found["bbbb"] == 0 {
		t.Errorf("after a failed sync, a good one and a crash: %v; want losses", found)
	}
}

// TestCrashOps checks that all operations fail after the crash. Operations in flight fail no later
// than they would have ended.
func TestCrashOps(t *testing.T) {
	d := disk(t, sim.Options{Ordered: true, Latency: time.Second})
	fd := d.Create("a", []byte("abc"))
	d.Hold(func(op *driver.Op) bool { return op.Off == 1 })
	ops := []*driver.Op{read(fd, 0, 1), read(fd, 1, 1), write(fd, 0, "x"), fsync(fd)}
	submit(t, d, ops...)
	after := d.Crash()
	reap(t, d, len(ops))
	if d.Now() > time.Second {
		t.Errorf("operations of a second have failed after %v", d.Now())
	}
	for _, op := range ops {
		want(t, op.Code.String()+" in flight", op.Res, -int32(syscall.EIO))
	}
	want(t, "Read after the crash", do(t, d, read(fd, 0, 1)), -int32(syscall.EIO))
	want(t, "Read by an old descriptor", do(t, after, read(fd, 0, 1)), -int32(syscall.EBADF))
	fd = after.Open("a")
	want(t, "Write after the power is back", do(t, after, write(fd, 0, "xyz")), 3)
}
