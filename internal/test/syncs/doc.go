// Package syncs tests Sync and Datasync: the errors that they return, the second description that two
// of them use at a time, and the loss of what was written. Package lostsyncs has random losses.
package syncs
