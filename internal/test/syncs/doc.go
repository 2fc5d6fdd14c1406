// Package syncs tests Sync and Datasync: their errors, the second description for two at a time,
// and the loss of written data. Package lostsyncs loses writes at random.
package syncs
