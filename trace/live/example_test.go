package live_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/trace/live"
)

// A program serves the live look beside its other debugging pages.
func ExampleHandler() {
	s, err := sluice.NewScheduler(sluice.Options{Driver: sluice.DriverPool})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	mux := http.NewServeMux()
	mux.Handle("/debug/sluice/", live.Handler())
	server := httptest.NewServer(mux) // in a program: http.ListenAndServe("localhost:6060", mux)
	defer server.Close()

	answer, err := http.Get(server.URL + "/debug/sluice/?format=json")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Status, strings.Contains(string(text), `"driver":"pool"`))
	// Output: 200 OK true
}
