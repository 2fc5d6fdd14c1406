module github.com/sluiceio/sluice/copytree

go 1.26.0

require (
	github.com/sluiceio/sluice v0.1.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
)
