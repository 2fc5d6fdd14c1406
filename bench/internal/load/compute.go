package load

import "time"

// compute performs n units of computation on x. Each unit depends on the one before, and none
// touches memory.
func compute(x uint64, n int) uint64 {
	x |= 1 // a sequence that begins with 0 stays there
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// Pace returns how many units of computation (compute) take a microsecond on an idle processor. It
// takes the best of several trials, which last some milliseconds.
func Pace() int {
	const trials, units = 50, 1 << 16
	best, x := time.Hour, uint64(1)
	for range trials {
		start := time.Now()
		x = compute(x, units)
		best = min(best, time.Since(start))
	}
	if x == 0 {
		return 1 // never happens, but makes the compiler keep the computation
	}
	return max(1, int(units*time.Microsecond/max(best, 1)))
}
