package main

import (
	"errors"
	"math/rand/v2"
	"path/filepath"

	"github.com/hashicorp/raft"
	raftwal "github.com/hashicorp/raft-wal"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// errOneWriter is the error of a log with several clients.
var errOneWriter = errors.New("a log has one writer")

// etcdWAL is the log of etcd.
type etcdWAL struct {
	*wal.WAL
	index uint64
}

func openEtcdWAL(dir string, s load.Setup) (database, error) {
	if s.Load.Goroutines != 1 {
		return nil, errOneWriter
	}
	w, err := wal.Create(zap.NewNop(), filepath.Join(dir, "wal"), nil)
	return &etcdWAL{WAL: w}, err
}

func (w *etcdWAL) do(_ int, random *rand.Rand) error {
	w.index++
	return w.Save(&raftpb.HardState{}, []*raftpb.Entry{{Term: new(uint64(1)), Index: new(w.index), Data: value(random)}})
}

// raftWAL is the log of raft-wal.
type raftWAL struct {
	*raftwal.WAL
	index uint64
}

func openRaftWAL(dir string, s load.Setup) (database, error) {
	if s.Load.Goroutines != 1 {
		return nil, errOneWriter
	}
	w, err := raftwal.Open(dir)
	return &raftWAL{WAL: w}, err
}

func (w *raftWAL) do(_ int, random *rand.Rand) error {
	w.index++
	return w.StoreLogs([]*raft.Log{{Index: w.index, Term: 1, Data: value(random)}})
}
