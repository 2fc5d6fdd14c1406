package sluice_test

import (
	"expvar"
	"fmt"
	"io"
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

// Stats in the text format of Prometheus: each number is a gauge, such as sluice_Queued.
func ExampleScheduler_Stats_prometheus() {
	s, err := sluice.Default()
	if err != nil {
		log.Fatal(err)
	}
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stats := reflect.ValueOf(s.Stats())
		for i := range stats.NumField() {
			if f := stats.Field(i); f.CanInt() {
				fmt.Fprintf(w, "sluice_%s %d\n", stats.Type().Field(i).Name, f.Int())
			}
		}
		for _, d := range s.DeviceStats() {
			fmt.Fprintf(w, "sluice_device_queued{device=%q} %d\n", d.Name, d.Queued)
		}
	})

	server := httptest.NewServer(metrics)
	defer server.Close()
	answer, err := http.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(text), "\nsluice_SharedSyncs "))
	// Output: true
}
