// Package guest is what the command kernels and its program in the virtual machine agree on.
package guest

// Where the files are in the virtual machine.
const (
	PlanFile = "/plan.json" // in the initramfs: a Plan
	Disk     = "/disk"      // the first disk: ext4, with the test binaries
	Second   = "/second"    // the second disk, xfs, empty
)

// Plan is what the program in the virtual machine does, in this order.
type Plan struct {
	Port    string   // the second serial port
	Modules []string // files of modules of the kernel, each after those that it needs
	Jobs    []Job
}

// Job is a program that runs.
type Job struct {
	Name string
	Dir  string // its current directory
	Temp string // its TMPDIR
	Args []string
	Env  []string
}

// The program prints these lines to the Plan's port, around what a job prints: Begin and the name of
// the job, and End with a Result in JSON. Ready follows the last of them. No line of package testing begins so.
const (
	Begin = "##begin "
	End   = "##end "
	Ready = "##ready"
)

// Result is how a job ended.
type Result struct {
	Name    string
	Status  int // the exit status, -1 after a signal or if it did not start
	Seconds float64
	Error   string // why it did not start
}
