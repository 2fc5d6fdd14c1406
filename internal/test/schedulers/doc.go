// Package schedulers tests a Scheduler: its options and environment, when it opens its driver,
// what Stats and Explain say, and Close.
package schedulers
