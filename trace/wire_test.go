package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// random returns a trace of n operations and half as many calls, in random order, some with extreme
// values.
func random(r *rand.Rand, n int) *Trace {
	t := &Trace{
		Meta: Meta{
			Program: "prog", PID: 7, Driver: "uring", OS: "linux", Arch: "amd64", Kernel: "6.18", CPU: "a CPU",
			Cores: 2, GoMaxProcs: 3, Memory: 1 << 40, GoVersion: "go1.26",
			Start: time.Unix(1700000000, 123), Duration: time.Hour, KeptOldest: true, Lost: 5, LabelsEnd: time.Minute,
		},
		Files:   []string{"", "a", strings.Repeat("long", 100), "\xff\x00"},
		Classes: []string{"default", "a, \"b\"", "foreground"},
		Labels:  []string{"", "role=compaction", "\xff="},
	}
	for range n {
		o := Op{
			Queued: time.Duration(r.Int64N(1e12)), Offset: r.Int64() - 1, Size: r.Int64N(1 << 40), Result: r.Int64N(1<<31) - 200,
			File: r.Int32N(4), Batch: r.Int32N(200), Goroutine: r.Uint32(),
			Kind: Kind(r.IntN(5)), Path: Path(r.IntN(4)), Driver: driverName(uint8(r.IntN(4))), Class: uint8(r.IntN(3)), Ring: uint8(r.IntN(256)),
			Label: r.Int32N(3),
		}
		o.Submitted = o.Queued + time.Duration(r.Int64N(1e6))
		o.Completed = o.Submitted + time.Duration(r.Int64N(1e9))
		o.Woken = o.Completed + time.Duration(r.Int64N(1e4))
		t.Ops = append(t.Ops, o)
	}
	for range n / 2 {
		t.Calls = append(t.Calls, Call{
			Start: time.Duration(r.Int64N(1e12)), Duration: time.Duration(r.Int64N(1e7)), Batch: r.Int32(), Wait: r.Int32(),
			Result: r.Int32() - 1<<30, Goroutine: r.Uint32(), Syscall: syscallName(uint8(1 + r.IntN(15))), Driver: driverName(uint8(r.IntN(4))),
			Ring: uint8(r.IntN(2)),
		})
	}
	t.arrange()
	return t
}

func encoded(t testing.TB, tr *Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := tr.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo = %d, %v; want %d, nil", n, err, b.Len())
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	r := seed.Rand(t)
	for _, n := range []int{0, 1, 2, 1000, perBlock, perBlock + 1, 3*perBlock + 5} {
		want := random(r, n)
		got, err := Read(bytes.NewReader(encoded(t, want)))
		if err != nil {
			t.Fatalf("Read of %d operations: %v", n, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Read of %d operations is another trace than was written", n)
		}
	}
	got, err := Read(bytes.NewReader(encoded(t, &Trace{})))
	if err != nil || !reflect.DeepEqual(got, &Trace{}) {
		t.Errorf("Read of the zero Trace = %+v, %v", got, err)
	}
}

// TestManyFiles writes more names than fit into one block.
func TestManyFiles(t *testing.T) {
	want := &Trace{}
	for range 5 {
		want.Files = append(want.Files, strings.Repeat("x", maxBlock/3))
	}
	got, err := Read(bytes.NewReader(encoded(t, want)))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Read: %v; or other names", err)
	}
	if _, err := (&Trace{Files: []string{strings.Repeat("x", maxBlock+1)}}).WriteTo(io.Discard); err == nil {
		t.Error("WriteTo of a name that is too long says nothing")
	}
}

// TestDamage changes each byte of a trace, and cuts the trace at each byte. Read notices each time.
func TestDamage(t *testing.T) {
	whole := encoded(t, random(seed.Rand(t), 20))
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x41
		if _, err := Read(bytes.NewReader(damaged)); !errors.Is(err, ErrFormat) {
			t.Fatalf("Read with byte %d changed: %v; want ErrFormat", i, err)
		}
		if _, err := Read(bytes.NewReader(whole[:i])); !errors.Is(err, ErrFormat) {
			t.Fatalf("Read of the first %d bytes: %v; want ErrFormat", i, err)
		}
	}
}

// TestLies reads blocks whose checksums are right and whose contents are wrong.
func TestLies(t *testing.T) {
	huge := binary.AppendUvarint(nil, 1<<60)
	ops := encodeOps(nil, []Op{{File: 1}})
	// long is longer than the shortest operation even without its last byte.
	long := encodeOps(nil, []Op{{Offset: 1 << 40}})
	back := encodeOps(nil, []Op{{Woken: -1}})
	slot := encodeOps(nil, []Op{{Slot: 1}})
	for _, c := range []struct {
		what   string
		blocks []byte
	}{
		{"a number of texts", framed(blockFiles, huge)},
		{"a length of a text", framed(blockFiles, append([]byte{1}, huge...))},
		{"a number of operations", framed(blockOps, huge)},
		{"a number of calls", framed(blockCalls, huge)},
		{"an operation that ends early", framed(blockOps, ops[:len(ops)-1])},
		{"a goroutine's number that ends early", append(framed(blockOps, long[:len(long)-1]), framed(blockEnd, []byte{0, 1, 0})...)},
		{"no such file", append(framed(blockOps, ops), framed(blockEnd, []byte{0, 1, 0})...)},
		{"a time that runs back", append(framed(blockOps, back), framed(blockEnd, []byte{0, 1, 0})...)},
		{"no such slot", append(framed(blockOps, slot), framed(blockEnd, []byte{0, 1, 0})...)},
		{"rings of no operation", framed(blockRings, []byte{blockOps, 0, 1, 7})},
		{"rings beyond the last operation", append(framed(blockOps, encodeOps(nil, []Op{{}})), framed(blockRings, []byte{blockOps, 1, 1, 7})...)},
		{"rings of a number that is none", framed(blockRings, binary.AppendUvarint([]byte{blockCalls}, 1<<63))},
		{"rings of files", framed(blockRings, []byte{blockFiles, 0, 0})},
		{"rings that end early", framed(blockRings, nil)},
		{"labels beyond the last operation", append(framed(blockOps, encodeOps(nil, []Op{{}})), framed(blockLabel, []byte{1, 1, 0})...)},
		{"labels that end early", framed(blockLabel, []byte{0})},
		{"no such label", joined(
			framed(blockNamed, appendTexts(nil, []string{"", "a"})), framed(blockOps, encodeOps(nil, []Op{{}})),
			framed(blockLabel, []byte{0, 1, 2}), framed(blockEnd, []byte{0, 1, 0}))},
		{"a label that is no number", joined(
			framed(blockOps, encodeOps(nil, []Op{{}})), framed(blockLabel, binary.AppendUvarint([]byte{0, 1}, 1<<40)))},
		{"other totals", framed(blockEnd, []byte{0, 1, 0})},
		{"the length of a block", binary.AppendUvarint([]byte{blockOps}, 1<<60)},
		{"a length without end", append([]byte{blockOps}, bytes.Repeat([]byte{0xff}, 20)...)},
	} {
		file := append(append([]byte(magic), version), c.blocks...)
		if tr, err := Read(bytes.NewReader(file)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: Read = %v, %v; want ErrFormat", c.what, tr, err)
		}
	}
}

func joined(all ...[]byte) []byte { return bytes.Join(all, nil) }

func framed(kind byte, body []byte) []byte {
	b := append(binary.AppendUvarint([]byte{kind}, uint64(len(body))), body...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli()))
}

// TestNewer reads a file that a later version of the format may write: it has unknown blocks, and
// more fields in Meta.
func TestNewer(t *testing.T) {
	meta := appendTexts(nil, []string{"prog", "", "", "", "", "", "", "new"})
	meta = append(binary.AppendUvarint(meta, 10), bytes.Repeat([]byte{2}, 10)...)
	file := append([]byte(magic), version)
	file = append(file, framed(blockMeta, meta)...)
	file = append(file, framed('?', []byte("what"))...)
	file = append(file, framed(blockEnd, []byte{0, 0, 0, 9})...)
	got, err := Read(bytes.NewReader(file))
	if err != nil || got.Meta.Program != "prog" || got.Meta.Lost != 1 {
		t.Errorf("Read = %+v, %v", got, err)
	}
}

// TestLabelsEnd checks that a trace has the time after which labels are not known, and that Read
// reads the Meta of a version without that time.
func TestLabelsEnd(t *testing.T) {
	tr := new(Trace)
	tr.fill(record.Recording{LabelsEnd: 5})
	if tr.Meta.LabelsEnd != 5 {
		t.Errorf("LabelsEnd = %v; want 5ns", tr.Meta.LabelsEnd)
	}
	meta := appendTexts(nil, nil)
	meta = append(binary.AppendUvarint(meta, 8), bytes.Repeat([]byte{2}, 8)...)
	if tr.Meta.decode(&fields{b: meta}); tr.Meta.LabelsEnd != 0 || tr.Meta.Lost != 1 {
		t.Errorf("an earlier version's Meta is %+v; want LabelsEnd 0", tr.Meta)
	}
}

// TestReadRecording reads a recording that is a part of a file, and one from a pipe, which can be
// read only once.
func TestReadRecording(t *testing.T) {
	name := filepath.Join(t.TempDir(), "recording")
	rec, err := Create(name, Options{Events: 1})
	if errors.Is(err, errors.ErrUnsupported) {
		skip.For(t, skip.Build, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	rec.core.PutOp(&record.Op{Queued: record.Now(), Size: 4711})
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const before = "something else"
	if err := os.WriteFile(name+".part", append([]byte(before), whole...), 0o600); err != nil {
		t.Fatal(err)
	}
	part, err := os.Open(name + ".part")
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	if _, err := part.Seek(int64(len(before)), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	pipe, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	var writer sync.WaitGroup
	writer.Go(func() {
		_, err := in.Write(whole)
		if err := errors.Join(err, in.Close()); err != nil {
			t.Error(err)
		}
	})
	for what, from := range map[string]io.Reader{"a part of a file": part, "a pipe": pipe} {
		if tr, err := Read(from); err != nil || len(tr.Ops) != 1 || tr.Ops[0].Size != 4711 {
			t.Errorf("Read of %s = %+v, %v; want one operation", what, tr, err)
		}
	}
	writer.Wait()
}

func TestForeign(t *testing.T) {
	for text, want := range map[string]string{
		"":              "empty",
		"hello":         `begins with "hello"`,
		"#!/bin/sh\n":   "not a trace of sluice",
		magic + "\xff":  "version 255",
		magic[:4]:       "not a trace of sluice",
		magic + "\x01":  "cut off at byte 9",
		magic + "\x01M": "cut off at byte 10",
	} {
		_, err := Read(strings.NewReader(text))
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("Read of %q: %v; want %s", text, err, want)
		}
		if strings.Contains(err.Error(), ErrFormat.Error()) {
			t.Errorf("Read of %q: %v; want no word of what it is by kind", text, err)
		}
	}
	broken := errors.New("broken")
	if _, err := Read(io.MultiReader(strings.NewReader(magic+"\x01"), failing{broken})); !errors.Is(err, broken) || errors.Is(err, ErrFormat) {
		t.Errorf("Read of a reader that fails: %v; want its error", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestWriteToStops checks that WriteTo returns the writer's error.
func TestWriteToStops(t *testing.T) {
	full := errors.New("full")
	tr := random(seed.Rand(t), 100)
	for room := range len(encoded(t, tr)) {
		n, err := tr.WriteTo(&short{room, full})
		if err != full || n != int64(room) {
			t.Fatalf("WriteTo with room for %d = %d, %v; want %d, full", room, n, err, room)
		}
	}
}

// short is a writer that takes room bytes, and then fails.
type short struct {
	room int
	err  error
}

func (s *short) Write(b []byte) (int, error) {
	n := min(len(b), s.room)
	s.room -= n
	if n < len(b) {
		return n, s.err
	}
	return n, nil
}

// TestSlots checks that operations of one slot do not overlap, and that there are no more slots
// than operations at a time.
func TestSlots(t *testing.T) {
	tr := random(seed.Rand(t), 2000)
	until := map[int32]time.Duration{}
	most := 0
	for i, o := range tr.Ops {
		if o.Queued < until[o.Slot] {
			t.Fatalf("operation %d begins at %v in slot %d, which is taken until %v", i, o.Queued, o.Slot, until[o.Slot])
		}
		until[o.Slot] = o.Woken
		n := 0
		for _, p := range tr.Ops[:i+1] {
			if p.Woken > o.Queued || p == o {
				n++
			}
		}
		most = max(most, n)
	}
	if len(until) != most {
		t.Errorf("%d slots; want %d, as many as operations at a time", len(until), most)
	}
}

// TestSlotsTouch checks that an operation may begin in a slot when another one ends there.
func TestSlotsTouch(t *testing.T) {
	var s slots
	for i, c := range []struct {
		from, to time.Duration
		want     int32
	}{{0, 5, 0}, {1, 3, 1}, {3, 4, 1}, {5, 9, 0}, {5, 6, 1}, {5, 5, 2}, {5, 5, 2}, {6, 7, 1}} {
		if got := s.take(c.from, c.to); got != c.want {
			t.Errorf("interval %d, %d to %d, is in slot %d; want %d", i, c.from, c.to, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(magic))
	f.Add([]byte(record.Magic + "\x04\x03\x02\x01\x01\x00\x00\x00" + strings.Repeat("\x20\x00\x00\x00", 2000)))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = Read(bytes.NewReader(b)) })
}
