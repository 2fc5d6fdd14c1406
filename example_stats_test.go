package sluice_test

import (
	"expvar"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"

	"github.com/sluiceio/sluice"
)

// Stats as a variable of package expvar, beside the counts of each device.
func ExampleScheduler_Stats_expvar() {
	s, err := sluice.Default()
	if err != nil {
		log.Fatal(err)
	}
	expvar.Publish("sluice", expvar.Func(func() any { return s.Stats() }))
	expvar.Publish("sluice_devices", expvar.Func(func() any { return s.DeviceStats() }))

	text := expvar.Get("sluice").String()
	fmt.Println(strings.Contains(text, `"Plain":`), strings.Contains(text, `"Queued":`))
	// Output: true true
}

// Stats in the text format of Prometheus, such as sluice_Queued. Package promhttp is not needed.
func ExampleScheduler_Stats_prometheus() {
	s, err := sluice.Default()
	if err != nil {
		log.Fatal(err)
	}
	metrics := func(w http.ResponseWriter, _ *http.Request) {
		stats := reflect.ValueOf(s.Stats())
		for i := range stats.NumField() {
			if f := stats.Field(i); f.CanInt() {
				fmt.Fprintf(w, "sluice_%s %d\n", stats.Type().Field(i).Name, f.Int())
			}
		}
		for _, d := range s.DeviceStats() {
			fmt.Fprintf(w, "sluice_device_InFlight{device=%q} %d\n", d.Name, d.InFlight)
		}
	} // http.HandleFunc("/metrics", metrics)

	answer := httptest.NewRecorder()
	metrics(answer, nil)
	fmt.Println(strings.Contains(answer.Body.String(), "\nsluice_SharedSyncs "))
	// Output: true
}
