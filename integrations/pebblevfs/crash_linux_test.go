package pebblevfs_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	kills = flag.Int("pebble.kills", 20, "how often TestKill kills a database's process")
	cuts  = flag.Int("pebble.cuts", 5, "how often TestCut shuts down each file system under a database")
)

func init() { testenv.Children["writer"] = writeAndAcknowledge }

// writerModeEnv names the environment variable with the mode of a writer, as a number.
const writerModeEnv = "PEBBLEVFS_WRITER"

// newFS returns an FS with a class for background work.
func newFS(s *sluice.Scheduler, mode pebblevfs.Mode) (*pebblevfs.FS, error) {
	class, err := s.Class("pebble background", sluice.ClassOptions{Weight: 10})
	if err != nil {
		return nil, err
	}
	return pebblevfs.New(pebblevfs.Options{Mode: mode, Scheduler: s, Background: class})
}

// ack says that a synced batch has committed a version of a key.
type ack struct {
	Key     uint64
	Version uint64
}

// writeAndAcknowledge writes to a database for ever. It reports each commit on standard output.
func writeAndAcknowledge() error {
	s, err := sluice.Default()
	if err != nil {
		return err
	}
	fs, err := newFS(s, pebblevfs.Mode(os.Getenv(writerModeEnv)[0]-'0'))
	if err != nil {
		return err
	}
	db, err := pebble.Open(os.Getenv(testenv.DirEnv), dbOptions(fs))
	if err != nil {
		return err
	}
	const writers = 8
	failed := make(chan error, writers)
	for i := range writers {
		go func() { failed <- writeEach(db, i, writers) }()
	}
	return <-failed
}

// writeEach writes every step-th key from first on, in random order.
func writeEach(db *pebble.DB, first, step int) error {
	for {
		b := db.NewBatch()
		var acks []ack
		for range 1 + rand.IntN(5) {
			i := first + rand.IntN(keys/step)*step
			v, err := get(db, i)
			if err != nil && !errors.Is(err, pebble.ErrNotFound) {
				return err
			}
			acks = append(acks, ack{uint64(i), v + 1})
			if err := b.Set(key(i), value(i, v+1), nil); err != nil {
				return err
			}
		}
		if err := b.Commit(pebble.Sync); err != nil {
			return err
		}
		if err := b.Close(); err != nil {
			return err
		}
		var out bytes.Buffer
		if err := binary.Write(&out, binary.LittleEndian, acks); err != nil {
			return err
		}
		if _, err := os.Stdout.Write(out.Bytes()); err != nil { // atomic: less than PIPE_BUF
			return err
		}
	}
}

// crash is a database whose process is killed again and again.
type crash struct {
	t     *testing.T
	r     *rand.Rand
	dir   string
	acked [keys]uint64 // the last acknowledged version of each key
}

// round makes a process write, and calls end after a random number of commits. It records the
// acknowledgements until then. Later acknowledgements may be wrong: an fdatasync of ext4 while the
// file system is shut down can succeed and keep nothing, with os.File as well.
func (c *crash) round(mode pebblevfs.Mode, end func(cmd *exec.Cmd)) {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.CommandContext(c.t.Context(), self, "-test.run=^$")
	cmd.Env = append(os.Environ(), testenv.ChildEnv+"=writer", testenv.DirEnv+"="+c.dir, fmt.Sprintf("%s=%d", writerModeEnv, mode))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	for n := range 1 + c.r.IntN(300) {
		var a ack
		err := binary.Read(out, binary.LittleEndian, &a)
		if err == nil && a.Key < keys {
			c.acked[a.Key] = max(c.acked[a.Key], a.Version)
			continue
		}
		said, _ := io.ReadAll(out) // the end of a child's error message
		_ = cmd.Wait()
		c.t.Fatalf("%s: the writer ended after %d acknowledgements: … %s%s", mode, n, said, &complaints)
	}
	var drain sync.WaitGroup
	drain.Go(func() { _, _ = io.Copy(io.Discard, out) }) // the writer is still running
	end(cmd)
	_ = cmd.Process.Kill()
	drain.Wait()
	_ = cmd.Wait() // its status says that it was killed
}

// check requires that each key has its acknowledged version or a later one.
func (c *crash) check(fs *pebblevfs.FS) {
	c.t.Helper()
	db := openDB(c.t, c.dir, dbOptions(fs))
	defer func() {
		if err := db.Close(); err != nil {
			c.t.Error(err)
		}
	}()
	for i, least := range c.acked {
		v, err := get(db, i)
		switch {
		case errors.Is(err, pebble.ErrNotFound) && least == 0:
		case err != nil || v < least:
			c.t.Errorf("%s: key %d has version %d, %v; %d was acknowledged", fs.Mode(), i, v, err, least)
		}
	}
	if err := db.CheckLevels(nil); err != nil {
		c.t.Error(err)
	}
}

// TestKill checks that a killed process's commits are there.
func TestKill(t *testing.T) {
	c := &crash{t: t, r: seed.Rand(t), dir: t.TempDir()}
	s := testenv.Scheduler(t, sluice.Options{})
	for i := range *kills {
		mode := modes[i%len(modes)]
		c.round(mode, func(cmd *exec.Cmd) { _ = cmd.Process.Kill() })
		fs, err := newFS(s, mode)
		if err != nil {
			t.Fatal(err)
		}
		c.check(fs)
		if t.Failed() {
			return
		}
		logRound(t, i+1)
	}
}

// logRound sometimes logs a test's progress, for a test that is stopped early.
func logRound(t *testing.T, n int) {
	t.Helper()
	if n%50 == 0 {
		t.Logf("%d rounds: nothing acknowledged is lost", n)
	}
}

// TestCut checks that commits are there after the file system was cut off, as by a power failure.
func TestCut(t *testing.T) {
	for _, name := range []string{"ext4", "xfs"} {
		t.Run(name, func(t *testing.T) {
			device := places.Loop(t, 512<<20)
			places.Tool(t, map[string]string{"ext4": "mkfs.ext4 -q -F", "xfs": "mkfs.xfs -q -f"}[name], device)
			at := filepath.Join(t.TempDir(), "mounted")
			if err := os.Mkdir(at, 0o700); err != nil {
				t.Fatal(err)
			}
			c := &crash{t: t, r: seed.Rand(t), dir: filepath.Join(at, "db")}
			for i := range *cuts {
				if c.cut(modes[i%len(modes)], device, at, name); t.Failed() {
					return
				}
				logRound(t, i+1)
			}
			t.Logf("figure: %d cuts", *cuts)
		})
	}
}

// cut mounts the file system, cuts it off while a process writes, and checks the database.
func (c *crash) cut(mode pebblevfs.Mode, device, at, fstype string) {
	t := c.t
	places.MountAs(t, device, at, fstype)
	c.round(mode, func(*exec.Cmd) { places.Shutdown(t, at) })
	places.UnmountAll(t, device, at)
	places.MountAs(t, device, at, fstype)
	defer places.UnmountAll(t, device, at)
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fs, err := newFS(s, mode)
	if err != nil {
		t.Fatal(err)
	}
	c.check(fs)
}
