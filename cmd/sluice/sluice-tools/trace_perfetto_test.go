package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/sluiceio/sluice/trace"
)

// perfettoTrace returns Perfetto's message type Trace.
func perfettoTrace(t *testing.T) protoreflect.MessageDescriptor {
	t.Helper()
	text, err := os.ReadFile("testdata/perfetto/schema.txtpb")
	if err != nil {
		t.Fatal(err)
	}
	var file descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	d, err := protodesc.NewFile(&file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d.Messages().ByName("Trace")
}

// knows fails if the message has a field that the schema does not have.
func knows(t *testing.T, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		t.Fatalf("a %s has fields that are not in the schema: %x", m.Descriptor().Name(), m.GetUnknown())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				knows(t, v.List().Get(i).Message())
			}
		default:
			knows(t, v.Message())
		}
		return true
	})
}

// view is a trace as Perfetto shows it: tracks, and the slices on them.
type view struct {
	t              *testing.T
	names, strings map[uint64]string
	notes          map[uint64]string
	tracks         map[uint64]string
	parents        map[uint64]uint64
	open           map[uint64][]slice // the slices that have not ended, by track
	slices         []slice
	instants       []string
}

type slice struct {
	name, track string
	depth       int
	from, to    uint64
	notes       map[string]any
}

func get(m protoreflect.Message, name string) protoreflect.Value {
	return m.Get(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
}

func has(m protoreflect.Message, name string) bool {
	return m.Has(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
}

// packet processes a packet as trace_processor does. It must be called in the order of the
// file: trace_processor's sort by time keeps that order among equal times.
func (v *view) packet(m protoreflect.Message) {
	if get(m, "trusted_packet_sequence_id").Uint() == 0 {
		v.t.Fatal("a packet is of no sequence")
	}
	if has(m, "interned_data") {
		d := get(m, "interned_data").Message()
		v.intern(d, "event_names", "name", v.names)
		v.intern(d, "debug_annotation_names", "name", v.notes)
		v.intern(d, "debug_annotation_string_values", "str", v.strings)
	}
	if has(m, "track_descriptor") {
		d := get(m, "track_descriptor").Message()
		uuid, parent := get(d, "uuid").Uint(), get(d, "parent_uuid").Uint()
		if _, ok := v.tracks[parent]; uuid == 0 || parent != 0 && !ok || v.tracks[uuid] != "" {
			v.t.Fatalf("track %d under %d is there twice, or its parent is not", uuid, parent)
		}
		v.tracks[uuid], v.parents[uuid] = get(d, "name").String(), parent
	}
	if has(m, "track_event") {
		v.event(get(m, "timestamp").Uint(), get(m, "track_event").Message())
	}
}

func (v *view) intern(d protoreflect.Message, field, text string, to map[uint64]string) {
	l := get(d, field).List()
	for i := range l.Len() {
		m := l.Get(i).Message()
		iid := get(m, "iid").Uint()
		if _, ok := to[iid]; ok || iid == 0 {
			v.t.Fatalf("%s has number %d twice, or it is 0", field, iid)
		}
		s := get(m, text)
		if text == "str" {
			to[iid] = string(s.Bytes())
		} else {
			to[iid] = s.String()
		}
	}
}

// Values of TrackEvent.Type.
const (
	typeSliceBegin = 1
	typeSliceEnd   = 2
	typeInstant    = 3
)

func (v *view) event(at uint64, e protoreflect.Message) {
	track := get(e, "track_uuid").Uint()
	name, ok := v.tracks[track]
	if !ok {
		v.t.Fatalf("an event on track %d, which is not described", track)
	}
	open := v.open[track]
	switch get(e, "type").Enum() {
	case typeSliceBegin:
		s := slice{name: v.names[get(e, "name_iid").Uint()], track: name, depth: len(open), from: at, notes: v.annotations(e)}
		if s.name == "" || len(open) > 0 && open[len(open)-1].from > at {
			v.t.Fatalf("a slice without a name, or that begins before the one around it: %+v", s)
		}
		v.open[track] = append(open, s)
	case typeSliceEnd:
		if len(open) == 0 || open[len(open)-1].from > at {
			v.t.Fatalf("an end on %s at %d of nothing, or of what begins later", name, at)
		}
		s := open[len(open)-1]
		s.to = at
		v.open[track] = open[:len(open)-1]
		v.slices = append(v.slices, s)
	case typeInstant:
		v.instants = append(v.instants, get(e, "name").String())
	default:
		v.t.Fatalf("an event of type %d", get(e, "type").Enum())
	}
}

func (v *view) annotations(e protoreflect.Message) map[string]any {
	notes := map[string]any{}
	l := get(e, "debug_annotations").List()
	for i := range l.Len() {
		a := l.Get(i).Message()
		name := v.notes[get(a, "name_iid").Uint()]
		if has(a, "string_value_iid") {
			s, ok := v.strings[get(a, "string_value_iid").Uint()]
			if !ok {
				v.t.Fatalf("annotation %s has a text that is not there", name)
			}
			notes[name] = s
		} else {
			notes[name] = get(a, "int_value").Int()
		}
		if name == "" {
			v.t.Fatal("an annotation without a name")
		}
	}
	return notes
}

// TestPerfetto decodes an export by Perfetto's schema and reads it as Perfetto does. It
// checks that every field is known, that every number refers to something, and that slices
// nest.
func TestPerfetto(t *testing.T) {
	const us = time.Microsecond
	tr := &trace.Trace{
		Meta:  trace.Meta{Program: "prog\xff", PID: 42, Start: time.Unix(1e9, 5), Lost: 9},
		Files: []string{"", "/a/file\xff"},
		Ops: []trace.Op{
			{
				Kind: trace.KindRead, Path: trace.PathQueued, Driver: "uring", File: 1, Offset: -1, Size: 4096, Result: -5, Batch: 3, Goroutine: 1 << 31, Ring: 2,
				Queued: us, Submitted: 3 * us, Completed: 9 * us, Woken: 10 * us,
			},
			{Kind: trace.KindFsync, Path: trace.PathPlain, Slot: 1, Queued: 2 * us, Submitted: 2 * us, Completed: 8 * us, Woken: 8 * us},
			{Kind: trace.KindRead, Path: trace.PathCached, Slot: 1, Queued: 8 * us, Submitted: 8 * us, Completed: 9 * us, Woken: 9 * us},
			{Kind: 77, Path: 77, Driver: "driver(77)", Slot: 0, Queued: 10 * us, Submitted: 10 * us, Completed: 10 * us, Woken: 10 * us},
		},
		Calls: []trace.Call{
			{Syscall: "io_uring_enter", Driver: "uring", Start: 3 * us, Duration: us, Batch: 3, Wait: 1, Result: 3},
			{Syscall: "syscall(77)", Driver: "driver(77)", Slot: 1, Start: 3 * us, Duration: us},
		},
	}
	v := perfettoView(t, tr)
	if fmt.Sprint(v.instants) != "[9 events lost]" {
		t.Errorf("instants are %q", v.instants)
	}
	var got []string
	for _, s := range v.slices {
		got = append(got, fmt.Sprintf("%s:%*s%s %d-%d", s.track, s.depth, "", s.name, s.from, s.to))
	}
	want := []string{
		"slot 00000: queue 1000-3000", "slot 00000: device 3000-9000", "slot 00000: wake 9000-10000", "slot 00000:read 1000-10000",
		"slot 00001: device 2000-8000", "slot 00001:fsync 2000-8000", "slot 00001:read 8000-9000", "slot 00000:other 10000-10000",
		"call 00000:io_uring_enter 3000-4000", "call 00001:other 3000-4000",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("slices are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	notes := fmt.Sprint(v.slices[3].notes)
	if want := "map[batch:3 driver:uring file:/a/file\uFFFD goroutine:2147483648 offset:-1 path:queued result:-5 ring:2 size:4096]"; notes != want {
		t.Errorf("the read is annotated\n%s\nwant\n%s", notes, want)
	}
}

func perfettoView(t *testing.T, tr *trace.Trace) *view {
	t.Helper()
	var b bytes.Buffer
	if err := tr.WritePerfetto(&b); err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(perfettoTrace(t))
	if err := proto.Unmarshal(b.Bytes(), m); err != nil {
		t.Fatal(err)
	}
	knows(t, m)
	v := &view{
		t: t, names: map[uint64]string{}, strings: map[uint64]string{}, notes: map[uint64]string{},
		tracks: map[uint64]string{}, parents: map[uint64]uint64{}, open: map[uint64][]slice{},
	}
	packets := get(m, "packet").List()
	for i := range packets.Len() {
		v.packet(packets.Get(i).Message())
	}
	for track, open := range v.open {
		if len(open) > 0 {
			t.Errorf("slices on track %d have no end", track)
		}
	}
	return v
}
