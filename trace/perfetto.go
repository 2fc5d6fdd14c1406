package trace

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"
)

// WritePerfetto writes the trace for ui.perfetto.dev, as protocol buffers (the message Trace of
// Perfetto's sources, with TrackEvents). Each slot is a track, and each operation is a slice of it.
// Within that slice are slices for InQueue, InDevice and Waking, where they are not 0.
func (t *Trace) WritePerfetto(w io.Writer) error {
	p := &perfetto{w: bufio.NewWriterSize(w, 256<<10)}
	p.preamble(t)
	p.tracks(t)
	for i := range t.Ops {
		p.op(&t.Ops[i])
	}
	for i := range t.Calls {
		p.call(&t.Calls[i])
	}
	return p.w.Flush() // returns the first error
}

// perfetto writes packets. It uses its messages again for each packet, and allocates nothing.
type perfetto struct {
	w                    *bufio.Writer
	frame, packet, event message
	annotation           message
	stringLabels         int // where the interned strings of labels begin
}

// preamble writes the start of the trace, and numbers all strings.
func (p *perfetto) preamble(t *Trace) {
	boot := message(nil).uint(clockID, clockBoottime).uint(clockTimestamp, 0)
	real := message(nil).uint(clockID, clockRealtime).uint(clockTimestamp, uint64(max(0, nanoseconds(t.Meta.Start))))
	p.packet = p.packet[:0].bytes(packetClockSnapshot, message(nil).bytes(snapshotClock, boot).bytes(snapshotClock, real))
	p.put(stateCleared)

	p.intern(internedNames, 1, withOther(kindNames))
	p.intern(internedNames, namePhases, phases)
	p.intern(internedNames, nameCalls, withOther(syscallNames))
	p.intern(internedAnnotations, noteFile, notes)
	p.intern(internedStrings, stringPaths, withOther(pathNames))
	p.intern(internedStrings, stringDrivers, withOther(driverNames))
	p.intern(internedStrings, stringClasses, t.classNames())
	p.intern(internedStrings, stringFiles, t.Files)
	p.stringLabels = stringFiles + len(t.Files)
	p.intern(internedStrings, p.stringLabels, t.Labels)
}

// intern gives the strings the numbers from first on.
func (p *perfetto) intern(field, first int, texts []string) {
	for i, s := range texts {
		entry := message(nil).uint(internedIID, uint64(first+i)).text(internedText, s)
		p.packet = p.packet[:0].bytes(packetInternedData, message(nil).bytes(field, entry))
		p.put(stateNeeded)
	}
}

// withOther returns a new slice with one more name, for numbers that only newer versions have.
func withOther(names []string) []string { return append(slices.Clip(names), "other") }

// nameIndex returns the index of name i in the result of withOther.
func nameIndex(i uint8, names []string) int { return min(int(i), len(names)) }

// put writes the packet. All packets belong to one sequence.
func (p *perfetto) put(flags uint64) {
	p.packet = p.packet.uint(packetSequenceID, 1).uint(packetSequenceFlags, flags)
	p.frame = p.frame[:0].bytes(tracePacket, p.packet)
	_, _ = p.w.Write(p.frame) // Flush returns the error
}

// tracks describes the tracks. Perfetto merges tracks of one name, so each has another name. It
// sorts them by name, so the numbers in the names have leading zeros.
func (p *perfetto) tracks(t *Trace) {
	process := message(nil).uint(processPID, uint64(t.Meta.PID)).text(processName, t.Meta.Program)
	p.track(message(nil).uint(trackUUID, processTrack).bytes(trackProcess, process))
	nops, ncalls := int32(0), int32(0)
	for i := range t.Ops {
		nops = max(nops, t.Ops[i].Slot+1)
	}
	for i := range t.Calls {
		ncalls = max(ncalls, t.Calls[i].Slot+1)
	}
	p.group(opsTrack, "operations", "slot", nops)
	p.group(callsTrack, "system calls", "call", ncalls)
	if t.Meta.Lost > 0 {
		p.event = p.event[:0].uint(eventType, instant).uint(eventTrack, processTrack)
		p.event = p.event.text(eventName, fmt.Sprintf("%d events lost", t.Meta.Lost))
		p.putEvent(0)
	}
}

func (p *perfetto) track(m message) {
	p.packet = p.packet[:0].bytes(packetTrackDescriptor, m)
	p.put(stateNeeded)
}

func (p *perfetto) group(uuid uint64, name, each string, n int32) {
	p.track(message(nil).uint(trackUUID, uuid).uint(trackParent, processTrack).text(trackName, name))
	for i := range n {
		m := message(nil).uint(trackUUID, uuid+1+uint64(i)).uint(trackParent, uuid)
		p.track(m.text(trackName, fmt.Sprintf("%s %05d", each, i)))
	}
}

func (p *perfetto) op(o *Op) {
	track := opsTrack + 1 + uint64(o.Slot)
	p.begin(track, 1+nameIndex(uint8(o.Kind), kindNames))
	p.noteString(noteFile, stringFiles+int(o.File))
	p.noteString(notePath, stringPaths+nameIndex(uint8(o.Path), pathNames))
	if o.Driver != "" {
		p.noteString(noteDriver, stringDrivers+nameIndex(driverNumber(o.Driver), driverNames))
		p.noteInt(noteBatch, int64(o.Batch))
	}
	if o.Class != 0 {
		p.noteString(noteClass, stringClasses+int(o.Class))
	}
	p.noteInt(noteOffset, o.Offset)
	p.noteInt(noteSize, o.Size)
	p.noteInt(noteResult, o.Result)
	p.noteInt(noteGoroutine, int64(o.Goroutine))
	p.noteRing(o.Ring)
	if o.Label != 0 {
		p.noteString(noteLabels, p.stringLabels+int(o.Label))
	}
	p.putEvent(o.Queued)
	if o.Path != PathCached {
		p.phase(track, nameQueue, o.Queued, o.Submitted)
		p.phase(track, nameDevice, o.Submitted, o.Completed)
		p.phase(track, nameWake, o.Completed, o.Woken)
	}
	p.end(track, o.Woken)
}

func (p *perfetto) phase(track uint64, name int, from, to time.Duration) {
	if to > from {
		p.begin(track, name)
		p.putEvent(from)
		p.end(track, to)
	}
}

func (p *perfetto) call(c *Call) {
	track := callsTrack + 1 + uint64(c.Slot)
	p.begin(track, nameCalls+nameIndex(syscallNumber(c.Syscall), syscallNames))
	p.noteString(noteDriver, stringDrivers+nameIndex(driverNumber(c.Driver), driverNames))
	p.noteInt(noteBatch, int64(c.Batch))
	p.noteInt(noteWait, int64(c.Wait))
	p.noteInt(noteResult, int64(c.Result))
	p.noteInt(noteGoroutine, int64(c.Goroutine))
	p.noteRing(c.Ring)
	p.putEvent(c.Start)
	p.end(track, c.end())
}

// begin makes the event that begins a slice. putEvent writes it.
func (p *perfetto) begin(track uint64, name int) {
	p.event = p.event[:0].uint(eventType, sliceBegin).uint(eventTrack, track).uint(eventNameIID, uint64(name))
}

func (p *perfetto) end(track uint64, at time.Duration) {
	p.event = p.event[:0].uint(eventType, sliceEnd).uint(eventTrack, track)
	p.putEvent(at)
}

func (p *perfetto) putEvent(at time.Duration) {
	p.packet = p.packet[:0].uint(packetTimestamp, uint64(at)).bytes(packetTrackEvent, p.event)
	p.put(stateNeeded)
}

func (p *perfetto) noteInt(name int, v int64) {
	p.annotation = p.annotation[:0].uint(annotationName, uint64(name)).uint(annotationInt, uint64(v))
	p.event = p.event.bytes(eventAnnotation, p.annotation)
}

// noteRing adds the number of a ring, unless it is 0, as it is for most operations.
func (p *perfetto) noteRing(ring uint8) {
	if ring != 0 {
		p.noteInt(noteRing, int64(ring))
	}
}

func (p *perfetto) noteString(name, iid int) {
	p.annotation = p.annotation[:0].uint(annotationName, uint64(name)).uint(annotationString, uint64(iid))
	p.event = p.event.bytes(eventAnnotation, p.annotation)
}
