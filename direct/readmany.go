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
	// Depth is the most requests in flight at once. 0 means 64; the most is
	// 16384. The Scheduler's own bound (sluice.Options.Depth) holds as well.
	Depth int

	// MergeSize is the most bytes of one request that several ranges share. Of the
	// next few ranges, at most Depth, those that are neighbours or overlap are
	// merged. 0 means 128 KiB; the most is 2 MiB; below 0 no ranges are merged. A
	// longer range is one request.
	MergeSize int

	// MergeGap is the most bytes between two neighbours that are merged. These
	// bytes are read and thrown away. 0 means 16 KiB; below 0 no gap is allowed.
	MergeGap int

	// Amplification is the most bytes that a shared request reads for each byte
	// that is wanted, both counted in whole blocks of the file. 0 means 2; the
	// least is 1.
	Amplification float64

	// Unordered yields results as they arrive, instead of in the order of the
	// ranges.
	Unordered bool
}

const (
	manyDepth         = 64
	manyDepthMost     = 16384
	manyLookahead     = 256
	manyMergeSize     = 128 << 10 // 128 KiB
	manyMergeSizeMost = 2 << 20   // 2 MiB: a pool of any limit can provide it
	manyMergeGap      = 16 << 10  // 16 KiB
	manyAmplification = 2
)

// withDefaults returns the options in force, or an error that says which option is
// wrong.
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

// ReadResult is a range that ReadMany has read.
type ReadResult struct {
	Range
	// Buffer holds the bytes. The caller must release it. The Buffers of ranges that
	// were read as one share a piece of memory, which is free once the last of them
	// is released.
	Buffer Buffer
}

var errNoRanges = errors.New("the sequence of ranges is nil (slices.Values makes one of a slice)")

// ReadMany reads many ranges of the file, with up to Depth requests in flight, and yields each
// range in a Buffer, without a copy. Neighbours are read as one.
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
//   - Errors: the error of a range is as by [File.ReadBuffer], and the iteration goes on. An error
//     with a zero ReadResult is the last step: ctx has ended, the file was closed, or an option is
//     wrong.
//   - Break: requests in flight are withdrawn, or waited for if the kernel has them.
//   - Memory: with half of the pool in use there is one request at a time. A caller that holds all
//     Buffers waits until ctx ends or the Scheduler is closed.
//   - Concurrency: any number of goroutines may use the iterator at once, if ranges can be. It
//     starts no goroutine: the goroutine that loops runs both ranges and the body of the loop.
func (f *File) ReadMany(ctx context.Context, ranges iter.Seq[Range], o ReadManyOptions) iter.Seq2[ReadResult, error] {
	return func(yield func(ReadResult, error) bool) {
		if f == nil {
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
