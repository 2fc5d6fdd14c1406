// Package proof has no code but tests, of package copytree as its users see it:
// random trees against GNU cp, copies onto what is there already, and the
// traps that other tools fell into, by name. What needs root or GNU cp skips
// itself with a message.
//
//	go test ./copytree/internal/proof                                    # 200 trees
//	go test -run Trees ./copytree/internal/proof -sluice.trees.n=10000   # the long run
package proof
