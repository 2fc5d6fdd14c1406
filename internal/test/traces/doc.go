// Package traces tests the records of a Recorder of a Scheduler. Its benchmarks measure the cost.
package traces
