//go:build !race

package sys

// RaceEnabled is true if the race detector is compiled in.
const RaceEnabled = false

// RaceWrite does nothing without the race detector.
func RaceWrite([]byte) {}

// RaceRead does nothing without the race detector.
func RaceRead([]byte) {}
