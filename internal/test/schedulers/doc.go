// Package schedulers tests a Scheduler: its options and environment, the opening of its driver,
// Stats and Explain, and Close.
package schedulers
