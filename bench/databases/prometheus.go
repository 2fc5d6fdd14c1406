package main

import (
	"context"
	"math/rand/v2"
	"strconv"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// prometheus is the database of Prometheus, to which clients append.
type prometheus struct {
	*tsdb.DB
	clients []series
}

// series are the series to which a client appends.
type series struct {
	labels []labels.Labels
	refs   []storage.SeriesRef
	now    int64 // the time of the last samples, in milliseconds
}

// samples is the number of samples that an operation appends, one for each series.
const samples = 100

func openPrometheus(dir string, s load.Setup) (database, error) {
	db, err := tsdb.Open(dir, nil, nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		return nil, err
	}
	p := &prometheus{DB: db, clients: make([]series, s.Load.Goroutines)}
	for i := range p.clients {
		c := &p.clients[i]
		c.refs = make([]storage.SeriesRef, samples)
		for j := range samples {
			c.labels = append(c.labels, labels.FromStrings("__name__", "metric"+strconv.Itoa(j), "client", strconv.Itoa(i)))
		}
	}
	return p, nil
}

func (p *prometheus) do(client int, random *rand.Rand) (err error) {
	s := &p.clients[client]
	s.now++
	app := p.Appender(context.Background())
	for i, l := range s.labels {
		if s.refs[i], err = app.Append(s.refs[i], l, s.now, random.Float64()); err != nil {
			return err
		}
	}
	return app.Commit()
}
