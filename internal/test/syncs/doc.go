// Package syncs tests Sync and Datasync: their errors, the second description that two of them use
// at a time, and the loss of what was written. Package lostsyncs loses writes at random.
package syncs
