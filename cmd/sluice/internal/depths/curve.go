package depths

import (
	"time"

	"github.com/sluiceio/sluice/tune"
)

// Point is a depth and what the device made of it.
type Point struct {
	Depth int
	Rate  float64       // reads a second
	P50   time.Duration // of a read
}

// Curve is points of growing depth, by reads of Size bytes.
type Curve struct {
	Size   int
	Points []Point
}

// enough is the part of the most that counts as all of it: to the rest much more
// has to be in flight, which waits in the device.
const enough = 0.9

// Most is the greatest rate.
func (c Curve) Most() float64 {
	most := 0.0
	for _, p := range c.Points {
		most = max(most, p.Rate)
	}
	return most
}

// Knee is the first point at which the rate has grown enough.
func (c Curve) Knee() Point {
	for _, p := range c.Points {
		if p.Rate >= enough*c.Most() {
			return p
		}
	}
	return Point{}
}

// Result is what the curves say of the device: the depth at which the rate of
// small reads stops growing, twice the bytes in flight at which that of large ones
// does, as requests do not come just when there is room, and the bytes that it
// reads in the time of a small read alone.
func Result(small, large Curve, now time.Time) tune.Measured {
	bytes := 2 * int64(large.Knee().Depth) * int64(large.Size)
	beside := int64(large.Most() * float64(large.Size) * small.Points[0].P50.Seconds())
	return tune.Measured{
		Time:   now.UTC().Truncate(time.Second),
		Depth:  clamp(small.Knee().Depth, 1, tune.MaxDepth),
		Bytes:  clamp(bytes, tune.MinBytes, tune.MaxBytes),
		Beside: clamp(beside/tune.BesideUnit*tune.BesideUnit, tune.BesideUnit, tune.MaxBytes),
	}
}

func clamp[N int | int64](n, least, most N) N { return min(max(n, least), most) }
