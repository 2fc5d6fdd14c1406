package overlay

// declaration is a declaration of the standard library.
type declaration struct {
	file string // below src
	name string // a type, a function, or "FD.method"
	// sum is the SHA-256 of the declaration as go/printer prints it, without its comments
	// and with single spaces.
	sum string
}

// relied are the declarations that the hooks rely on without changing them: which memory
// is on a stack, and when a stack moves; whether a file can be polled; which system calls are
// repeated after EINTR.
var relied = []declaration{
	{"internal/poll/fd_poll_runtime.go", "pollDesc.init", "00e236fe12035c89df1907e23853d5ee6651d7d7df72c1c0e9c026a7e2b03f65"},
	{"internal/poll/fd_poll_runtime.go", "pollDesc.close", "c6addab3636f4521002818f9a48b3713b984b3eacc28c97c40dd80a13f9dd080"},
	{"internal/poll/fd_poll_runtime.go", "pollDesc.evict", "0bac5ab4d09e3294dd84645e924f8c1d6fdd9a7fbbf69dcfacb59b4b72f83a53"},
	{"internal/poll/fd_poll_runtime.go", "pollDesc.pollable", "e8aed83b0bb7d724d958206dd6e0b7f993927fd527e497c987e5210a5d963426"},
	{"internal/poll/fd_unix.go", "ignoringEINTRIO", "0f95e7ee256df0bfcf6a866e51c31a4fb98d95112e7a0113a2701985b7f299d2"},
	{"internal/poll/fd_posix.go", "ignoringEINTR2", "d1b09e72519a2c7c1be184e03b361c5f6bdef783b3f7e3b5ec8df09bd59e1f12"},
	{"runtime/mbitmap.go", "findObject", "da608b438a543f55095738fe79e904c0029c5cccd84c9681935f38515c154950"},
	{"runtime/stack.go", "isShrinkStackSafe", "2e5699f76864e6334daacb2a3dacdc822e5d2e13aeba9bb3f7d817f086d1d9bc"},
}

// edit is a change of one declaration.
type edit struct {
	declaration
	// old occurs once in the declaration. It is replaced by new.
	old, new string
}

var edits = []edit{
	{declaration{"os/file_unix.go", "newFile", "6f20e5c8afb0dd08c99851c1afa3e92b1cba75b0f53d746e6db4ff60763459dc"}, "syscall.SetNonblock(fd, true)", "f.pfd.SluiceNonblock(kind == kindOpenFile)"},
	{declaration{"os/file_unix.go", "openFileNolog", "455aada678c2d3dd66e5c67a95fdfd0bc82a3eea5cac7eb8452904dff62f3485"}, "f.pfd.SysFile = s", "f.pfd.SysFile = s\n\tf.pfd.SluiceOpened(flag)"},
	{declaration{"internal/poll/fd_unix.go", "FD", "80eae0b9bacb3105f58290efa0cce2114adc9d8edfee0af3508e257115534546"}, "isFile bool", "isFile bool\n\n\tsluice atomic.Pointer[sluiceState] // nil: not decided"},
	{declaration{"internal/poll/fd_unix.go", "FD.Init", "0416e19c894a4800ffcc8d3d3e866c81229b46ea0792eac2acc318e85a825e0c"}, "fd.pd.init(fd)", "fd.sluicePoll()"},
	{
		declaration{"internal/poll/fd_unix.go", "FD.Read", "0035aefb0270ac8bc5450a8c343e966de4373bd1107ec63ed35d7255b2251d0d"},
		"ignoringEINTRIO(syscall.Read, fd.Sysfd, p)", "fd.sluiceRead(p)",
	},
	{declaration{"internal/poll/fd_unix.go", "FD.Pread", "605770677ed2da1e6adf0b8d14bad709aca768cc08f4bdb0c5de7ab2a2b0df33"}, "syscall.Pread(fd.Sysfd, p, off)", "fd.sluicePread(p, off)"},
	{
		declaration{"internal/poll/fd_unix.go", "FD.Write", "047c7fbc0f192ac5c8b45d986ad5f886c26fb1f8bd5b2718beac146d94513d0b"},
		"ignoringEINTRIO(syscall.Write, fd.Sysfd, p[nn:max])", "fd.sluiceWrite(p[nn:max])",
	},
	{
		declaration{"internal/poll/fd_unix.go", "FD.Pwrite", "d33756f5c5391d4800513f26608476fa59f7ba25ac461458e2f3ad5ec9d95772"},
		"syscall.Pwrite(fd.Sysfd, p[nn:max], off+int64(nn))", "fd.sluicePwrite(p[nn:max], off+int64(nn))",
	},
	{declaration{"internal/poll/fd_unixjs.go", "FD.Seek", "cc9d3d0ed43a4e898559789a85f69f29fa897367e133f9c4d8734ddc93ebc803"}, "syscall.Seek(fd.Sysfd, offset, whence)", "fd.sluiceSeek(offset, whence)"},
	{declaration{"internal/poll/fd_fsync_posix.go", "FD.Fsync", "1827c3a9b1c484289e5520642eb48cbf0c1c1f8b7b90232bf29a95aa7f99c619"}, "syscall.Fsync(fd.Sysfd)", "fd.sluiceFsync(syscall.Fsync)"},
	{
		declaration{"internal/poll/copy_file_range_unix.go", "copyFileRange", "83b69d1f4cb06c331a548b9202b6bc00e7983045f5fd375191d10d45321fb587"},
		"unix.CopyFileRange(src.Sysfd, nil, dst.Sysfd, nil, max, 0)", "sluiceCopy(unix.CopyFileRange, dst, src, max)",
	},
}
