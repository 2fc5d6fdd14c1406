module github.com/sluiceio/sluice/dev

go 1.26.0

require (
	github.com/sluiceio/sluice v0.1.0
	github.com/sluiceio/sluice/bench v0.1.0
	golang.org/x/mod v0.42.0
	golang.org/x/sys v0.49.0
	golang.org/x/tools v0.52.0
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	golang.org/x/term v0.47.0 // indirect
)
