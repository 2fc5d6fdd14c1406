//go:build !sluice_notrace

package trace_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/trace"
)

// A Recorder is given to a Scheduler, started, stopped, and asked for its Trace.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	rec, err := trace.New(trace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s, err := sluice.NewScheduler(sluice.Options{Driver: "pool", Recorder: rec})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	f, err := s.Create(filepath.Join(dir, "data"))
	if err != nil {
		log.Fatal(err)
	}
	f.WriteString("not recorded")
	rec.Start()
	f.WriteString("recorded")
	f.Sync()
	rec.Stop()

	t := rec.Trace()
	for _, o := range t.Ops {
		fmt.Println(o.Kind, o.Path, o.Result, filepath.Base(t.Files[o.File]))
	}
	// Output:
	// write plain 8 data
	// fsync plain 0 data
}
