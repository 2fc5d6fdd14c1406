package live

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/tracepage"
	"github.com/sluiceio/sluice/trace"
)

const (
	// MaxSeconds is the longest trace.
	MaxSeconds = 60
	// traceEvents is how many events of a trace are kept: 8 MiB. The page of so many takes some
	// 50 MB while it is made.
	traceEvents = 63 << 11
)

// Answer is what a request gets. The body of an error is its message.
type Answer struct {
	Status int // as in package net/http
	Type   string
	Policy string // the content security policy; "" if the body has it
	Name   string // under which a browser keeps the body; "" if it shows the body
	Body   []byte
}

const (
	textType  = "text/plain; charset=utf-8"
	htmlType  = "text/html; charset=utf-8"
	jsonType  = "application/json"
	traceType = "application/octet-stream"
)

// failed is the Answer for an error.
func failed(status int, format string, args ...any) Answer {
	return Answer{Status: status, Type: textType, Body: []byte(fmt.Sprintf(format, args...) + "\n")}
}

// Query is a request that has been checked.
type Query struct {
	// Seconds is how long to record; 0 is a look.
	Seconds int
	format  string // "", "json" or "trace"
	still   bool   // the page does not load itself again
}

// ParseQuery reads the query of an URL. The error says what is wrong.
func ParseQuery(query string) (q Query, err error) {
	seen := make(map[string]bool)
	for query != "" {
		var part string
		part, query, _ = strings.Cut(query, "&")
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		if seen[key] {
			return q, fmt.Errorf("%s is given twice", key)
		}
		seen[key] = true
		if err := q.set(key, value); err != nil {
			return q, err
		}
	}
	switch {
	case q.format == "json" && q.Seconds != 0:
		return q, fmt.Errorf("format=json is for what happens now; with seconds there are the page and format=trace")
	case q.format == "trace" && q.Seconds == 0:
		return q, fmt.Errorf("format=trace needs seconds, as in ?seconds=5&format=trace")
	}
	return q, nil
}

func (q *Query) set(key, value string) error {
	switch key {
	case "seconds":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > MaxSeconds {
			return fmt.Errorf("seconds=%.20q is not a number from 1 to %d", value, MaxSeconds)
		}
		q.Seconds = n
	case "format":
		if value != "json" && value != "trace" {
			return fmt.Errorf("format=%.20q is not json or trace", value)
		}
		q.format = value
	case "refresh":
		if value != "off" {
			return fmt.Errorf("refresh=%.20q is not off", value)
		}
		q.still = true
	default:
		return fmt.Errorf("%.20q is unknown; there are seconds, format and refresh", key)
	}
	return nil
}

// tracing is held while a trace is made.
var tracing sync.Mutex

// Get answers a request. It waits a second for a look and, unless ctx ends, Seconds for a trace.
func Get(ctx context.Context, query string) Answer {
	q, err := ParseQuery(query)
	switch {
	case err != nil:
		return failed(400, "sluice: %v", err)
	case q.Seconds > 0:
		return traced(ctx, q, time.Duration(q.Seconds)*time.Second)
	}
	f, err := looks.figures(ctx, func() { time.Sleep(lookTime) })
	switch {
	case ctx.Err() != nil:
		return failed(503, "sluice: the client is gone")
	case err != nil:
		return failed(500, "sluice: cannot look: %v", err)
	case q.format == "json":
		return Answer{Status: 200, Type: jsonType, Body: f.JSON()}
	}
	return Answer{Status: 200, Type: htmlType, Policy: pagePolicy, Body: f.page(q)}
}

// traced records for that long.
func traced(ctx context.Context, q Query, long time.Duration) Answer {
	if !tracing.TryLock() {
		return failed(409, "sluice: a trace is being made, and one is made at a time; try again when it has ended")
	}
	defer tracing.Unlock()
	all := inside.Schedulers()
	if len(all) == 0 {
		return failed(404, "sluice: no Scheduler is open in this process, so there is nothing to record")
	}
	rec, err := trace.New(trace.Options{Events: traceEvents})
	if err != nil {
		return failed(500, "sluice: cannot record: %v", err)
	}
	detach := attach(all, rec)
	rec.Start()
	ended := time.NewTimer(long)
	defer ended.Stop()
	select {
	case <-ended.C:
	case <-ctx.Done():
	}
	rec.Stop()
	detach()
	if ctx.Err() != nil {
		return failed(503, "sluice: the client has closed its side of the connection, which ends a trace")
	}
	return written(q, rec.Trace())
}

// written returns the trace as its page or its file.
func written(q Query, t *trace.Trace) Answer {
	var b bytes.Buffer
	name := cleanName(t.Meta.Program) + "." + strconv.Itoa(t.Meta.PID) + ".sluice"
	if q.format == "trace" {
		if _, err := t.WriteTo(&b); err != nil {
			return failed(500, "sluice: cannot write the trace: %v", err)
		}
		return Answer{Status: 200, Type: traceType, Name: name, Body: b.Bytes()}
	}
	if err := tracepage.Write(&b, t, name); err != nil {
		return failed(500, "sluice: cannot make the page: %v", err)
	}
	return Answer{Status: 200, Type: htmlType, Body: b.Bytes()}
}

// cleanName makes a program's name fit for a header.
func cleanName(program string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, program)
	if clean == "" {
		return "program"
	}
	return clean
}
