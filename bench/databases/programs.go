package main

import (
	"slices"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// victoriaModule is VictoriaMetrics.
const victoriaModule = "github.com/VictoriaMetrics/VictoriaMetrics"

// What programs need for themselves: VictoriaMetrics, NATS for some 32 blocks of 4 MB, and 16
// clients of go-git for an index each. With less, both builds of VictoriaMetrics were killed: at
// 112 MiB in 10 of 10 runs by 64 goroutines, at 128 MiB in 10 and 9, and in none at 160 MiB.
const (
	victoriaOwn = 128 << 20
	natsOwn     = 256 << 20
	gitOwn      = 128 << 20
)

// programs has the cases of programs that are built for disks. They have their own page.
var programs = slices.Concat([]*testCase{
	{
		name: "victoria-search", module: victoriaModule + "/lib/storage", does: "query of 1000 samples of a series", goroutines: []int{1, 16, 64}, own: victoriaOwn,
		why:  "VictoriaMetrics reads by os.File.ReadAt the pages of its mapped files that mincore(2) does not find in memory, and many wait at once. It takes pages that it has read for resident for a minute, and touches them as mapped memory. Where the memory is full, such a page fault reads as much as the disk's read-ahead: with 8 MiB instead of 128 KiB, a query of 10 KB reads 300 KB, the disk's bandwidth is the limit, and the ratio is 0.94 to 0.96 with 0.74 to 0.87 of the processor time. The program itself needs 125 to 155 MiB. By one, ten rounds had 0.94 (0.85-1.09), and 16 had 1.02: rounds of one goroutine differ by more than the builds do",
		fill: fillVictoria, open: openVictoria,
	},
	{
		name: "victoria-add", module: victoriaModule + "/lib/storage", does: "AddRows of 1000 samples", goroutines: []int{1, 16},
		why:  "nothing waits for the disk: rows stay in memory, and goroutines in the background write and merge parts",
		open: openVictoriaAdd,
	},
	{
		name: "parquet", module: "github.com/parquet-go/parquet-go", does: "scan of a row group of 1000 rows", goroutines: []int{1, 16},
		why:  "a row group takes 3 ms of processor time, most of it for objects and the garbage collector, and four reads of 256 KB. By 16, many wait at once. By one, the disk is idle while a row group is decoded, with os.File as well",
		fill: fillParquet, open: openParquet,
	},
	{
		name: "parquet-ahead", module: "github.com/parquet-go/parquet-go", does: "the same with sluice.File, by which each client asks for its next row group", goroutines: []int{1, 16},
		why:   "the program is changed, by ten lines, and is compared with os.File by go build: the device reads the next row group while the processor decodes this one",
		data:  "parquet",
		sides: []load.Side{{Name: "os.File", Way: load.ByOS}, {Name: "sluice.File, Prefetch", Way: load.BySluice}},
		fill:  fillParquet, open: openParquet,
	},
	{
		name: "nats", module: "github.com/nats-io/nats-server/v2", does: "message of 16 KB to a consumer that reads a stream", goroutines: []int{1, 16}, own: natsOwn,
		why:  "a consumer that comes to a block of 4 MB reads the whole of it by one os.File.Read, into memory of its own. The disk delivers 460 MB a second by 16, and queued reads hold no thread. Runs differ: eight rounds of 16 had 0.92 (0.81-1.05), and 14 had 1.00 beside 1.01 for a library that made these reads plain calls",
		fill: fillNATS, open: openNATS,
	},
	{
		name: "git", module: "github.com/go-git/go-git/v5", does: "read of an object of 16 KB from a pack, a repository each", goroutines: []int{1, 16}, own: gitOwn,
		why:  "an object is two reads of 4 KiB and one of 12 KB, at the position of the file; checksums and inflating take most of the processor time. Of three looks into the page cache 0.64 miss, and a system call more is 3 to 6 % of an object's processor time. With 128 MiB, of which the indexes take 115, and a read-ahead of 8 MiB, 16 had 0.96 (0.94-0.99) and one 1.02 (0.95-1.06) in 16 rounds",
		fill: fillGit, open: openGit,
	},
	{
		name: "sqlite", module: "github.com/ncruces/go-sqlite3", does: "SELECT by primary key, a connection each", goroutines: []int{32},
		why:  "each connection reads pages by os.File.ReadAt, and 32 wait at once: queued reads hold no thread",
		data: "sqlite-ncruces",
		fill: fillNcruces, open: openNcruces,
	},
	{
		name: "bbolt", module: "go.etcd.io/bbolt", does: "Get of a random key", goroutines: []int{1, 32},
		why:  "it reads mapped memory; a page fault is no call of os.File",
		fill: fillBolt, open: openBolt,
	},
}, commands)

// resticArgs are arguments of restic with the repository of measured backups.
func resticArgs(repository string, args ...string) []string {
	return append([]string{"--quiet", "--no-cache", "--insecure-no-password", "-r", repository}, args...)
}

// The version and package of restic.
const (
	resticModule  = "github.com/restic/restic@v0.18.1"
	resticPackage = "./cmd/restic"
)

// commands has the cases that are whole programs. They share their files.
var commands = []*testCase{
	{
		name: "restic-backup", module: "github.com/restic/restic", does: "backup of a file, cold", goroutines: []int{1},
		why:  "it opens and reads each file once, by few goroutines, and computes: of 267,000 operations 28 % came from the page cache, 71 % were plain calls, and 1 % were queued. Files have to be opened as before",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, remove: "backups",
			before: [][]string{resticArgs("backups", "init")},
			args:   resticArgs("backups", "backup", commandFiles),
		},
	},
	{
		name: "restic-check", module: "github.com/restic/restic", does: "check --read-data of a backup, a file, cold", goroutines: []int{1},
		why:  "it makes 340 reads of 1.6 MB on average, by few goroutines. Eight rounds had 0.97 (0.80-1.02) before",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, made: "checked",
			before: [][]string{resticArgs("checked", "init"), resticArgs("checked", "backup", commandFiles)},
			args:   resticArgs("checked", "check", "--read-data"),
		},
	},
	{
		name: "restic-restore", module: "github.com/restic/restic", does: "restore of a file, cold", goroutines: []int{1},
		why:  "it reads 120 MB a second by few goroutines; 33,600 of 33,900 operations are plain calls, nearly all of them writes into the page cache",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, made: "checked", remove: "restored",
			before: [][]string{resticArgs("checked", "init"), resticArgs("checked", "backup", commandFiles)},
			args:   resticArgs("checked", "restore", "latest", "--target", "restored"),
		},
	},
	{
		name: "victoria-merge", module: victoriaModule + "/lib/storage", does: "merge of 16 KB of samples, by ForceMergePartitions, cold", goroutines: []int{1},
		why:  "one goroutine merges, and Linux reads ahead: 4 of 13,400 reads and writes were queued. Both builds make the same system calls: 9,200 reads, nearly all of 64 KiB, 4,080 writes, nearly all of 128 KiB, and 56 to 59 fsyncs, with three garbage collections and 53 MiB. Eight rounds had 0.93 (0.87-1.07) before. Rounds differ without sluice, too: 12 pairs of go build's program and a copy of it had 0.89 to 1.19, with a median of 1.00",
		fill: fillVictoriaParts,
		command: &command{
			pkg: "./victoriamerge", remove: "merged",
			before: [][]string{{"link", victoriaParts, "merged"}},
			args:   []string{"merge", "merged"},
		},
	},
	{
		name: "rclone-check", module: "github.com/rclone/rclone", does: "check of a file and its copy, cold", goroutines: []int{1},
		why:  "both copies of each file are opened and hashed, by a few goroutines",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: "./rclone", made: "copied", env: rcloneEnv,
			before: [][]string{{"copy", commandFiles, "copied"}},
			args:   []string{"check", commandFiles, "copied"},
		},
	},
	{
		name: "rclone-copy", module: "github.com/rclone/rclone", does: "copy of a file, cold", goroutines: []int{1},
		why:  "it copies four files at once: 3.5 % of reads and writes were queued, and files have to be opened and made as before",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: "./rclone", remove: "copy", env: rcloneEnv,
			args: []string{"copy", commandFiles, "copy"},
		},
	},
}

// rcloneEnv lets rclone do without its file of settings.
var rcloneEnv = []string{"RCLONE_CONFIG=", "RCLONE_LOG_LEVEL=ERROR"}
