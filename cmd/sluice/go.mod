module github.com/sluiceio/sluice/cmd/sluice

go 1.26.0

// The command and the library are developed in one tree. Without this line,
// go mod tidy and GOWORK=off would look for a published version.
replace github.com/sluiceio/sluice => ../..

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/alecthomas/kong v1.17.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/sluiceio/sluice v0.0.0-00010101000000-000000000000
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	google.golang.org/protobuf v1.36.12
)

require golang.org/x/tools v0.26.0 // indirect
