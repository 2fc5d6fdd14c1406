// Package faults tests that each operation and each system call of a copy may fail. It uses the
// workload Tree of the library's internal/test/faults. It consists of tests.
package faults
