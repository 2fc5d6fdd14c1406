module github.com/sluiceio/sluice/bench

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/alecthomas/kong v1.17.0
	github.com/hanwen/go-fuse/v2 v2.12.1
	github.com/otiai10/copy v1.14.1
	github.com/sluiceio/sluice v0.1.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
)

require (
	github.com/otiai10/mint v1.6.3 // indirect
	golang.org/x/mod v0.42.0
	golang.org/x/sync v0.16.0 // indirect
)
