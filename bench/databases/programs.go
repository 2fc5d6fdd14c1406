package main

import "slices"

// victoriaModule is VictoriaMetrics.
const victoriaModule = "github.com/VictoriaMetrics/VictoriaMetrics"

// programs has the cases of programs that are built for disks. They have their own page.
var programs = slices.Concat([]*testCase{
	{
		name: "victoria-search", module: victoriaModule + "/lib/storage", does: "query of 1000 samples of a series", goroutines: []int{1, 16, 64},
		why:  "not known",
		fill: fillVictoria, open: openVictoria,
	},
	{
		name: "victoria-add", module: victoriaModule + "/lib/storage", does: "AddRows of 1000 samples", goroutines: []int{1, 16},
		why:  "not known",
		open: openVictoriaAdd,
	},
	{
		name: "parquet", module: "github.com/parquet-go/parquet-go", does: "scan of a row group of 1000 rows", goroutines: []int{1, 16},
		why:  "not known",
		fill: fillParquet, open: openParquet,
	},
	{
		name: "git", module: "github.com/go-git/go-git/v5", does: "read of an object of 16 KB from a pack, a repository each", goroutines: []int{1, 16},
		why:  "not known",
		fill: fillGit, open: openGit,
	},
	{
		name: "sqlite", module: "github.com/ncruces/go-sqlite3", does: "SELECT by primary key, a connection each", goroutines: []int{32},
		why:  "not known",
		data: "sqlite-ncruces",
		fill: fillNcruces, open: openNcruces,
	},
	{
		name: "bbolt", module: "go.etcd.io/bbolt", does: "Get of a random key", goroutines: []int{1, 32},
		why:  "not known",
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
		why:  "not known",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, remove: "backups",
			before: [][]string{resticArgs("backups", "init")},
			args:   resticArgs("backups", "backup", commandFiles),
		},
	},
	{
		name: "restic-check", module: "github.com/restic/restic", does: "check --read-data of a backup, a file, cold", goroutines: []int{1},
		why:  "not known",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, made: "checked",
			before: [][]string{resticArgs("checked", "init"), resticArgs("checked", "backup", commandFiles)},
			args:   resticArgs("checked", "check", "--read-data"),
		},
	},
	{
		name: "restic-restore", module: "github.com/restic/restic", does: "restore of a file, cold", goroutines: []int{1},
		why:  "not known",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: resticPackage, module: resticModule, made: "checked", remove: "restored",
			before: [][]string{resticArgs("checked", "init"), resticArgs("checked", "backup", commandFiles)},
			args:   resticArgs("checked", "restore", "latest", "--target", "restored"),
		},
	},
	{
		name: "rclone-check", module: "github.com/rclone/rclone", does: "check of a file and its copy, cold", goroutines: []int{1},
		why:  "not known",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: "./rclone", made: "copied", env: rcloneEnv,
			before: [][]string{{"copy", commandFiles, "copied"}},
			args:   []string{"check", commandFiles, "copied"},
		},
	},
	{
		name: "rclone-copy", module: "github.com/rclone/rclone", does: "copy of a file, cold", goroutines: []int{1},
		why:  "not known",
		data: "files", fill: fillFiles,
		command: &command{
			pkg: "./rclone", remove: "copy", env: rcloneEnv,
			args: []string{"copy", commandFiles, "copy"},
		},
	},
}

// rcloneEnv lets rclone do without its file of settings.
var rcloneEnv = []string{"RCLONE_CONFIG=", "RCLONE_LOG_LEVEL=ERROR"}
