package iopath

import (
	"reflect"
	"testing"
)

// The count of operations in progress, which each operation changes twice, has another cache line
// than the fields that each operation reads.
func TestCountHasItsOwnCacheLine(t *testing.T) {
	const line = 64
	file := reflect.TypeFor[openFile]()
	field := func(name string) reflect.StructField {
		f, ok := file.FieldByName(name)
		if !ok {
			t.Fatalf("openFile has no field %s", name)
		}
		return f
	}
	count := field("Count").Offset
	for _, name := range []string{"FD", "Flags", "CanLook", "cacheMisses", "needsThread", "writesWait", "refused", "waited", "LostWrites", "device", "inMemory"} {
		if f := field(name); f.Offset+f.Type.Size()+line-8 > count && f.Offset < count+line {
			t.Errorf("%s, at %d, can be on the cache line of Count, at %d", name, f.Offset, count)
		}
	}
	concurrent, ok := field("Syncer").Type.FieldByName("Concurrent")
	if !ok {
		t.Fatal("Syncer has no field concurrent")
	}
	if at := field("Syncer").Offset + concurrent.Offset; at < count+line {
		t.Errorf("Syncer.concurrent, at %d, can be on the cache line of Count, at %d", at, count)
	}
}
