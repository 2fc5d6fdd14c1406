package depths

import (
	"time"

	"github.com/sluiceio/sluice/internal/tune"
)

// Point is the speed of the device at a depth.
type Point struct {
	Depth int           // reads in flight
	Rate  float64       // reads a second
	P50   time.Duration // the median latency of a read
}

// Curve is points of growing depth, for reads of Size bytes.
type Curve struct {
	Size   int
	Points []Point
}

// enough is the part of the greatest rate that Knee looks for. The last tenth takes
// many more reads in flight, which wait in the device.
const enough = 0.9

// Most returns the greatest rate.
func (c Curve) Most() float64 {
	most := 0.0
	for _, p := range c.Points {
		most = max(most, p.Rate)
	}
	return most
}

// Knee returns the first point whose rate is enough of the greatest.
func (c Curve) Knee() Point {
	for _, p := range c.Points {
		if p.Rate >= enough*c.Most() {
			return p
		}
	}
	return Point{}
}

// Result returns the measurements that package tune saves. Depth is the knee of small
// reads. Bytes is twice the bytes in flight at the knee of large reads, because
// requests do not arrive exactly when there is room. Beside is the number of bytes that
// the device reads in the time of one small read.
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
