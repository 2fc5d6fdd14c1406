package testenv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// A block begins with a mark and its number. A Lossy that loses writes refuses blocks with
// LostMark, but not with KeptMark. A block that is written together with a refused one is lost,
// too.
const (
	LostMark = "this write is lost"
	KeptMark = "this write is kept"
)

// blockHead is the length of a mark and a number.
const blockHead = len(LostMark) + 8

// Lossy is a file system on a disk that loses writes: a loop device on a file of a FUSE file
// system. The kernel reports a loss once to each open file description.
type Lossy struct {
	Dir    string // the mount point
	ledger *lossLedger
	files  int // the number of files made
	last   atomic.Uint64
}

// LossyKinds are the file systems that NewLossy can make.
var LossyKinds = map[string]struct {
	mkfs, options string
	size          int64
}{
	"ext4": {"mkfs.ext4 -q -F -b 4096", "", 64 << 20},
	"xfs":  {"mkfs.xfs -q -f", "", 300 << 20},
	// Metadata must not contain data: when the disk refuses metadata, btrfs ends all writing for
	// good.
	"btrfs": {"mkfs.btrfs -q -f", "max_inline=0", 128 << 20},
}

// NewLossy makes a file system of a kind on a disk that loses writes, until the end of the test. If
// that is impossible, it skips the test.
func NewLossy(t testing.TB, kind string) *Lossy {
	t.Helper()
	served := places.Memory(t)
	ledger, err := openLedger(filepath.Join(served, ledgerName), os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ledger.close)
	mounted := MountFUSE(t, served, "loses")
	image := filepath.Join(mounted, "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, LossyKinds[kind].size)); err != nil {
		t.Fatal(err)
	}
	device := places.LoopOf(t, image)
	// A loop device reports success if its file has taken a part of a request
	// (drivers/block/loop.c, lo_complete_rq). So each request must be a single FUSE request, which
	// is refused as a whole.
	largest := filepath.Join("/sys/block", filepath.Base(device), "queue/max_sectors_kb")
	if err := os.WriteFile(largest, []byte("64"), 0); err != nil {
		skip.For(t, skip.Loop, err)
	}
	return &Lossy{Dir: places.Mount(t, device, LossyKinds[kind].mkfs, LossyKinds[kind].options), ledger: ledger}
}

// File makes a new file of zeros that is on the disk. It is new because btrfs may refuse to
// truncate a file that has lost data.
func (l *Lossy) File(t testing.TB, size int) (name string) {
	t.Helper()
	l.files++
	name = filepath.Join(l.Dir, fmt.Sprint(l.files))
	Write(t, name, strings.Repeat("\x00", size))
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// Lose makes the disk refuse marked blocks until do has returned.
func (l *Lossy) Lose(do func()) {
	l.Losing(true)
	defer l.Losing(false)
	do()
}

// Losing makes the disk refuse marked blocks, or accept them again.
func (l *Lossy) Losing(yes bool) {
	var n uint32
	if yes {
		n = 1
	}
	atomic.StoreUint32(l.ledger.losing(), n)
}

// Block fills b with the mark and a new number, which it returns. b must be alone in a unit that
// the disk refuses.
func (l *Lossy) Block(b []byte, mark string) (number uint64) {
	number = l.last.Add(1)
	head := binary.LittleEndian.AppendUint64([]byte(mark), number)
	for rest := b; len(rest) > 0; {
		rest = rest[copy(rest, head):]
	}
	return number
}

// OnDisk reports whether the disk has accepted the block with this number.
func (l *Lossy) OnDisk(number uint64) bool {
	return atomic.LoadUint32(l.ledger.entry(number)) == 1
}

// ReadBack reads n bytes of the file from the disk, not from memory. It returns nil if that fails.
func (l *Lossy) ReadBack(t testing.TB, name string, off int64, n int) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if _, err := f.ReadAt(b, off); err != nil {
		return nil
	}
	return b
}

// lossLedger is memory shared by a testing process and its disk's process. It records whether the
// disk loses writes and, by number, which blocks the disk has. A nil *lossLedger loses nothing.
type lossLedger struct{ words []byte }

const (
	ledgerName   = "ledger"
	ledgerBlocks = 64 << 20 // blocks; the file in memory has holes
)

func openLedger(name string, flag int) (*lossLedger, error) {
	f, err := os.OpenFile(name, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const size = 4 * (ledgerBlocks + 1)
	if err := f.Truncate(size); err != nil {
		return nil, err
	}
	words, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return &lossLedger{words}, err
}

func (l *lossLedger) close() { _ = unix.Munmap(l.words) }

func (l *lossLedger) losing() *uint32 { return l.word(0) }

// entry returns the word of a block. It is 1 if the block is on the disk.
func (l *lossLedger) entry(number uint64) *uint32 {
	if number == 0 || number > ledgerBlocks {
		panic(fmt.Sprintf("block %d of %d", number, ledgerBlocks))
	}
	return l.word(number)
}

func (l *lossLedger) word(i uint64) *uint32 { return (*uint32)(unsafe.Pointer(&l.words[4*i])) }

// loses reports whether the disk refuses to write b.
func (l *lossLedger) loses(b []byte) bool {
	return l != nil && atomic.LoadUint32(l.losing()) == 1 && bytes.Contains(b, []byte(LostMark))
}

// written records the blocks in b.
func (l *lossLedger) written(b []byte) {
	if l == nil {
		return
	}
	for _, mark := range []string{LostMark, KeptMark} {
		for rest := b; ; {
			i := bytes.Index(rest, []byte(mark))
			if i < 0 || len(rest) < i+blockHead {
				break
			}
			rest = rest[i+len(mark):]
			if n := binary.LittleEndian.Uint64(rest); n > 0 && n <= ledgerBlocks {
				atomic.StoreUint32(l.entry(n), 1)
			}
		}
	}
}
