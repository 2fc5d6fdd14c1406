package fio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// hugeFrom is the smallest request that is up to three times as fast into contiguous memory
// (docs/decisions/0010-memory.md). fio gets contiguous memory only in huge pages of hugetlb.
const hugeFrom = 64 << 10 // 64 KiB

// forWorkers is the number of huge pages that are reserved beyond fio's. sluice's workers take some
// before they ask for transparent huge pages, and would otherwise take fio's.
const forWorkers = 8

// The kernel's files about huge pages. Tests replace them.
var (
	nrHugePages = "/proc/sys/vm/nr_hugepages"
	memInfo     = "/proc/meminfo"
)

// hugePages is a reservation of huge pages for fio; nil means none.
type hugePages struct {
	need  int64 // for one run of fio
	added int64 // pages that takeHugePages added to existing reservations
}

// takeHugePages makes n bytes of huge pages free for fio, and some for the workers. The pages are
// already reserved, or it reserves them as root until release.
func takeHugePages(n int64) (*hugePages, error) {
	_, size := hugeCounts()
	if size == 0 {
		return nil, errors.New("the kernel has no hugetlb")
	}
	h := &hugePages{need: (n+size-1)/size + 1} // fio aligns its buffers, which may take one more
	if err := h.demand(h.need + forWorkers); err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

// ensure makes pages free for the next run of fio: another program may have taken some.
func (h *hugePages) ensure() error {
	if h == nil {
		return nil
	}
	return h.demand(h.need)
}

// demand reserves more pages until n are free.
func (h *hugePages) demand(n int64) error {
	free, _ := hugeCounts()
	if free >= n {
		return nil
	}
	had, err := reserved()
	if err != nil {
		return err
	}
	want := had + n - free
	if err := reserve(want); err == nil {
		now, err := reserved()
		if err != nil {
			return err
		}
		h.added += now - had
	}
	if free, _ = hugeCounts(); free < n {
		return fmt.Errorf("too few huge pages are free; 'sysctl vm.nr_hugepages=%d', as root, reserves them", want)
	}
	return nil
}

// release undoes the reservation.
func (h *hugePages) release() {
	if h == nil || h.added <= 0 {
		return
	}
	if now, err := reserved(); err == nil {
		_ = reserve(max(0, now-h.added))
	}
	h.added = 0
}

func reserved() (int64, error) {
	text, err := os.ReadFile(nrHugePages)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// reserve sets the number of huge pages. Tests replace it.
var reserve = func(n int64) error {
	return os.WriteFile(nrHugePages, strconv.AppendInt(nil, n, 10), 0)
}

// hugeCounts returns the number of free huge pages of the default size, and that size in bytes; 0
// if there are no huge pages.
func hugeCounts() (free, size int64) {
	text, _ := os.ReadFile(memInfo)
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "HugePages_Free:":
			free = n
		case "Hugepagesize:":
			size = n << 10
		}
	}
	return free, size
}
