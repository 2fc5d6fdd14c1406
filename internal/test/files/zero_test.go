package files

import (
	"context"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/mapped"
	"github.com/sluiceio/sluice/sluicetest"
	"github.com/sluiceio/sluice/trace"
)

// panicOf returns what do panics with, or nil.
func panicOf(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}

// TestZeroValues calls each method of the zero value of each public type. A method that panics says
// which type was not made: the panic is no nil pointer.
func TestZeroValues(t *testing.T) {
	arguments := []reflect.Value{
		reflect.ValueOf([]byte("x")), reflect.ValueOf(t.Context()), reflect.ValueOf(io.Discard),
		reflect.ValueOf(strings.NewReader("x")), reflect.ValueOf(slices.Values([]direct.Range{{Len: 1}})),
	}
	for _, v := range []any{
		new(sluice.File), new(sluice.Scheduler), new(sluice.Class),
		new(direct.File), new(direct.Reader), new(direct.Writer), new(direct.Buffer),
		new(batch.Batch), new(batch.Chain), new(batch.Target),
		new(cache.Cache), new(cache.File), new(cache.View),
		new(trace.Recorder), new(trace.Trace), new(trace.Op), new(mapped.Mapping), new(sluicetest.Disk),
	} {
		zero := reflect.ValueOf(v)
		for i := range zero.NumMethod() {
			name, method := zero.Type().Method(i).Name, zero.Method(i)
			if name == "Name" { // of a File; os.File's panics as well
				continue
			}
			var in []reflect.Value
			for of := range method.Type().Ins() {
				at := slices.IndexFunc(arguments, func(a reflect.Value) bool { return a.Type().AssignableTo(of) })
				if at < 0 {
					in = append(in, reflect.Zero(of))
					continue
				}
				in = append(in, arguments[at])
			}
			value := panicOf(func() {
				for _, out := range method.Call(in) {
					if out.Kind() == reflect.Func && out.Type().CanSeq2() && !out.IsNil() {
						for range out.Seq2() {
						}
					}
				}
			})
			if err, ok := value.(runtime.Error); ok {
				t.Errorf("%s of the zero %v panics with %v; want an error, or the type in the panic", name, zero.Type().Elem(), err)
			}
		}
	}
}

// TestZeroArguments passes values that were not made, and results of failed calls. The panic or the
// error names the argument.
func TestZeroArguments(t *testing.T) {
	f := testenv.Must(t, testenv.OpenOn(testenv.Scheduler(t, sluice.Options{})), t.TempDir(), 0).(*sluice.File)
	var (
		noScheduler = new(sluice.Scheduler)
		noRecorder  = new(trace.Recorder)
		noContext   context.Context
	)
	for _, c := range []struct {
		want string
		do   func() error
	}{
		{"zero Scheduler", func() error { return batch.New(noScheduler).Do(t.Context()) }},
		{"zero Scheduler", func() error { _, err := direct.OpenOn(noScheduler, "x", 0, 0); return err }},
		{"zero Recorder", func() error { _, err := sluice.NewScheduler(sluice.Options{Recorder: noRecorder}); return err }},
		{"Class is nil", func() error { _, err := f.WithClass(nil); return err }},
		{"Class is nil or zero", func() error { _, err := f.WithClass(new(sluice.Class)); return err }},
		{"nil Class", func() error { sluice.WithClass(t.Context(), nil); return nil }},
		{"zero Class", func() error { sluice.WithClass(t.Context(), new(sluice.Class)); return nil }},
		{"context", func() error { return batch.New(nil).Do(noContext) }},
	} {
		var err error
		value := panicOf(func() { err = c.do() })
		text, _ := value.(string)
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("a %s: panic %v, error %v; want it to name the argument", c.want, value, err)
		}
	}
}
