package sluice

import (
	"context"
	"fmt"
	"iter"
	"os"
)

// Range is a part of a file: Len bytes at Off.
type Range struct {
	Off int64
	Len int
}

// ReadManyOptions configures [DirectFile.ReadMany]. The zero value is useful.
type ReadManyOptions struct {
	// Depth is the most requests in flight at once. 0 means 64; the most is
	// 16384. The Scheduler's own bound (Options.Depth) holds as well.
	Depth int

	// MergeSize is the most bytes of a request that several ranges share: those
	// that are neighbours, or overlap, among the next Depth ones, and 256 at
	// most. 0 means 128 KiB, the most is 2 MiB; below 0 no ranges are merged. A
	// range that is longer is a request of its own.
	MergeSize int

	// MergeGap is the most bytes between two neighbours, which are then read in
	// vain. 0 means 16 KiB; below 0 there is no gap.
	MergeGap int

	// Amplification is the most bytes of a shared request for a byte that is
	// wanted, both counted in whole blocks of the file. 0 means 2, the least
	// is 1.
	Amplification float64

	// Unordered yields results as they come, instead of in the order of the
	// ranges.
	Unordered bool
}

const (
	manyDepth         = 64
	manyDepthMost     = 16384
	manyLookahead     = 256
	manyMergeSize     = 128 << 10 // 128 KiB
	manyMergeSizeMost = 2 << 20   // 2 MiB: what a pool of any limit can give
	manyMergeGap      = 16 << 10  // 16 KiB
	manyAmplification = 2
)

// withDefaults returns the options in force, or says what is wrong with o.
func (o ReadManyOptions) withDefaults() (ReadManyOptions, error) {
	switch {
	case o.Depth < 0 || o.Depth > manyDepthMost:
		return o, fmt.Errorf("sluice: ReadManyOptions.Depth %d is not between 0 and %d", o.Depth, manyDepthMost)
	case o.MergeSize > manyMergeSizeMost:
		return o, fmt.Errorf("sluice: ReadManyOptions.MergeSize %d is more than %d", o.MergeSize, manyMergeSizeMost)
	case o.Amplification != 0 && !(o.Amplification >= 1): // nor a NaN
		return o, fmt.Errorf("sluice: ReadManyOptions.Amplification %v is less than 1", o.Amplification)
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

// ReadResult is what ReadMany has read of a Range.
type ReadResult struct {
	Range
	// Buffer is the caller's to release. Those of ranges that were read as one
	// are parts of one piece of memory, which is free when the last of them is
	// released.
	Buffer Buffer
}

// ReadMany reads many ranges of the file, Depth requests at a time, and yields
// each into a [Buffer], without a copy. Neighbours are read as one.
//
//	for r, err := range f.ReadMany(ctx, slices.Values(ranges), sluice.ReadManyOptions{}) {
//		if err != nil {
//			return err
//		}
//		use(r.Off, r.Buffer.Bytes())
//		r.Buffer.Release()
//	}
//
// Ranges may overlap, be given in any order and more than once. They are asked
// for ahead of the results, as many as one request for each of 2 Depth takes and
// Depth more, so that what gives them cannot wait for results of earlier ones.
//
// A result is what [DirectFile.ReadBuffer] of that range gives: it has fewer
// bytes only where the file ends before, and at the end of the file and beyond
// none, with io.EOF. An error is that of its range alone, and the iteration
// goes on: it is for the caller to break. Where a request of several ranges
// fails each is read by itself. What ends the iteration instead is yielded
// once, as its last step, with no range: that ctx has ended (results that were
// not yielded yet are dropped), that the file was closed, or that an option is
// wrong.
//
// To break out of the loop withdraws what is in flight, waits for what cannot
// be withdrawn, and gives its memory back.
//
// Where half of the pool (Options.BufferMemory) is in use ReadMany goes on with
// one request at a time, so that there is memory for what the body of the loop
// reads meanwhile. It waits when there is no room for one, as ReadBuffer does:
// who holds all Buffers himself waits for ever, or until ctx ends.
//
// # Concurrency
//
// The iterator that ReadMany returns may be used again, if ranges can be, and by
// any number of goroutines at once. It starts no goroutine: ranges and the body
// of the loop are run by the one that loops.
func (d *DirectFile) ReadMany(ctx context.Context, ranges iter.Seq[Range], o ReadManyOptions) iter.Seq2[ReadResult, error] {
	return func(yield func(ReadResult, error) bool) {
		if d == nil {
			yield(ReadResult{}, os.ErrInvalid)
			return
		}
		o, err := o.withDefaults()
		if err != nil {
			yield(ReadResult{}, err)
			return
		}
		newMany(ctx, d, o).run(ranges, yield)
	}
}
