//go:build linux && (amd64 || arm64)

package uring

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// openRegistrar makes a ring with which memory can be registered, or skips the test.
func openRegistrar(t *testing.T) *Ring {
	t.Helper()
	r := open(t, Options{Depth: 8})
	t.Cleanup(func() { r.Close() })
	i, err := r.Register(make([]byte, 4096))
	if errors.Is(err, syscall.ENOMEM) {
		skip.For(t, skip.Limits, err)
	}
	if err != nil {
		skip.For(t, skip.Kernel, err)
	}
	r.Unregister(i)
	return r
}

func TestRegisterFillsTheTable(t *testing.T) {
	r := openRegistrar(t)
	mem := make([]byte, 4096)
	for i := range maxBuffers {
		if _, err := r.Register(mem); err != nil {
			t.Fatalf("Register number %d = %v", i, err)
		}
	}
	if _, err := r.Register(mem); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Register of one more than fits = %v; want ENOSPC", err)
	}
	r.Unregister(500)
	if i, err := r.Register(mem); i != 500 || err != nil {
		t.Errorf("Register = %d, %v; want 500, the place that is free", i, err)
	}
}

func TestRegisterRefusals(t *testing.T) {
	r := openRegistrar(t)
	gone, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(gone)
	if _, err := r.Register(gone); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("Register of memory without access = %v; want EFAULT", err)
	}
	huge, err := unix.Mmap(-1, 0, 1<<30+4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		skip.For(t, skip.Limits, err)
	}
	defer unix.Munmap(huge)
	if _, err := r.Register(huge); err == nil {
		t.Error("Register of more than 1 GiB = nil; want an error")
	}
	// The table works after refusals.
	if _, err := r.Register(make([]byte, 4096)); err != nil {
		t.Errorf("Register = %v", err)
	}
}

// A kernel before 5.13 has no table. The ring asks for it only once.
func TestRegisterOnOldKernels(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r := &Ring{fd: int(null.Fd())} // io_uring_register fails for it
	_, first := r.Register(make([]byte, 10))
	if errors.Is(first, syscall.EPERM) || errors.Is(first, syscall.ENOSYS) {
		skip.For(t, skip.Uring, "refused for any descriptor: ", first)
	}
	r.fd = -1
	_, second := r.Register(make([]byte, 10))
	if errors.Is(first, syscall.ENOSYS) {
		skip.For(t, skip.Uring, first)
	}
	if !errors.Is(first, syscall.EOPNOTSUPP) && !errors.Is(first, syscall.EINVAL) || first != second {
		t.Errorf("Register = %v, then %v; want the kernel's error, once asked", first, second)
	}
}

func TestUnregisterOfNothing(t *testing.T) {
	r := openRegistrar(t)
	for _, i := range []int{-1, 0, maxBuffers} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Unregister(%d) does not panic", i)
				}
			}()
			r.Unregister(i)
		}()
	}
	i, err := r.Register(make([]byte, 10))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Unregister(i) // too late, and without effect
}

// Registered memory counts against RLIMIT_MEMLOCK. Beyond the limit Register fails.
// After Unregister or Close the memory can be registered again.
func TestRegisterUnderMemlock(t *testing.T) {
	hang.Watch(t)
	withMemlock(t, 4<<20, func(alone bool) {
		for range 3 {
			r, err := New(Options{Depth: 8})
			if err != nil {
				skip.ForDriver(t, "uring", err)
			}
			all := fillMemlock(t, r)
			if len(all) < 2 && !alone {
				skip.For(t, skip.Root, "other processes of this user have locked memory")
			}
			if len(all) < 2 {
				t.Fatalf("%d pieces of 512 KiB under a limit of 4 MiB", len(all))
			}
			r.Unregister(all[0])
			if alone { // Linux 6.1 frees memory some time after the call
				hang.Eventually(func() bool {
					_, err := r.Register(make([]byte, 512<<10))
					return err == nil
				})
			}
			o := &driver.Op{Code: read, FD: -1, Buf: make([]byte, 1)}
			submit(t, r, o)
			reap(t, r, 1)
			if o.Res != -int32(syscall.EBADF) {
				t.Errorf("an operation on a ring that was refused memory = %d; want EBADF", o.Res)
			}
			r.Close()
		}
	})
}

// fillMemlock registers 512 KiB at a time until that fails.
func fillMemlock(t *testing.T, r *Ring) (all []int) {
	for range 9 {
		i, err := r.Register(make([]byte, 512<<10))
		if err == nil {
			all = append(all, i)
			continue
		}
		if !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("Register at the limit = %v; want ENOMEM", err)
		}
		return all
	}
	skip.For(t, skip.Limits, "RLIMIT_MEMLOCK does not bind")
	return nil
}

// withMemlock calls do under that limit, on a thread without CAP_IPC_LOCK. alone says that no other
// process counts against the limit: memory is locked by user, and tests of other packages may lock
// memory of the same user. If it may, withMemlock runs the thread as a user that nobody else uses.
func withMemlock(t *testing.T, limit uint64, do func(alone bool)) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: limit, Max: before.Max}); err != nil {
		skip.For(t, skip.Limits, err)
	}
	defer unix.Setrlimit(unix.RLIMIT_MEMLOCK, &before)
	runtime.LockOSThread()
	uid := os.Getuid()
	alone := setRealUser(1<<20 + os.Getpid())
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	if err := unix.Capget(&header, &caps[0]); err != nil {
		skip.For(t, skip.Limits, err)
	}
	without := caps
	without[0].Effective &^= 1 << unix.CAP_IPC_LOCK
	if err := unix.Capset(&header, &without[0]); err != nil {
		skip.For(t, skip.Limits, err)
	}
	defer func() {
		if unix.Capset(&header, &caps[0]) == nil && (!alone || setRealUser(uid)) {
			runtime.UnlockOSThread() // or the thread would end with the goroutine
		}
	}()
	do(alone)
}

// setRealUser changes the real user of this thread only, and reports whether it could.
// The effective user, which decides on permissions, stays.
func setRealUser(uid int) bool {
	const stays = ^uintptr(0)
	_, _, e := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), stays, stays)
	return e == 0
}

// The kernel has pinned the pages of registered memory: a garbage collection must not
// give the addresses to other objects.
func TestRingHoldsRegisteredMemory(t *testing.T) {
	r := openRegistrar(t)
	i, err := r.Register(make([]byte, 64<<10))
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	mem := r.buffers.mem[i]
	rd, wr := pipe(t)
	if _, err := unix.Write(wr, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	o := &driver.Op{Code: read, FD: int32(rd), Buf: mem[100:105], Reg: uint32(i) + 1}
	submit(t, r, o)
	reap(t, r, 1)
	if o.Res != 5 || string(o.Buf) != "hello" {
		t.Errorf("read = %d, %q; want 5, hello", o.Res, o.Buf)
	}
}
