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
func ExampleScheduler_NewClass() {
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	backup, err := s.NewClass("backup", sluice.ClassOptions{Weight: 10, BytesPerSecond: 100e6})
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
	view, err := f.WithClass(backup) // for what takes no context
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
