package lostsyncs_test

import (
	"context"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree"
	"github.com/sluiceio/sluice/internal/test/lostsyncs"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestLostSyncs checks that no copy or other call lost data after it returned nil.
func TestLostSyncs(t *testing.T) {
	lostsyncs.Play(t,
		lostsyncs.TreeCopy{Name: "SyncFileSystem", Do: with(copytree.SyncFileSystem)},
		lostsyncs.TreeCopy{Name: "SyncFiles", Do: with(copytree.SyncFiles)})
}

// with returns a copy with this Sync.
func with(sync copytree.Sync) func(ctx context.Context, s *sluice.Scheduler, dst, src string) error {
	return func(ctx context.Context, s *sluice.Scheduler, dst, src string) error {
		_, err := copytree.Copy(ctx, dst, src, copytree.Options{Scheduler: s, Sync: sync})
		return err
	}
}
