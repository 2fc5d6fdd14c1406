package files

import (
	"os"
	"reflect"
	"testing"

	"github.com/sluiceio/sluice"
)

// TestMethods checks the promise that changing os. to sluice. is the whole migration: every method
// of *os.File must be a method of *sluice.File with the same signature.
func TestMethods(t *testing.T) {
	theirs, ours := reflect.TypeFor[*os.File](), reflect.TypeFor[*sluice.File]()
	if theirs.NumMethod() < 20 {
		t.Fatalf("*os.File has %d methods; is reflection pruned?", theirs.NumMethod())
	}
	for m := range theirs.Methods() {
		own, ok := ours.MethodByName(m.Name)
		if !ok {
			t.Errorf("*File has no method %s", m.Name)
			continue
		}
		if got, want := signature(own.Type), signature(m.Type); got != want {
			t.Errorf("(*File).%s is %s; os's is %s", m.Name, got, want)
		}
	}
}

// signature prints a method's type without its receiver.
func signature(m reflect.Type) string {
	var in, out []reflect.Type
	for i := 1; i < m.NumIn(); i++ {
		in = append(in, m.In(i))
	}
	for o := range m.Outs() {
		out = append(out, o)
	}
	return reflect.FuncOf(in, out, m.IsVariadic()).String()
}

// The package's functions have os's signatures, with *sluice.File for *os.File.
var (
	_ func(string) (*sluice.File, error)                   = sluice.Open
	_ func(string) (*sluice.File, error)                   = sluice.Create
	_ func(string, int, os.FileMode) (*sluice.File, error) = sluice.OpenFile
	_ func(string, string) (*sluice.File, error)           = sluice.OpenInRoot
	_ func(string, string) (*sluice.File, error)           = sluice.CreateTemp
	_ func(uintptr, string) *sluice.File                   = sluice.NewFile
	_ func(string) ([]byte, error)                         = sluice.ReadFile
	_ func(string, []byte, os.FileMode) error              = sluice.WriteFile
)
