package experiments

import "context"

var fig4Read = Experiment{Name: "fig4-read", Steps: func(Params) int { return 0 }, Run: func(context.Context, *Env) (any, error) { return nil, nil }}
var fig4Write, fig6 = fig4Read, fig4Read
