package sched

import "github.com/sluiceio/sluice/internal/workers"

// WorkerPool and WorkRange are those of package workers.
type (
	WorkerPool[Job, Own any] = workers.Pool[Job, Own]
	WorkRange                = workers.Range
)
