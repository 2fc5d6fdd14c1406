package main

import (
	"slices"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// victoriaModule is VictoriaMetrics.
const victoriaModule = "github.com/VictoriaMetrics/VictoriaMetrics"

// programs has the cases of programs that are built for disks. They have their own page.
var programs = slices.Concat([]*testCase{
	{
		name: "victoria-search", module: victoriaModule + "/lib/storage", does: "query of 1000 samples of a series", goroutines: []int{1, 16},
		why:  "VictoriaMetrics reads by os.File.ReadAt the pages of its mapped files that mincore(2) does not find in memory; 16 queries at a time are no quicker than one, so something else than the disk is the limit, and why 16 lose is not known",
		fill: fillVictoria, open: openVictoria,
	},
	{
		name: "victoria-add", module: victoriaModule + "/lib/storage", does: "AddRows of 1000 samples", goroutines: []int{1, 16},
		why:  "not measured",
		open: openVictoriaAdd,
	},
	{
		name: "parquet", module: "github.com/parquet-go/parquet-go", does: "scan of a row group of 1000 rows", goroutines: []int{1, 16},
		why:  "a row group takes 3 ms of processor time, most of it for objects and the garbage collector; by one goroutine the device gets 8.6 requests a row group instead of 6.7, and the kernel takes a fifth more processor time: perhaps because the look into the page cache starts read-ahead in smaller parts, which is not proved",
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
		name: "git", module: "github.com/go-git/go-git/v5", does: "read of an object of 16 KB from a pack, a repository each", goroutines: []int{1, 16},
		why:  "an object is some reads of 4 KiB at the position of the file, of which one or two wait; checksums and inflating take most of the processor time; why 16 lose is not known",
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
		why:  "not measured",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, remove: "backups",
			before: [][]string{resticArgs("backups", "init")},
			args:   resticArgs("backups", "backup", commandFiles),
		},
	},
	{
		name: "restic-check", module: "github.com/restic/restic", does: "check --read-data of a backup, a file, cold", goroutines: []int{1},
		why:  "not measured",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, made: "checked",
			before: [][]string{resticArgs("checked", "init"), resticArgs("checked", "backup", commandFiles)},
			args:   resticArgs("checked", "check", "--read-data"),
		},
	},
	{
		name: "restic-restore", module: "github.com/restic/restic", does: "restore of a file, cold", goroutines: []int{1},
		why:  "not measured",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, made: "checked", remove: "restored",
			before: [][]string{resticArgs("checked", "init"), resticArgs("checked", "backup", commandFiles)},
			args:   resticArgs("checked", "restore", "latest", "--target", "restored"),
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
		why:  "not measured",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: "./rclone", remove: "copy", env: rcloneEnv,
			args: []string{"copy", commandFiles, "copy"},
		},
	},
}

// rcloneEnv lets rclone do without its file of settings.
var rcloneEnv = []string{"RCLONE_CONFIG=", "RCLONE_LOG_LEVEL=ERROR"}
