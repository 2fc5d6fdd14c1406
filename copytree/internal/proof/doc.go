// Package proof has tests of package copytree as its users see it, and no other code:
// random trees compared with GNU cp, copies onto existing files, and the traps that
// other tools fell into, by name. Tests that need root or GNU cp skip themselves with a
// message.
//
//	go test ./copytree/internal/proof                                    # 200 trees
//	go test -run Trees ./copytree/internal/proof -sluice.trees.n=10000   # the long run
package proof
