package testenv

import "flag"

// DiffN is the flag -sluice.diff.n.
var DiffN = flag.Int("sluice.diff.n", 750, "operations of each differential test")
