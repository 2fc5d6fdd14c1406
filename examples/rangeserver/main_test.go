package main

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
)

// A read ends with its request, and when it takes too long.
func TestContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(name, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := sluice.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		what    string
		ctx     context.Context
		timeout time.Duration
		code    int
		body    string
	}{
		{"in time", t.Context(), time.Hour, 200, "data"},
		{"too late", t.Context(), 0, 503, "the read took longer than 0s\n"},
		{"client gone", gone, time.Hour, 200, ""}, // the recorder's code if nothing is written
	} {
		w := httptest.NewRecorder()
		s := &server{file: f, size: 4, max: 4, timeout: test.timeout}
		s.ServeHTTP(w, httptest.NewRequest("GET", "/?off=0&n=4", nil).WithContext(test.ctx))
		if w.Code != test.code || w.Body.String() != test.body {
			t.Errorf("%s: %d, %q; want %d, %q", test.what, w.Code, w.Body, test.code, test.body)
		}
	}
}
