package faults_test

import (
	"context"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree"
	"github.com/sluiceio/sluice/internal/test/faults"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var workloads = []faults.Workload{faults.Tree(
	faults.TreeCopy{Do: with(copytree.Options{Sync: copytree.SyncFileSystem})},
	faults.TreeCopy{Fsyncs: true, Do: with(copytree.Options{
		Sync: copytree.SyncFiles, Preserve: copytree.PreserveAll, Verify: true, Reflink: copytree.ReflinkNever,
	})},
)}

// with returns a copy with these options by two workers.
func with(o copytree.Options) func(ctx context.Context, s *sluice.Scheduler, dst, src string) error {
	return func(ctx context.Context, s *sluice.Scheduler, dst, src string) error {
		o := o
		o.Scheduler, o.Concurrency = s, 2
		_, err := copytree.Copy(ctx, dst, src, o)
		return err
	}
}

// TestSweep makes each operation of a copy fail in each way.
func TestSweep(t *testing.T) { faults.Sweep(t, workloads) }

// TestSyscalls makes each system call of a copy fail in each way.
func TestSyscalls(t *testing.T) { faults.Syscalls(t, workloads) }

// TestSupervised is the process of TestSyscalls that runs the workload.
func TestSupervised(t *testing.T) { faults.Supervised(t, workloads) }
