package experiments

// eio2024 is "Efficient disk concurrency with eio".
const eio2024 = "eio, 2024"

// p2 are the experiments on copies of trees that repeat its loads, and fio's figures of the disk.
var p2 = []Experiment{cpSmall, cpLarge, cpBlock, cpReflink, fioExpect}
