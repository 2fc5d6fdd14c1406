// Package schedulers tests a Scheduler: its options and environment, when it opens its driver, what Stats
// and Explain say, and programs that must not trust their environment.
package schedulers
