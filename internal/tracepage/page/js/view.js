// The part of the trace that is on the screen.

const shortest = 20; // ns across the screen
const precision = 2 ** -42; // the smallest relative difference between two times

// View is a span of time within bounds. It calls its watchers when it moves.
export class View {
	constructor(first, last) {
		this.shortest = Math.max(shortest, last * precision);
		const margin = Math.max((last - first) * 0.01, this.shortest);
		this.least = first - margin;
		this.most = last + margin;
		this.from = this.least;
		this.to = this.most;
		this.watchers = [];
	}

	watch(f) {
		this.watchers.push(f);
	}

	// show sets the span to from and to, clipped to the bounds.
	show(from, to) {
		const whole = this.most - this.least;
		const span = Math.min(Math.max(to - from, this.shortest), whole);
		const middle = (from + to) / 2;
		this.from = span === whole ? this.least : Math.min(Math.max(middle - span / 2, this.least), this.most - span);
		this.to = span === whole ? this.most : this.from + span;
		this.watchers.forEach((f) => f());
	}

	// zoom multiplies the length of the span by a factor. The time at stays where it is.
	zoom(factor, at = (this.from + this.to) / 2) {
		const span = Math.min(Math.max((this.to - this.from) * factor, this.shortest), this.most - this.least);
		const left = (at - this.from) / (this.to - this.from);
		this.show(at - span * left, at + span * (1 - left));
	}

	move(by) {
		this.show(this.from + by, this.to + by);
	}

	all() {
		this.show(this.least, this.most);
	}
}
