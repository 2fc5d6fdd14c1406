package direct_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// bad makes every read of the byte at fail, and leave anything in its memory.
func bad(at int64, with syscall.Errno) fault.Decider {
	return fault.On(driver.Read, func(op *driver.Op) fault.Verdict {
		if op.Off <= at && at < op.Off+int64(len(op.Buf)) {
			clear(op.Buf)
			return fault.Verdict{Errno: with}
		}
		return fault.Verdict{}
	})
}

// TestReadManyBadBlock reads merged ranges over a bad block. Only the ranges that contain it fail.
// If it is in a gap, none does.
func TestReadManyBadBlock(t *testing.T) {
	ranges := []direct.Range{
		{0, testenv.PageSize},
		{testenv.PageSize, testenv.PageSize},
		{2*testenv.PageSize + 100, 200},
		{2*testenv.PageSize + 50, testenv.PageSize}, // into the next block
		{6 * testenv.PageSize, testenv.PageSize},
		{0, 3 * testenv.PageSize},
	}
	for _, o := range []direct.ReadManyOptions{{Amplification: 10}, {MergeSize: -1}, {Depth: 1}, {Unordered: true}} {
		for i := range int64(16) {
			block, with := i/2, []syscall.Errno{syscall.EIO, syscall.ENXIO}[i%2]
			at := block*testenv.PageSize + 77
			f, text := faulty(t, 20*testenv.PageSize, bad(at, with))
			n := 0
			for res, err := range f.ReadMany(t.Context(), slices.Values(ranges), o) {
				n++
				end := (res.Off + int64(res.Len) + testenv.PageSize - 1) &^ (testenv.PageSize - 1)
				if in := res.Off&^(testenv.PageSize-1) <= at && at < end; in != errors.Is(err, with) || !in && (err != nil || string(res.Buffer.Bytes()) != string(text[res.Off:][:res.Len])) {
					t.Errorf("%+v, block %d is bad: %v has %d bytes, %v", o, block, res.Range, res.Buffer.Len(), err)
				}
				res.Buffer.Release()
			}
			if n != len(ranges) {
				t.Errorf("%d results; want %d", n, len(ranges))
			}
		}
	}
}

// TestReadManyFaults gives each operation of a ReadMany each verdict, at once or later. An
// operation that is repeated is no error.
func TestReadManyFaults(t *testing.T) {
	const size = 30*testenv.PageSize + 33
	var ranges []direct.Range
	for i := range int64(20) { // the last ones reach over the end
		ranges = append(ranges, direct.Range{Off: i * 17 % 31 / 2 * 2 * testenv.PageSize, Len: testenv.PageSize + int(i)})
	}
	for _, v := range []fault.Verdict{{Errno: syscall.EINTR}, {Errno: syscall.EAGAIN}, {Errno: syscall.EIO}, {Short: testenv.PageSize}, {Late: 3}, {Full: true}} {
		for _, o := range []direct.ReadManyOptions{{}, {MergeSize: -1, Depth: 7}, {Unordered: true}} {
			for k := 0; ; k++ {
				count := fault.NewCounter(k, v)
				f, text := faulty(t, size, count.Decide)
				var got []direct.Range
				for res, err := range f.ReadMany(t.Context(), slices.Values(ranges), o) {
					got = append(got, res.Range)
					wantOne(t, res, err, text)
					res.Buffer.Release()
				}
				if len(got) != len(ranges) || !o.Unordered && !slices.Equal(got, ranges) {
					t.Errorf("%+v: %d results; want those of the %d ranges", v, len(got), len(ranges))
				}
				if !count.Fired() {
					break
				}
			}
		}
	}
}

// TestReadManyStuck breaks off while the device is stuck. Requests in the Scheduler are withdrawn;
// the break waits for requests in the device.
func TestReadManyStuck(t *testing.T) {
	var gate fault.Gate
	f, _ := faulty(t, 200*testenv.PageSize, fault.NewCounter(3, fault.Verdict{Gate: &gate}).Decide)
	n := 0
	for res, err := range f.ReadMany(t.Context(), blocks(200), direct.ReadManyOptions{MergeSize: -1, Depth: 10, Unordered: true}) {
		if err != nil {
			t.Fatal(err)
		}
		res.Buffer.Release()
		if n++; n == 150 { // the iteration goes on
			gate.Open()
			break
		}
	}
	if n != 150 {
		t.Errorf("%d results; want 150", n)
	}
}
