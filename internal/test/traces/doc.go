// Package traces tests what a Recorder notes of a Scheduler. Its benchmarks measure what that
// costs.
package traces
