package live

import (
	"time"

	"github.com/sluiceio/sluice/internal/jsonout"
)

// Figures are what a look has found. The JSON form has these keys; see Figures.JSON.
type Figures struct {
	Program string    `json:"program"`
	PID     int       `json:"pid"`
	Go      string    `json:"go"`
	Time    time.Time `json:"time"`    // when what is in flight was read
	Seconds float64   `json:"seconds"` // how long the look was; 0 if there was no Scheduler

	Schedulers []Scheduler `json:"schedulers"`
	Paths      []Path      `json:"paths"`   // always cached, plain, queued
	Kinds      []Group     `json:"kinds"`   // kind and path, such as "read queued"
	Devices    []Device    `json:"devices"` // by name
	Classes    []Group     `json:"classes"` // the default one first
	Files      []Group     `json:"files"`   // the busiest first, at most MaxFiles

	OpenFiles int `json:"openFiles"` // open sluice.Files and direct.Files on disks
	FilesLeft int `json:"filesLeft"` // busy files that are not among Files
	// Lost is how many events of the second the Recorder had no room for. The rates of Kinds,
	// Classes and Files are estimated from the events that were kept then.
	Lost int64 `json:"lost"`
}

// Scheduler is one Scheduler's totals, as in sluice.Stats.
type Scheduler struct {
	Driver       string `json:"driver"` // "" if none is chosen yet
	Rings        int    `json:"rings"`
	LostRings    int    `json:"lostRings"`
	Cached       int64  `json:"cached"`
	Plain        int64  `json:"plain"`
	Queued       int64  `json:"queued"`
	SharedSyncs  int64  `json:"sharedSyncs"`
	BytesRead    int64  `json:"bytesRead"`
	BytesWritten int64  `json:"bytesWritten"`
	BytesCopied  int64  `json:"bytesCopied"`
}

// Path is what takes one of the paths.
type Path struct {
	Name     string  `json:"name"`     // "cached", "plain" or "queued"
	InFlight int     `json:"inFlight"` // now; a cached read never is
	Waiting  int     `json:"waiting"`  // goroutines that wait for a permit now; "plain" alone
	Rate     float64 `json:"rate"`     // operations a second, by the Schedulers' counters
}

// Device is what goes on at a device, as in sluice.DeviceStats, of all Schedulers together.
type Device struct {
	Name    string `json:"name"`
	Queued  int    `json:"queued"`
	Plain   int    `json:"plain"`
	Waiting int    `json:"waiting"`
	Permits int    `json:"permits"`
	Rings   int    `json:"rings"`
}

// Group is the operations of a kind and path, of a class, or of a file.
type Group struct {
	Name     string  `json:"name"`
	InFlight int     `json:"inFlight"` // now; 0 of kinds, and of files of package os
	Waiting  int     `json:"waiting"`  // for a ticket now; of classes
	Mean     float64 `json:"mean"`     // in flight on average, of operations that have ended
	Rate     float64 `json:"rate"`     // operations a second
	Bytes    float64 `json:"bytes"`    // a second
	P50      int64   `json:"p50"`      // nanoseconds from the call until the goroutine ran again
	P99      int64   `json:"p99"`
	Max      int64   `json:"max"`
}

// JSON returns the figures as JSON, with the keys of the struct tags.
func (f *Figures) JSON() []byte {
	var w jsonout.Writer
	w.Open('{')
	str(&w, "program", f.Program)
	num(&w, "pid", int64(f.PID))
	str(&w, "go", f.Go)
	str(&w, "time", f.Time.Format(time.RFC3339Nano))
	float(&w, "seconds", f.Seconds)
	list(&w, "schedulers", f.Schedulers, func(s Scheduler) {
		str(&w, "driver", s.Driver)
		num(&w, "rings", int64(s.Rings))
		num(&w, "lostRings", int64(s.LostRings))
		num(&w, "cached", s.Cached)
		num(&w, "plain", s.Plain)
		num(&w, "queued", s.Queued)
		num(&w, "sharedSyncs", s.SharedSyncs)
		num(&w, "bytesRead", s.BytesRead)
		num(&w, "bytesWritten", s.BytesWritten)
		num(&w, "bytesCopied", s.BytesCopied)
	})
	list(&w, "paths", f.Paths, func(p Path) {
		str(&w, "name", p.Name)
		num(&w, "inFlight", int64(p.InFlight))
		num(&w, "waiting", int64(p.Waiting))
		float(&w, "rate", p.Rate)
	})
	group := func(g Group) {
		str(&w, "name", g.Name)
		num(&w, "inFlight", int64(g.InFlight))
		num(&w, "waiting", int64(g.Waiting))
		float(&w, "mean", g.Mean)
		float(&w, "rate", g.Rate)
		float(&w, "bytes", g.Bytes)
		num(&w, "p50", g.P50)
		num(&w, "p99", g.P99)
		num(&w, "max", g.Max)
	}
	list(&w, "kinds", f.Kinds, group)
	list(&w, "devices", f.Devices, func(d Device) {
		str(&w, "name", d.Name)
		num(&w, "queued", int64(d.Queued))
		num(&w, "plain", int64(d.Plain))
		num(&w, "waiting", int64(d.Waiting))
		num(&w, "permits", int64(d.Permits))
		num(&w, "rings", int64(d.Rings))
	})
	list(&w, "classes", f.Classes, group)
	list(&w, "files", f.Files, group)
	num(&w, "openFiles", int64(f.OpenFiles))
	num(&w, "filesLeft", int64(f.FilesLeft))
	num(&w, "lost", f.Lost)
	w.Close('}')
	return append(w.Bytes(), '\n')
}

func str(w *jsonout.Writer, key, value string) {
	w.Key(key)
	w.String(value)
}

func num(w *jsonout.Writer, key string, value int64) {
	w.Key(key)
	w.Int(value)
}

func float(w *jsonout.Writer, key string, value float64) {
	w.Key(key)
	w.Float(value)
}

// list writes an array of objects. fields writes the fields of one.
func list[T any](w *jsonout.Writer, key string, all []T, fields func(T)) {
	w.Key(key)
	w.Open('[')
	for _, v := range all {
		w.Open('{')
		fields(v)
		w.Close('}')
	}
	w.Close(']')
}
