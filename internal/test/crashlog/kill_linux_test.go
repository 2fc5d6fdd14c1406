package crashlog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var kills = flag.Int("crashlog.kills", 10, "how often TestKill kills a process")

const seedEnv = "SLUICE_TEST_SEED"

func init() { testenv.Children["crashlog"] = writeLogs }

// writeLogs writes to logs in SLUICE_TEST_DIR for ever. It writes notes to standard output.
func writeLogs() error {
	n, err := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(n, 0))
	var mu sync.Mutex
	tell := func(n note) { // one write(2) each: the parent gets every note before the end
		mu.Lock()
		defer mu.Unlock()
		if err := binary.Write(os.Stdout, binary.LittleEndian, n); err != nil {
			panic(err)
		}
	}
	w := newWorkload(os.Getenv(testenv.DirEnv), openSchedulers(), longLog, r, tell)
	w.stopped = func() bool { return false }
	w.fail = func(l *log, err error) { panic(fmt.Sprint(l.name, ": ", err)) }
	if err := w.begin(r); err != nil {
		return err
	}
	w.run(r)
	return nil
}

// openSchedulers returns a Scheduler on each available driver.
func openSchedulers() (all []*sluice.Scheduler) {
	for _, driver := range testenv.Drivers {
		if s, err := sluice.NewScheduler(sluice.Options{Driver: driver}); err == nil {
			all = append(all, s)
		}
	}
	return all
}

// TestKill checks that written and committed records are there after the process was killed.
func TestKill(t *testing.T) {
	start := seed.Of(t)
	dir := places.Disk(t)
	v := verdict{}
	for i := range *kills {
		hang.During(t, func() {
			b, err := killOnce(dir, rand.New(rand.NewPCG(start, uint64(i))))
			if err != nil {
				t.Fatalf("kill %d: %v", i, err)
			}
			v.judge(t, b, b.check(dir), fmt.Sprint("kill ", i))
		})
		if t.Failed() {
			return
		}
		removeAll(t, dir)
	}
	v.report(t, "kills")
}

// killOnce makes a process write logs, and kills it after some notes.
func killOnce(dir string, r *rand.Rand) (*book, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), testenv.ChildEnv+"=crashlog", testenv.DirEnv+"="+dir, seedEnv+"="+fmt.Sprint(r.Uint64()))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b, in := newBook(), bufio.NewReader(out)
	read := func() error {
		var n note
		err := binary.Read(in, binary.LittleEndian, &n)
		if err == nil {
			b.add(n, written)
		}
		return err
	}
	for left := 1 + r.IntN(3000); left > 0 && err == nil; left-- {
		err = read()
	}
	killed := err == nil
	_ = cmd.Process.Kill() // it may have ended
	for err == nil {
		err = read()
	}
	_ = cmd.Wait() // it was killed
	if !killed || !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("its notes end with %w; it said: %s", err, said.Bytes())
	}
	return b, nil
}

// removeAll removes all files in dir.
func removeAll(t *testing.T, dir string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	for _, n := range names {
		err = errors.Join(err, os.Remove(dir+"/"+n.Name()))
	}
	if err != nil {
		t.Fatal(err)
	}
}
