// Package guest is shared by the command kernels and its program in the virtual machine.
package guest

// The places of files in the virtual machine.
const (
	PlanFile = "/plan.json" // in the initramfs: a Plan
	Disk     = "/disk"      // the first disk: ext4, with the test binaries
	Second   = "/second"    // the second disk, xfs, empty
)

// Plan is the work of the program in the virtual machine, in this order.
type Plan struct {
	Port    string   // the second serial port
	Modules []string // module files of the kernel, each after those it needs
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

// The program prints these lines to the Plan's port around a job's output: Begin with the name of
// the job, and End with a Result in JSON. Ready follows the last one. No line of package testing
// begins so.
const (
	Begin = "##begin "
	End   = "##end "
	Ready = "##ready"
)

// Result is the result of a job.
type Result struct {
	Name    string
	Status  int // the exit status; -1 after a signal or if it did not start
	Seconds float64
	Error   string // why it did not start
}
