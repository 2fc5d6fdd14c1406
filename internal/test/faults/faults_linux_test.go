package faults

import (
	"testing"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestSweep makes each operation of each workload fail in each way.
func TestSweep(t *testing.T) { Sweep(t, Library) }

// TestSyscalls makes each system call of each workload fail in each way.
func TestSyscalls(t *testing.T) { Syscalls(t, Library) }

// TestSupervised is the process of TestSyscalls that runs the workload.
func TestSupervised(t *testing.T) { Supervised(t, Library) }
