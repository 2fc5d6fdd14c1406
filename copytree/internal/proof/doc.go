// Package proof tests package copytree as its users see it, and has no other code. It compares
// random trees with GNU cp, copies onto existing files, and has tests named after traps of other
// tools. Tests that need root or GNU cp skip themselves with a message.
//
//	go test ./copytree/internal/proof                                    # 200 trees
//	go test -run Trees ./copytree/internal/proof -sluice.trees.n=10000   # the long run
package proof
