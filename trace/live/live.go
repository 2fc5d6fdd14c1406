// Package live shows what the Schedulers of a running program do, as net/http/pprof shows
// profiles. [Handler] serves it.
//
//	mux := http.NewServeMux()
//	mux.Handle("/debug/sluice/", live.Handler())
//	go http.ListenAndServe("localhost:6060", mux)
//
// Then a browser, curl and the command "sluice top" show it:
//
//	http://localhost:6060/debug/sluice/     what is in flight, rates, latencies
//	…/debug/sluice/?seconds=5               a trace of 5 seconds, as a web page
//	…/debug/sluice/?seconds=5&format=trace  the same for "sluice trace"
//	…/debug/sluice/?format=json             the figures for tools
//	sluice top localhost:6060               the figures in a terminal
//
// Nothing is counted for it until somebody looks. A look then records for a second, with the cost
// of a Recorder, and answers. A trace has the operations of the program's Schedulers, of at most 60
// seconds and 129,024 events. One trace is made at a time. A program's own Recorder goes on as if
// nobody looked.
//
// # Security
//
// The answers name files, devices and classes of the program. Serve them where only its operators
// can reach them, as with net/http/pprof. The package registers nothing with http.DefaultServeMux.
//
// # Concurrency
//
// Any number of goroutines may call Handler, and the Handler may serve any number of requests at
// once.
package live

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/sluiceio/sluice/internal/live"
)

// Handler returns what serves the live look at the Schedulers of this process. It may have any path
// of a ServeMux; a path that ends in a slash needs no redirect.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet {
		h.Set("Allow", http.MethodGet)
		http.Error(w, "sluice: want GET", http.StatusMethodNotAllowed)
		return
	}
	if err := tooLong(r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := live.Get(r.Context(), r.URL.RawQuery)
	h.Set("Content-Type", a.Type)
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	if a.Policy != "" {
		h.Set("Content-Security-Policy", a.Policy)
	}
	if a.Name != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.Name}))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // an error means that the client is gone
}

// tooLong returns an error if the server would end the request before its trace is there.
func tooLong(r *http.Request) error {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	q, err := live.ParseQuery(r.URL.RawQuery)
	if !ok || err != nil || server.WriteTimeout <= 0 || time.Duration(q.Seconds)*time.Second < server.WriteTimeout {
		return nil // a wrong query has its own message
	}
	return fmt.Errorf("sluice: seconds=%d is not less than the server's WriteTimeout, %v", q.Seconds, server.WriteTimeout)
}
