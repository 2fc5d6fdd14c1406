package buffer

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// vm returns the sum of a field of /proc/self/smaps, in KiB, over the mappings of mem.
func vm(t *testing.T, mem []byte, field string) int {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	lo := uint64(uintptr(unsafe.Pointer(&mem[0])))
	hi := lo + uint64(len(mem))
	sum, inside := 0, false
	for line := range strings.Lines(string(smaps)) {
		f := strings.Fields(line)
		if from, to, ok := strings.Cut(f[0], "-"); ok {
			a, err1 := strconv.ParseUint(from, 16, 64)
			b, err2 := strconv.ParseUint(to, 16, 64)
			if err1 == nil && err2 == nil {
				inside = a < hi && b > lo
			}
		} else if inside && f[0] == field+":" {
			n, _ := strconv.Atoi(f[1])
			sum += n
		}
	}
	return sum
}

// Memory is aligned, zero, and on pages of its kind.
func TestMmap(t *testing.T) {
	for _, n := range []int{slabSize, 3 * slabSize} {
		m, err := mmap(n)
		if err != nil {
			t.Fatal(err)
		}
		defer m.release()
		if a := uintptr(unsafe.Pointer(&m.mem[0])); a%slabSize != 0 || len(m.mem) != n {
			t.Errorf("%d bytes at %#x; want %d at a multiple of 2 MiB", len(m.mem), a, n)
		}
		if !bytes.Equal(m.mem, make([]byte, n)) {
			t.Error("memory from the system is not zero")
		}
		switch huge := vm(t, m.mem, "AnonHugePages"); m.kind {
		case Transparent:
			if huge < n>>10 {
				t.Errorf("%v, but smaps tells of %d KiB of %d", m.kind, huge, n>>10)
			}
		case Plain:
			skip.For(t, skip.Config, "the system gives no huge pages")
		}
		t.Logf("%d bytes of %v", n, m.kind)
	}
}

// An aligned mapping leaves nothing mapped beside it, and nothing after its release.
func TestAlignedLeavesNothing(t *testing.T) {
	size := func() int {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			skip.For(t, skip.Proc, err)
		}
		_, after, _ := strings.Cut(string(status), "VmSize:")
		n, _ := strconv.Atoi(strings.Fields(after)[0])
		return n
	}
	grown := 0
	for range 20 { // a thread that starts meanwhile maps memory, too: one round without is enough
		before := size()
		for range 100 {
			mem, err := aligned(slabSize)
			if err != nil {
				t.Fatal(err)
			}
			memory{mem, Plain}.release()
		}
		if grown = size() - before; grown < 100<<10 {
			return
		}
	}
	t.Errorf("100 mappings of 2 MiB left %d KiB behind", grown)
}

// Memory that was never written to is not resident. The function transparent relies on that.
func TestResident(t *testing.T) {
	mem, err := aligned(2 * slabSize)
	if err != nil {
		t.Fatal(err)
	}
	defer memory{mem, Plain}.release()
	if resident(mem) {
		t.Error("untouched memory is resident")
	}
	for i := 0; i < len(mem); i += 4096 {
		mem[i] = 1
	}
	if !resident(mem) {
		t.Error("touched memory is not resident")
	}
}

func BenchmarkMmap(b *testing.B) {
	for range b.N {
		m, err := mmap(slabSize)
		if err != nil {
			b.Fatal(err)
		}
		m.release()
	}
}
