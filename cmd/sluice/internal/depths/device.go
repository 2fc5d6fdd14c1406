package depths

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/sluiceio/sluice/direct"

	"github.com/sluiceio/sluice"
)

// The sizes of reads, and the greatest depths.
const (
	SmallSize = 4 << 10   // 4 KiB
	LargeSize = 128 << 10 // 128 KiB

	mostSmall = 256
	mostLarge = 64
)

// Steps is the number of points of both curves.
const Steps = 9 + 7

// Device measures the device that the file is on. Each point takes a slice of time.
// progress is called before each point.
func Device(ctx context.Context, name string, slice time.Duration, progress func(size, depth int)) (small, large Curve, err error) {
	s, err := sluice.NewScheduler(sluice.Options{Depth: 2 * mostSmall})
	if err != nil {
		return small, large, err
	}
	small, large, err = measure(ctx, s, name, slice, progress)
	return small, large, errors.Join(err, s.Close())
}

func measure(ctx context.Context, s *sluice.Scheduler, name string, slice time.Duration, progress func(size, depth int)) (small, large Curve, err error) {
	f, err := direct.OpenOn(s, name, os.O_RDONLY, 0)
	if err != nil {
		return small, large, err
	}
	size, err := f.Size()
	if err != nil {
		return small, large, err
	}
	curve := func(length, most int) (c Curve, err error) {
		c.Size = length
		for depth := 1; depth <= most; depth *= 2 {
			progress(length, depth)
			p, err := point(ctx, f, size, length, depth, slice)
			if err != nil {
				return c, err
			}
			c.Points = append(c.Points, p)
		}
		return c, nil
	}
	if small, err = curve(SmallSize, mostSmall); err == nil {
		large, err = curve(LargeSize, mostLarge)
	}
	return small, large, err
}

// point measures a point: depth goroutines read for a slice of time.
func point(ctx context.Context, f *direct.File, size int64, length, depth int, slice time.Duration) (Point, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	times := make([][]time.Duration, depth)
	errs := make([]error, depth)
	var all sync.WaitGroup
	for i := range depth {
		all.Go(func() {
			times[i], errs[i] = readFor(ctx, f, size/int64(length), length, start, slice)
			if errs[i] != nil {
				cancel() // ends the other goroutines
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	if err := first(errs); err != nil {
		return Point{}, err
	}
	reads := slices.Concat(times...)
	slices.Sort(reads)
	return Point{Depth: depth, Rate: float64(len(reads)) / took.Seconds(), P50: reads[len(reads)/2]}, nil
}

// first returns an error that is not context.Canceled if there is one: the error of the
// goroutine that has ended the others.
func first(errs []error) (err error) {
	for _, e := range errs {
		if e != nil && (err == nil || errors.Is(err, context.Canceled)) {
			err = e
		}
	}
	return err
}

// readFor reads random blocks, at least one, until the slice of time is over. It
// returns the duration of each read.
func readFor(ctx context.Context, f *direct.File, blocks int64, length int, start time.Time, slice time.Duration) (times []time.Duration, err error) {
	for len(times) == 0 || time.Since(start) < slice {
		begin := time.Now()
		b, err := f.ReadBuffer(ctx, rand.Int64N(blocks)*int64(length), length)
		if err != nil {
			return times, err
		}
		n := len(b.Bytes())
		b.Release()
		if n != length {
			return times, fmt.Errorf("a read returned %d of %d bytes: the test file became shorter while it was measured; run it again", n, length)
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}
