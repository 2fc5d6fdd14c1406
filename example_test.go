package sluice_test

import (
	"context"
	"errors"
	"expvar"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/sluiceio/sluice"
)

func Example() {
	f, err := sluice.Open("testdata/hello")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(os.Stdout, f); err != nil {
		log.Fatal(err)
	}
	// Output: Hello, disk.
}

func ExampleFile_ReadAt() {
	f, err := sluice.Open("testdata/words")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	// Any number of goroutines read at once; none of them holds a thread
	// while it waits for the disk.
	words := make([]string, 6)
	var all sync.WaitGroup
	for i := range words {
		all.Go(func() {
			b := make([]byte, 5)
			if _, err := f.ReadAt(b, int64(i)*5); err != nil {
				log.Fatal(err)
			}
			words[i] = string(b)
		})
	}
	all.Wait()
	fmt.Printf("%q\n", words)
	_, err = f.ReadAt(make([]byte, 5), 28)
	fmt.Println(err)
	// Output:
	// ["zero " "one  " "two  " "three" "four " "five "]
	// EOF
}

func ExampleFile_ReadAtContext() {
	f, err := sluice.Open("testdata/hello")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	b := make([]byte, 5)
	n, err := f.ReadAtContext(ctx, b, 7)
	fmt.Printf("%q %v\n", b[:n], err)
	cancel()
	_, err = f.ReadAtContext(ctx, b, 7)
	fmt.Println(errors.Is(err, context.Canceled))
	// Output:
	// "disk." <nil>
	// true
}

// Many goroutines append to a log. Syncs that are called while an fsync is going on share the
// next one.
func ExampleFile_Sync() {
	f, err := sluice.CreateTemp("", "log")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	commit := func(i int) error {
		if _, err := f.WriteAt([]byte{byte('a' + i)}, int64(i)); err != nil {
			return err
		}
		return f.Sync()
	}
	var all sync.WaitGroup
	for i := range 26 {
		all.Go(func() {
			if err := commit(i); err != nil {
				log.Fatal(err)
			}
		})
	}
	all.Wait()
	b, err := sluice.ReadFile(f.Name())
	fmt.Println(string(b), err)
	// Output: abcdefghijklmnopqrstuvwxyz <nil>
}

// The output of another process goes into the file itself, and not through a pipe.
func ExampleFile_OSFile() {
	f, err := sluice.CreateTemp("", "output")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	cmd := exec.Command("go", "env", "GOARCH")
	cmd.Stdout = f.OSFile()
	if err := cmd.Run(); err != nil {
		log.Fatal(err)
	}
	b, err := sluice.ReadFile(f.Name())
	fmt.Println(strings.TrimSpace(string(b)) == runtime.GOARCH, err)
	// Output: true <nil>
}

func ExampleDirFS() {
	fsys := sluice.DirFS("testdata")
	b, err := fs.ReadFile(fsys, "hello")
	fmt.Printf("%q %v\n", b, err)
	_, err = fs.Stat(fsys, "none")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// "Hello, disk.\n" <nil>
	// true
}

func ExampleNewScheduler() {
	s, err := sluice.NewScheduler(sluice.Options{Driver: sluice.DriverPool, Threads: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close() // closes its files, too
	f, err := s.Create(filepath.Join(os.TempDir(), "example"))
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString("through a scheduler of its own"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Stats().BytesWritten)

	_, err = sluice.NewScheduler(sluice.Options{Driver: "mule"})
	fmt.Println(err)
	// Output:
	// 30
	// sluice: Options.Driver "mule" is not one of uring, aio, pool
}

// A backup reads all it can, but not faster than 100 MB/s, and stays out of the
// way of everything else, which is of the default class.
func ExampleScheduler_Class() {
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	backup, err := s.Class("backup", sluice.ClassOptions{Weight: 10, BytesPerSecond: 100e6})
	if err != nil {
		log.Fatal(err)
	}
	f, err := s.Open(os.Args[0])
	if err != nil {
		log.Fatal(err)
	}
	ctx := sluice.WithClass(context.Background(), backup)
	if _, err := f.ReadAtContext(ctx, make([]byte, 4096), 0); err != nil {
		log.Fatal(err)
	}
	view, err := f.WithClass(backup) // for methods without a context
	if err != nil {
		log.Fatal(err)
	}
	if _, err := view.Read(make([]byte, 1000)); err != nil {
		log.Fatal(err)
	}
	st := backup.Stats()
	fmt.Println(backup.Name(), st.Operations, st.Bytes)
	// Output: backup 2 5096
}

// A database may be open several times in a process. All its instances share one class, which
// the first of them makes.
func ExampleScheduler_Class_shared() {
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	var classes [2]*sluice.Class
	for i := range classes {
		if classes[i], err = s.Class("compaction", sluice.ClassOptions{Weight: 10}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(classes[0] == classes[1])
	// Output: true
}

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
