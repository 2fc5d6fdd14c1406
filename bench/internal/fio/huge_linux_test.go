package fio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeHuge replaces the kernel. It reserves no more pages than fit into memory.
type fakeHuge struct {
	t                   *testing.T
	count, free, memory int64
}

func newFakeHuge(t *testing.T, count, free, memory int64) *fakeHuge {
	t.Helper()
	oldCount, oldInfo, oldReserve := nrHugePages, memInfo, reserve
	t.Cleanup(func() { nrHugePages, memInfo, reserve = oldCount, oldInfo, oldReserve })
	dir := t.TempDir()
	nrHugePages, memInfo = filepath.Join(dir, "nr"), filepath.Join(dir, "meminfo")
	f := &fakeHuge{t, count, free, memory}
	reserve = func(n int64) error {
		n = min(n, f.memory)
		f.count, f.free = n, f.free+n-f.count
		f.show()
		return nil
	}
	f.show()
	return f
}

// take takes pages, as other programs do.
func (f *fakeHuge) take(n int64) {
	f.free -= n
	f.show()
}

func (f *fakeHuge) show() {
	f.t.Helper()
	info := fmt.Sprintf("MemTotal: 1 kB\nHugePages_Free: %d\nHugepagesize: 2048 kB\n", f.free)
	for name, text := range map[string]string{nrHugePages: fmt.Sprintln(f.count), memInfo: info} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f *fakeHuge) want(count int64) {
	f.t.Helper()
	if f.count != count {
		f.t.Errorf("%d pages are reserved; want %d", f.count, count)
	}
}

const (
	fiveBuffers = 5 * 512 << 10 // 2.5 MiB: two huge pages, and one for alignment
	need        = 3 + forWorkers
)

func TestHugePagesThatAreThere(t *testing.T) {
	kernel := newFakeHuge(t, 100, need, 1000)
	h, err := takeHugePages(fiveBuffers)
	if err != nil {
		t.Fatal(err)
	}
	kernel.want(100)
	h.release()
	kernel.want(100)
}

func TestHugePagesThatAreAdded(t *testing.T) {
	kernel := newFakeHuge(t, 5, 3, 1000) // enough for fio, but none for workers
	h, err := takeHugePages(fiveBuffers)
	if err != nil {
		t.Fatal(err)
	}
	kernel.want(5 + forWorkers)
	_ = reserve(40) // another program reserves more
	h.release()
	kernel.want(40 - forWorkers)
	h.release()
	kernel.want(40 - forWorkers)
}

func TestHugePagesThatOthersTake(t *testing.T) {
	kernel := newFakeHuge(t, 0, 0, need+5)
	h, err := takeHugePages(fiveBuffers)
	if err != nil {
		t.Fatal(err)
	}
	kernel.take(forWorkers + 1) // two are left, and fio needs three
	if err := h.ensure(); err != nil {
		t.Errorf("ensure = %v; want one more page", err)
	}
	kernel.want(need + 1)
	kernel.take(10)
	if err := h.ensure(); err == nil {
		t.Error("ensure = nil where there is no memory left")
	}
	h.release()
	kernel.want(0)
}

func TestHugePagesThatCannotBeHad(t *testing.T) {
	kernel := newFakeHuge(t, 5, 2, 7)
	if _, err := takeHugePages(fiveBuffers); err == nil || !strings.Contains(err.Error(), "sysctl vm.nr_hugepages=14'") {
		t.Errorf("takeHugePages = %v; want how to have them", err)
	}
	kernel.want(5)
}
