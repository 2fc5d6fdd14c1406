package experiments

// eio2024 is "Efficient disk concurrency with eio".
const eio2024 = "eio, 2024"

// p2 are its workloads.
var p2 = []Experiment{cpSmall, cpLarge, cpBlock, cpReflink, fioExpect}
