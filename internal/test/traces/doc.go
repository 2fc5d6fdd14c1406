// Package traces tests what a Recorder notes of the operations of a Scheduler. Its benchmarks are of
// what that costs.
package traces
