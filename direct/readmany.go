package direct

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
)

// Range is a part of a file: Len bytes at Off.
type Range struct {
	Off int64 // in bytes from the front of the file
	Len int   // in bytes
}

// ReadManyOptions configures [File.ReadMany]. The zero value is useful.
type ReadManyOptions struct {
	// Depth is the most requests in flight. 0 means 64; the most is 16384. More than the
	// Scheduler's bound (sluice.Options.Depth) counts as that.
	Depth int

	// MergeSize is the most bytes of one request for several ranges. ReadMany merges neighbours and
	// overlaps among the next ranges: Depth of them, and at most 256. 0 means 128 KiB; the most is
	// 2 MiB; a negative value turns merging off. A longer range is one request.
	MergeSize int

	// MergeGap is the most bytes between two merged neighbours. These bytes are read and thrown
	// away. 0 means 16 KiB; a negative value allows no gap.
	MergeGap int

	// Amplification is the most bytes that a merged request may read, divided by the bytes that its
	// ranges ask for. Both count whole blocks of the file. 0 means 2; the least is 1.
	Amplification float64

	// Unordered yields results as they arrive, and not in the order of the ranges.
	Unordered bool
}

const (
	manyDepth         = 64
	manyDepthMost     = 16384
	manyLookahead     = 256
	manyMergeSize     = 128 << 10 // 128 KiB
	manyMergeSizeMost = 2 << 20   // a pool of any limit can provide it
	manyMergeGap      = 16 << 10  // 16 KiB
	manyAmplification = 2
)

// withDefaults returns the options in force, or an error that names a wrong option.
func (o ReadManyOptions) withDefaults() (ReadManyOptions, error) {
	switch {
	case o.Depth < 0 || o.Depth > manyDepthMost:
		return o, fmt.Errorf("ReadManyOptions.Depth %d is not between 0 and %d", o.Depth, manyDepthMost)
	case o.MergeSize > manyMergeSizeMost:
		return o, fmt.Errorf("ReadManyOptions.MergeSize %d is more than %d", o.MergeSize, manyMergeSizeMost)
	case o.Amplification != 0 && !(o.Amplification >= 1): // nor a NaN
		return o, fmt.Errorf("ReadManyOptions.Amplification %v is less than 1", o.Amplification)
	}
	if o.Depth == 0 {
		o.Depth = manyDepth
	}
	if o.MergeSize == 0 {
		o.MergeSize = manyMergeSize
	}
	if o.MergeGap == 0 {
		o.MergeGap = manyMergeGap
	}
	if o.Amplification == 0 {
		o.Amplification = manyAmplification
	}
	o.MergeGap = max(o.MergeGap, 0)
	return o, nil
}

// ReadResult is the result of one range.
type ReadResult struct {
	Range
	// Buffer holds the bytes. The caller must release it. The Buffers of merged ranges share
	// memory, which is free once the last of them is released.
	Buffer Buffer
}

var errNoRanges = errors.New("the sequence of ranges is nil (slices.Values makes one of a slice)")

// ReadMany reads many ranges of the file, with up to Depth requests in flight, and yields each
// range in a Buffer, without a copy. It reads neighbours as one request.
//
//	for r, err := range f.ReadMany(ctx, slices.Values(ranges), direct.ReadManyOptions{}) {
//		if err != nil {
//			return err
//		}
//		use(r.Off, r.Buffer.Bytes())
//		r.Buffer.Release()
//	}
//
// Ranges may overlap, repeat and come in any order. The sequence must not wait for results, because
// ReadMany takes ranges ahead of them.
//
//   - Errors: a range has the same error as from [File.ReadBuffer], and the iteration goes on. An
//     error with a zero ReadResult is the last step: ctx has ended, the file was closed, or an
//     option is wrong.
//   - Break: requests in flight are withdrawn, or waited for if the kernel has them.
//   - Memory: when half of the pool is in use, one request is in flight at a time. A caller that
//     holds all Buffers waits until ctx ends or the Scheduler is closed.
//   - Concurrency: any number of goroutines may loop over the result at once, if ranges is a
//     sequence that they may call at once. ReadMany starts no goroutine.
func (f *File) ReadMany(ctx context.Context, ranges iter.Seq[Range], o ReadManyOptions) iter.Seq2[ReadResult, error] {
	return func(yield func(ReadResult, error) bool) {
		if f.isNil() {
			yield(ReadResult{}, os.ErrInvalid)
			return
		}
		o, err := o.withDefaults()
		switch {
		case ctx == nil:
			err = handle.ErrNilContext
		case ranges == nil:
			err = errNoRanges
		}
		if err != nil {
			yield(ReadResult{}, f.h.Error("readmany", err))
			return
		}
		m, err := newReadManyIter(ctx, f, o)
		if err != nil {
			yield(ReadResult{}, err)
			return
		}
		m.run(ranges, yield)
	}
}
