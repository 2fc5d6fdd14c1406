package fix

// Step is what Run is doing: number Done of Of, or something without a number if Of is 0.
type Step struct {
	Doing    string
	Done, Of int
}
