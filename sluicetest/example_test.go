package sluicetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/sluicetest"
)

// Log is the code under test. Its bug: Append returns before the record is on the disk.
type Log struct{ f *sluice.File }

// OpenLog opens the log of that name.
func OpenLog(s *sluice.Scheduler, name string) (*Log, error) {
	f, err := s.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	return &Log{f}, err
}

// Append adds a record. Once it has returned nil, the record must not be lost.
func (l *Log) Append(record string) error {
	_, err := l.f.WriteString(record + "\n")
	return err // the bug: a Sync is missing
}

// The log must hold each record that Append has acknowledged, whatever the crash leaves.
func Example() {
	for seed := range uint64(100) {
		d := sluicetest.NewDisk(sluicetest.Options{Seed: seed})
		log, _ := OpenLog(d.Scheduler(), "log")
		err := log.Append("acknowledged")
		d = d.Crash()
		left, _ := d.ReadFile("log")
		d.Close()
		if err == nil && string(left) != "acknowledged\n" {
			fmt.Printf("a record is lost: %q is left\n", left)
			return
		}
	}
	// Output: a record is lost: "" is left
}

// The disk fails at a chosen operation.
func ExampleDisk_FailWrite() {
	d := sluicetest.NewDisk(sluicetest.Options{})
	defer d.Close()
	log, _ := OpenLog(d.Scheduler(), "log")
	d.FailWrite(2, syscall.ENOSPC)
	for range 3 {
		err := log.Append("record")
		fmt.Println(err, errors.Is(err, syscall.ENOSPC))
	}
	// Output:
	// <nil> false
	// write log: no space left on device true
	// <nil> false
}

// While the disk is frozen, calls wait unless their context ends.
func ExampleDisk_Freeze() {
	d := sluicetest.NewDisk(sluicetest.Options{})
	defer d.Close()
	f, _ := d.Scheduler().OpenFile("data", os.O_RDWR|os.O_CREATE, 0o666)
	f.WriteAt([]byte("bytes"), 0)
	thaw := d.Freeze()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := f.ReadAtContext(ctx, make([]byte, 5), 0)
	fmt.Println(err)
	thaw()
	n, err := f.ReadAt(make([]byte, 5), 0)
	fmt.Println(n, err)
	// Output:
	// read data: context deadline exceeded
	// 5 <nil>
}
