package sluice_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/sluiceio/sluice"
)

// A backup reads all it can, but not faster than 100 MB/s, and stays out of the
// way of everything else, which is of the default class.
func ExampleScheduler_Class() {
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	backup, err := s.Class("backup", sluice.ClassOptions{Weight: 10, BytesPerSecond: 100e6})
	if err != nil {
		log.Fatal(err)
	}
	f, err := s.Open(os.Args[0])
	if err != nil {
		log.Fatal(err)
	}
	ctx := sluice.WithClass(context.Background(), backup)
	if _, err := f.ReadAtContext(ctx, make([]byte, 4096), 0); err != nil {
		log.Fatal(err)
	}
	view, err := f.WithClass(backup) // for methods without a context
	if err != nil {
		log.Fatal(err)
	}
	if _, err := view.Read(make([]byte, 1000)); err != nil {
		log.Fatal(err)
	}
	st := backup.Stats()
	fmt.Println(backup.Name(), st.Operations, st.Bytes)
	// Output: backup 2 5096
}

// A database may be open several times in a process. All its instances share one class, which
// the first of them makes.
func ExampleScheduler_Class_shared() {
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	var classes [2]*sluice.Class
	for i := range classes {
		if classes[i], err = s.Class("compaction", sluice.ClassOptions{Weight: 10}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(classes[0] == classes[1])
	// Output: true
}
