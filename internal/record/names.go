package record

// Values of the fields of a record. Package trace has names for them, and files of traces have the
// numbers. The kinds up to KindFdatasync are the numbers of driver.Code.
const (
	KindRead      = 1
	KindWrite     = 2
	KindFsync     = 3
	KindFdatasync = 4
	KindOpen      = 5 // drivers do not know this kind and the next ones
	KindClose     = 6
	KindAllocate  = 7
	KindTruncate  = 8
	KindAdvise    = 9
	KindStat      = 10
	KindLstat     = 11
	KindRename    = 12
	KindLink      = 13
	KindSymlink   = 14
	KindUnlink    = 15
	KindRmdir     = 16
	KindMkdir     = 17

	PathCached = 0
	PathPlain  = 1
	PathQueued = 2
	PathShared = 3

	DriverNone  = 0
	DriverUring = 1
	DriverAIO   = 2
	DriverPool  = 3
	DriverOther = 4

	SysNone          = 0
	SysUringSetup    = 1
	SysUringEnter    = 2
	SysUringRegister = 3
	SysIOSetup       = 4
	SysIOSubmit      = 5
	SysIOGetevents   = 6
	SysIODestroy     = 7
	SysPreadv2       = 8
	SysPread         = 9
	SysPwrite        = 10
	SysFsync         = 11
	SysFdatasync     = 12
	SysSyncFileRange = 13
	SysStatx         = 14
	SysEventfd       = 15
	SysRead          = 16
	SysWrite         = 17

	// Trials of governors are records of calls. From Trials on, each kind of package governor has
	// two numbers: for a trial of the queue, and for one of plain calls.
	Trials = 18
)

// DriverOf returns the number of the driver with that name.
func DriverOf(name string) uint8 {
	switch name {
	case "uring":
		return DriverUring
	case "aio":
		return DriverAIO
	case "pool":
		return DriverPool
	}
	return DriverOther
}
