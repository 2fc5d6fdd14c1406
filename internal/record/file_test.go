//go:build unix

package record

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFile records into a file in a process that dies, and reads the file.
func TestFile(t *testing.T) {
	const variable = "SLUICE_RECORD_TEST"
	if name := os.Getenv(variable); name != "" {
		r, err := Create(name, Options{Events: 1, Names: 1})
		if err != nil {
			t.Fatal(err)
		}
		r.Describe([]byte("about"))
		r.Uses(DriverAIO)
		var ref FileRef
		for i := range 2 * r.Events() {
			r.PutOp(&Op{Queued: r.head.began + int64(i), Off: int64(i), File: r.File(&ref, "name")})
		}
		r.claim(3) // and never writes the record
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		select {}
	}
	name := filepath.Join(t.TempDir(), "file")
	cmd := exec.Command(os.Args[0], "-test.run=^TestFile$")
	cmd.Env = append(os.Environ(), variable+"="+name)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the process ended with %v, and was to be killed: %s", err, out)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n, newest := 0, int64(0)
	count := Sink{Op: func(o Op, _ uint32) {
		n++
		newest = max(newest, o.Off)
		if o.Queued != o.Off || o.File != 1 {
			t.Fatalf("recorded %+v", o)
		}
	}}
	about, err := Read(bytes.NewReader(whole), nil, count)
	if err != nil {
		t.Fatal(err)
	}
	events := int64(len(whole)/pageSize) * perChunk
	if newest < events/2 || about.Total != newest+2 || string(about.About) != "about" || about.Drivers != 1<<DriverAIO || about.Files[1] != "name" {
		t.Errorf("the newest of %d is %d, recording is %+v", n, newest, about)
	}
	refuses(t, whole)
}

// refuses damages a recording, and checks that Read refuses it.
func refuses(t *testing.T, whole []byte) {
	none := Sink{Op: func(Op, uint32) {}, Call: func(Call, uint32) {}}
	for _, n := range []int{0, 8, pageSize - 1, pageSize, len(whole) - 1} {
		if _, err := Read(bytes.NewReader(whole[:n]), nil, none); !errors.Is(err, ErrDamaged) {
			t.Errorf("Read of the first %d bytes: %v; want ErrDamaged", n, err)
		}
	}
	for at := range 28 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0xff
		if _, err := Read(bytes.NewReader(damaged), nil, none); !errors.Is(err, ErrDamaged) {
			t.Errorf("Read with byte %d changed: %v; want ErrDamaged", at, err)
		}
	}
	// No Recorder can have made these records, so Read returns none.
	damaged := bytes.Clone(whole)
	first := len(damaged) - pageSize
	for i := first; i < len(damaged); i++ {
		damaged[i] = 0x56
	}
	total := func(b []byte) (n int) {
		if _, err := Read(bytes.NewReader(b), nil, Sink{func(Op, uint32) { n++ }, func(Call, uint32) { n++ }}); err != nil {
			t.Error(err)
		}
		return n
	}
	if got, want := total(damaged), total(whole)-perChunk; got != want {
		t.Errorf("%d records of a file with a page that is none; want %d", got, want)
	}
}

// TestReadTwice checks that a place that is written to between the two readings is left out.
func TestReadTwice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	r, err := Create(name, Options{Events: 1, Names: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		r.PutOp(&Op{Queued: Now(), Off: int64(i)})
	}
	first, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.chunks[:r.head.ready.Load()] { // the file has no others
		for j := range r.chunks[i].events {
			if e := &r.chunks[i].events[j]; e.word.Load() != 0 && e.off%2 == 0 {
				e.word.Add(1) // as lock does
			}
		}
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	_, err = Read(bytes.NewReader(first), f, Sink{Op: func(o Op, _ uint32) {
		n++
		if o.Off%2 == 0 {
			t.Errorf("operation %d is there, which was being overwritten", o.Off)
		}
	}})
	if err != nil || n != 5 {
		t.Errorf("Read gives %d operations, %v; want 5", n, err)
	}
	if err := os.Truncate(name, int64(len(first))-pageSize); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(bytes.NewReader(first), f, Sink{Op: func(Op, uint32) {}}); !errors.Is(err, ErrDamaged) {
		t.Errorf("Read of a file that has become shorter: %v; want ErrDamaged", err)
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(name, Options{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("Create over a file: %v; want ErrExist", err)
	}
	if b, _ := os.ReadFile(name); string(b) != "old" {
		t.Errorf("the file is %q; want old", b)
	}
	if _, err := Create(filepath.Join(dir, "none", "file"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Create in no directory: %v; want ErrNotExist", err)
	}
}
