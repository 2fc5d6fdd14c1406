package sluice_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/places"
)

// holding is a driver that keeps what is submitted to it from the kernel,
// until the test releases it.
type holding struct {
	driver.Driver
	mu   sync.Mutex
	held []*driver.Op
	open bool // released: operations pass
}

func (d *holding) Async(*driver.Op) bool { return true }

func (d *holding) Submit(ops []*driver.Op) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open {
		return d.Driver.Submit(ops)
	}
	d.held = append(d.held, ops...) // tests stay far below the depth
	return len(ops), nil
}

// wait returns when n operations of s are held, less those that the page cache
// had after all.
func (d *holding) wait(t *testing.T, s *sluice.Scheduler, n int) {
	t.Helper()
	held := 0
	waitFor(t, "operations to be submitted", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		held = len(d.held)
		return held+int(s.Stats().Cached) >= n
	})
	if held == 0 {
		t.Skip("all files have stayed in the page cache")
	}
}

// release hands what is held to the kernel, and whatever follows.
func (d *holding) release(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if n, err := d.Driver.Submit(d.held); n != len(d.held) || err != nil {
		t.Errorf("Submit of %d = %d, %v", len(d.held), n, err)
	}
	d.held, d.open = nil, true
}

// eachHolding runs test on a Scheduler whose driver holds operations back.
func eachHolding(t *testing.T, test func(t *testing.T, s *sluice.Scheduler, d *holding)) {
	for name, open := range map[string]func() (driver.Driver, error){
		"pool": func() (driver.Driver, error) { return pool.New(pool.Options{}) },
		"uring": func() (driver.Driver, error) {
			r, err := uring.New(uring.Options{})
			return r, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			inner, err := open()
			if missing(err) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			d := &holding{Driver: inner}
			s := sluice.NewSchedulerOn(d)
			t.Cleanup(func() {
				d.release(t)
				if err := s.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
					t.Error(err)
				}
			})
			test(t, s, d)
		})
	}
}

// cold makes a file of one page of 0xa5 that is not in the page cache. One
// page a file, since to try the cache for one page is to read ahead.
func cold(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(bytes.Repeat([]byte{0xa5}, pageSize)); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := dropCache(int(f.Fd())); err != nil {
		t.Skip("the page cache cannot be emptied: ", err)
	}
	return name
}

// coldFiles makes n of them.
func coldFiles(t *testing.T, n int) (names []string) {
	dir := places.Disk(t)
	for i := range n {
		names = append(names, cold(t, filepath.Join(dir, fmt.Sprint("cold", i))))
	}
	return names
}

// wantCold checks a read of such a file.
func wantCold(b []byte, n int, err error) error {
	if n != len(b) || err != nil {
		return fmt.Errorf("ReadAt = %d, %v; want %d, nil", n, err, len(b))
	}
	for i := range b {
		if b[i] != 0xa5 {
			return fmt.Errorf("ReadAt: byte %d is %#x; want 0xa5", i, b[i])
		}
	}
	return nil
}
