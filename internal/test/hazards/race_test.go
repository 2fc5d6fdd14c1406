package hazards

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// Hazard: the race detector cannot see the kernel's accesses to a buffer. Guard:
// ioengine.RaceBefore and RaceAfter, sys.RaceWrite and RaceRead. A child process touches a buffer
// during I/O, without any order between the two. The detector must report it. It must not report a
// child that keeps to the rules.
func TestRaceDetectorSeesBuffers(t *testing.T) {
	if !sys.RaceEnabled {
		skip.For(t, skip.Build, "without -race")
	}
	for _, driver := range testenv.Drivers {
		testenv.Scheduler(t, sluice.Options{Driver: driver})
		for _, c := range []struct {
			child string
			race  bool
		}{
			{"race write during read", true},
			{"race read during read", true},
			{"race write during write", true},
			{"race read during write", false},
			{"race in turns", false},
		} {
			t.Run(driver+"/"+c.child, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "file")
				out, _ := testenv.Child(t, c.child, "SLUICE_DRIVER="+driver, "SLUICE_TEST_FILE="+file, "GORACE=atexit_sleep_ms=0")
				if race := strings.Contains(out, "DATA RACE"); race != c.race || !strings.Contains(out, "finished") {
					t.Errorf("the detector reports a race: %t; want %t\n%s", race, c.race, out)
				}
			})
		}
	}
}

func init() {
	touch := func(b []byte, write bool) {
		for i := range b {
			if write {
				b[i] = 1
			} else if b[i] == 77 {
				fmt.Println("77")
			}
		}
	}
	for _, io := range []string{"read", "write"} {
		for _, user := range []string{"read", "write"} {
			testenv.Children["race "+user+" during "+io] = func() error {
				return duringIO(io == "read", func(b []byte) { touch(b, user == "write") })
			}
		}
	}
	testenv.Children["race in turns"] = raceInTurns
}

// duringIO has a new goroutine touch a buffer during a read or write of it. The time of the access
// does not matter: nothing orders it and the first transfer, and the detector only checks that.
// duringIO learns of the access after that transfer, and the goroutine learns nothing. The
// goroutine stays until the end, because the detector forgets the accesses of ended goroutines.
func duringIO(read bool, user func(b []byte)) error {
	f, err := raceFile()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background()) // makes it a queued operation
	defer cancel()
	// The detector remembers about ten thousand accesses of a goroutine. It finds no race with
	// earlier ones.
	b := testenv.AlignedBytes(testenv.PageSize)
	var touched atomic.Bool
	end := make(chan struct{})
	defer close(end)
	go func() {
		user(b)
		touched.Store(true)
		<-end
	}()
	for done := false; !done && err == nil; done = touched.Load() {
		if read {
			_, err = f.ReadAtContext(ctx, b, 0)
		} else {
			_, err = f.WriteAtContext(ctx, b, 0)
		}
	}
	fmt.Println("finished")
	return err
}

// raceInTurns has goroutines pass buffers around. The owner of a buffer reads into it and writes
// from it.
func raceInTurns() error {
	f, err := raceFile()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	const users = 8
	bufs, ends := make(chan []byte, users), make(chan error)
	for range users / 2 {
		bufs <- testenv.AlignedBytes(testenv.PageSize)
	}
	for g := range users {
		go func() {
			var err error
			for i := 0; i < 100 && err == nil; i++ {
				b := <-bufs
				b[i] = byte(g)
				switch i % 4 {
				case 0:
					_, err = f.WriteAtContext(ctx, b, int64(g)*testenv.PageSize)
				case 1:
					_, err = f.WriteAt(b, int64(g)*testenv.PageSize)
				case 2:
					_, err = f.ReadAtContext(ctx, b, int64(g)*testenv.PageSize)
				case 3:
					_, err = f.ReadAt(b, int64(g)*testenv.PageSize)
				}
				bufs <- b
			}
			ends <- err
		}()
	}
	for range users {
		if err := <-ends; err != nil {
			return err
		}
	}
	fmt.Println("finished")
	return nil
}

// raceFile opens a file of 64 KiB, with O_DIRECT if possible, so that reads are queued. The file is
// synced.
func raceFile() (*sluice.File, error) {
	name := os.Getenv("SLUICE_TEST_FILE")
	made, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer made.Close()
	if _, err := made.Write(make([]byte, 16*testenv.PageSize)); err != nil {
		return nil, err
	}
	if err := made.Sync(); err != nil {
		return nil, err
	}
	f, err := sluice.OpenFile(name, os.O_RDWR|sys.O_DIRECT, 0)
	if err != nil {
		return sluice.OpenFile(name, os.O_RDWR, 0)
	}
	return f, nil
}
