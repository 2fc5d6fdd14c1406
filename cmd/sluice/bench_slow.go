package main

import (
	"context"

	"github.com/sluiceio/sluice/cmd/sluice/internal/crowd"
	"github.com/sluiceio/sluice/cmd/sluice/internal/load"
	"github.com/sluiceio/sluice/cmd/sluice/internal/slowdisk"
)

// slowDisk is a slow disk, and the program that reads it.
type slowDisk struct {
	*slowdisk.Disk
	program crowd.Program
}

// Crowd has a process read the disk's file, of which nothing is in memory.
func (d *slowDisk) Crowd(ctx context.Context, side load.Side, goroutines int, direct bool) (crowd.Outcome, error) {
	if err := d.Cool(); err != nil {
		return crowd.Outcome{}, err
	}
	job := crowd.Job{Path: d.Path(), Side: side, Direct: direct, Goroutines: goroutines}
	return crowd.Run(ctx, d.program, job, d.Add)
}
