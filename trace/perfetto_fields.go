package trace

// Numbers of fields of messages, and values of fields, by their names in Perfetto's sources.
const (
	tracePacket = 1

	packetClockSnapshot   = 6
	packetTimestamp       = 8
	packetSequenceID      = 10
	packetTrackEvent      = 11
	packetInternedData    = 12
	packetSequenceFlags   = 13
	packetTrackDescriptor = 60

	stateCleared = 1 // SEQ_INCREMENTAL_STATE_CLEARED
	stateNeeded  = 2 // SEQ_NEEDS_INCREMENTAL_STATE

	snapshotClock  = 1
	clockID        = 1
	clockTimestamp = 2
	clockRealtime  = 1
	clockBoottime  = 6 // the default clock of timestamps

	internedNames       = 2  // EventName
	internedAnnotations = 3  // DebugAnnotationName
	internedStrings     = 29 // InternedString
	internedIID         = 1
	internedText        = 2

	trackUUID        = 1
	trackName        = 2
	trackProcess     = 3
	trackParent      = 5
	processPID       = 1
	processName      = 6
	eventAnnotation  = 4
	eventType        = 9
	eventNameIID     = 10
	eventTrack       = 11
	eventName        = 23
	sliceBegin       = 1
	sliceEnd         = 2
	instant          = 3
	annotationName   = 1  // name_iid
	annotationInt    = 4  // int_value
	annotationString = 17 // string_value_iid
)

// Numbers of tracks. The tracks of slots have the numbers after their group.
const (
	processTrack = 1
	opsTrack     = 1 << 32
	callsTrack   = 2 << 32
)

// Numbers of the interned names of events. Kinds have the numbers before namePhases.
const (
	namePhases = 0x100
	nameQueue  = namePhases + 0
	nameDevice = namePhases + 1
	nameWake   = namePhases + 2
	nameCalls  = 0x200 // plus the number of the system call
)

var phases = []string{"queue", "device", "wake"}

// Numbers of the interned names of annotations, and the first numbers of the interned strings of
// paths, drivers, classes and files.
const (
	noteFile = iota + 1
	notePath
	noteDriver
	noteOffset
	noteSize
	noteResult
	noteBatch
	noteWait
	noteGoroutine
	noteRing
	noteClass
	noteLabels

	stringPaths   = 0x100
	stringDrivers = 0x200
	stringClasses = 0x300
	stringFiles   = 0x400 // labels have the numbers after the files
)

var notes = []string{
	"file", "path", "driver", "offset", "size", "result", "batch", "wait",
	"goroutine", "ring", "class", "labels",
}
