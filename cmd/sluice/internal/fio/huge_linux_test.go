package fio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hugetlb stands in for the kernel's files, whose reservations have no effect.
func hugetlb(t *testing.T, count, free int) {
	t.Helper()
	dir := t.TempDir()
	oldCount, oldInfo := nrHugePages, memInfo
	t.Cleanup(func() { nrHugePages, memInfo = oldCount, oldInfo })
	nrHugePages, memInfo = filepath.Join(dir, "nr"), filepath.Join(dir, "meminfo")
	if err := os.WriteFile(nrHugePages, fmt.Appendln(nil, count), 0o600); err != nil {
		t.Fatal(err)
	}
	setFree(t, free)
}

func setFree(t *testing.T, free int) {
	t.Helper()
	text := fmt.Sprintf("MemTotal: 1 kB\nHugePages_Free: %d\nHugepagesize: 2048 kB\n", free)
	if err := os.WriteFile(memInfo, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantReserved(t *testing.T, want int64) {
	t.Helper()
	if n, err := reserved(); err != nil || n != want {
		t.Errorf("%d pages are reserved, %v; want %d", n, err, want)
	}
}

const fiveBuffers = 5 * 512 << 10

func TestHugePagesThatAreThere(t *testing.T) {
	hugetlb(t, 100, 50)
	h, err := takeHugePages(fiveBuffers)
	if err != nil {
		t.Fatal(err)
	}
	wantReserved(t, 100)
	h.release()
	wantReserved(t, 100)
}

func TestHugePagesThatAreAdded(t *testing.T) {
	hugetlb(t, 5, 3) // enough for fio alone, not for workers too
	h, err := takeHugePages(fiveBuffers)
	if err != nil {
		t.Fatal(err)
	}
	wantReserved(t, 5+3+forWorkers)
	if err := reserve(40); err != nil { // somebody else adds some
		t.Fatal(err)
	}
	h.release()
	wantReserved(t, 40-3-forWorkers)
	h.release()
	wantReserved(t, 40-3-forWorkers)
}

func TestHugePagesThatCannotBeHad(t *testing.T) {
	hugetlb(t, 5, 2) // the kernel finds none
	if _, err := takeHugePages(fiveBuffers); err == nil || !strings.Contains(err.Error(), "sysctl vm.nr_hugepages=24") {
		t.Errorf("takeHugePages = %v; want how to have them", err)
	}
	wantReserved(t, 5)
}
