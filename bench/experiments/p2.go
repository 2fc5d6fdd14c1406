package experiments

// eio2024 is "Efficient disk concurrency with eio".
const eio2024 = "eio, 2024"

// p2 are eio's experiments on copies of trees, and fio's figures for the disk.
var p2 = []Experiment{cpSmall, cpLarge, cpBlock, cpReflink, fioExpect}
