package fio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hugetlb stands in for the kernel's files. Of what is reserved, no more than
// there is in memory can be had.
func hugetlb(t *testing.T, count, free, memory int64) {
	t.Helper()
	dir := t.TempDir()
	oldCount, oldInfo, oldReserve := nrHugePages, memInfo, reserve
	t.Cleanup(func() { nrHugePages, memInfo, reserve = oldCount, oldInfo, oldReserve })
	nrHugePages, memInfo = filepath.Join(dir, "nr"), filepath.Join(dir, "meminfo")
	set := func(n, free int64) error {
		text := fmt.Sprintf("MemTotal: 1 kB\nHugePages_Free: %d\nHugepagesize: 2048 kB\n", free)
		return errors.Join(os.WriteFile(nrHugePages, fmt.Appendln(nil, n), 0o600), os.WriteFile(memInfo, []byte(text), 0o600))
	}
	reserve = func(n int64) error {
		had, err := reserved()
		if err != nil {
			return err
		}
		n = min(n, memory)
		free += n - had
		return set(n, free)
	}
	if err := set(count, free); err != nil {
		t.Fatal(err)
	}
}

func wantReserved(t *testing.T, want int64) {
	t.Helper()
	if n, err := reserved(); err != nil || n != want {
		t.Errorf("%d pages are reserved, %v; want %d", n, err, want)
	}
}

const (
	fiveBuffers = 5 * 512 << 10 // 2.5 MiB: two huge pages, and one for alignment
	need        = 3 + forWorkers
)

func TestHugePagesThatAreThere(t *testing.T) {
	hugetlb(t, 100, need, 1000)
	h, err := takeHugePages(fiveBuffers)
	if err != nil {
		t.Fatal(err)
	}
	wantReserved(t, 100)
	h.release()
	wantReserved(t, 100)
}

func TestHugePagesThatAreAdded(t *testing.T) {
	hugetlb(t, 5, need-1, 1000) // enough for fio, but then none for workers
	h, err := takeHugePages(fiveBuffers)
	if err != nil {
		t.Fatal(err)
	}
	wantReserved(t, 5+need)
	if err := reserve(40); err != nil { // somebody else adds some
		t.Fatal(err)
	}
	h.release()
	wantReserved(t, 40-need)
	h.release()
	wantReserved(t, 40-need)
}

func TestHugePagesThatCannotBeHad(t *testing.T) {
	hugetlb(t, 5, 2, 7)
	if _, err := takeHugePages(fiveBuffers); err == nil || !strings.Contains(err.Error(), "sysctl vm.nr_hugepages=16'") {
		t.Errorf("takeHugePages = %v; want how to have them", err)
	}
	wantReserved(t, 5)
}
