package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/tsdb/index"
)

// The data of prometheus-query is series of one metric, with a sample each 15 s, as a server
// scrapes them. A block has a day of all series.
const (
	scrape         = 15 * time.Second
	samplesInChunk = tsdb.DefaultSamplesPerChunk
	chunksInDay    = int(24 * time.Hour / scrape / samplesInChunk)
	samplesInDay   = chunksInDay * samplesInChunk
	seriesInBlock  = 1000
	chunkBytes     = 900 // the approximate size of a chunk
	dayBytes       = seriesInBlock * chunksInDay * chunkBytes
	samplesInQuery = int(time.Hour / scrape)
	nameLabel      = "__name__"
	sensorLabel    = "sensor"
	metric         = "temperature"
)

// firstSample is the time of the first sample, the beginning of a day.
var firstSample = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// daysOf returns the number of blocks with about the size of so many records.
func daysOf(records int) int { return max(1, records*valueSize/dayBytes) }

// timeOf returns the time of the i-th sample of each series.
func timeOf(i int) int64 { return firstSample + int64(i)*scrape.Milliseconds() }

// sampleOf returns the value of the i-th sample of a series: about 20, with noise and two digits. A
// reader can check it, and it is as hard to compress as a sensor's values.
func sampleOf(series, i int) float64 {
	x := uint64(series)<<32 | uint64(i)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9 // the mixing function of SplitMix64
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return 15 + float64((x^x>>31)%1000)/100
}

func seriesName(series int) string { return fmt.Sprintf("%04d", series) }

// fillQuery writes the blocks with the writers of Prometheus. Appending so many samples to a
// database would take minutes.
func fillQuery(dir string, records int) error {
	for day := range daysOf(records) {
		if err := writeBlock(dir, day); err != nil {
			return fmt.Errorf("day %d: %w", day, err)
		}
	}
	return nil
}

// writeBlock writes the block of a day.
func writeBlock(dir string, day int) error {
	id := ulid.MustNew(uint64(day+1), rand.NewChaCha8([32]byte{byte(day)}))
	dir = filepath.Join(dir, id.String())
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	to, err := chunks.NewWriter(filepath.Join(dir, "chunks"))
	if err != nil {
		return err
	}
	metas, err := writeChunks(to, day)
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	if err := writeIndex(filepath.Join(dir, "index"), metas); err != nil {
		return err
	}
	text, err := json.Marshal(tsdb.BlockMeta{
		ULID: id, Version: 1,
		MinTime: timeOf(day * samplesInDay), MaxTime: timeOf((day + 1) * samplesInDay), // exclusive
		Compaction: tsdb.BlockMetaCompaction{Level: 1, Sources: []ulid.ULID{id}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "meta.json"), text, 0o666)
}

// writeChunks writes a day of each series. It returns the places of the chunks of each.
func writeChunks(to *chunks.Writer, day int) ([][]chunks.Meta, error) {
	metas := make([][]chunks.Meta, seriesInBlock)
	for series := range metas {
		list := make([]chunks.Meta, chunksInDay)
		for i := range list {
			first := day*samplesInDay + i*samplesInChunk
			c, err := newChunk(series, first)
			if err != nil {
				return nil, err
			}
			list[i] = chunks.Meta{Chunk: c, MinTime: timeOf(first), MaxTime: timeOf(first + samplesInChunk - 1)}
		}
		if err := to.WriteChunks(list...); err != nil { // sets their Ref
			return nil, err
		}
		for i := range list {
			list[i].Chunk = nil // it is on disk
		}
		metas[series] = list
	}
	return metas, nil
}

// newChunk returns the chunk of a series from sample first on.
func newChunk(series, first int) (chunkenc.Chunk, error) {
	c := chunkenc.NewXORChunk()
	app, err := c.Appender()
	if err != nil {
		return nil, err
	}
	for i := first; i < first+samplesInChunk; i++ {
		app.Append(0, timeOf(i), sampleOf(series, i))
	}
	return c, nil
}

// writeIndex writes the index of a block.
func writeIndex(name string, metas [][]chunks.Meta) error {
	w, err := index.NewWriter(context.Background(), name)
	if err != nil {
		return err
	}
	add := func() error {
		for series := range metas {
			if err := w.AddSymbol(seriesName(series)); err != nil {
				return err
			}
		}
		// In order, after the digits.
		for _, symbol := range []string{nameLabel, sensorLabel, metric} {
			if err := w.AddSymbol(symbol); err != nil {
				return err
			}
		}
		for series, list := range metas {
			l := labels.FromStrings(nameLabel, metric, sensorLabel, seriesName(series))
			if err := w.AddSeries(storage.SeriesRef(series), l, list...); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.Join(add(), w.Close())
}
