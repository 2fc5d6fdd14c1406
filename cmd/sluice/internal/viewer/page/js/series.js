// How many operations are in progress, and how much they transfer, over time.

import { firstAbove, firstFrom } from "./tracks.js";

// Depth tells how many of some intervals there are at a time.
export class Depth {
	// The times are a start and an end for each interval, in any order; none ends
	// when it begins. They are sorted in place.
	constructor(starts, ends) {
		this.starts = starts.sort();
		this.ends = ends.sort();
		// How many there are when each has begun. What ends when another begins
		// makes room for it.
		this.begun = new Uint32Array(starts.length);
		for (let s = 0, e = 0; s < starts.length; s++) {
			while (e < s && ends[e] <= starts[s]) {
				e++;
			}
			this.begun[s] = s + 1 - e;
		}
	}

	// most writes into each of n equal parts of the time from a to b how many
	// intervals there are at most at a time.
	most(a, b, n) {
		const { starts, ends, begun } = this, most = new Float64Array(n), width = (b - a) / n;
		let s = firstAbove(starts, 0, starts.length, a), e = firstAbove(ends, 0, ends.length, a);
		for (let k = 0; k < n; k++) {
			const until = k === n - 1 ? b : a + width * (k + 1);
			const next = firstFrom(starts, s, starts.length, until);
			let top = s - e;
			for (; s < next; s++) {
				top = Math.max(top, begun[s]);
			}
			most[k] = top;
			e = Math.min(s, firstAbove(ends, e, ends.length, until));
		}
		return most;
	}

	at(t) {
		return firstAbove(this.starts, 0, this.starts.length, t) - firstAbove(this.ends, 0, this.ends.length, t);
	}
}

// depths returns the Depth of operations in progress, and of those that the
// kernel has. What took no time that could be measured took a nanosecond.
export function depths(ops, chosen) {
	const depth = (start, end) => new Depth(
		Float64Array.from(chosen, (i) => start[i]), Float64Array.from(chosen, (i) => Math.max(end[i], start[i] + 1)));
	return { progress: depth(ops.queued, ops.woken), kernel: depth(ops.submitted, ops.completed) };
}

// Rates tells how many bytes a second are read, and written. A transfer counts
// all the time that the kernel has it, evenly.
export class Rates {
	constructor(ops, chosen, isWrite, first, last) {
		Object.assign(this, { ops, chosen, isWrite });
		this.coarse = (last - first) / coarseParts;
		this.all = this.add(first, this.coarse, coarseParts);
	}

	// in returns the rates in parts of the time from a to b that begin at
	// multiples of width. Where parts are wide it adds up coarse ones, so that it
	// need not look at all operations.
	in(a, b, width) {
		const first = Math.floor(a / width), n = Math.ceil(b / width) - first + 1;
		const at = Float64Array.from({ length: n }, (_, k) => (first + k) * width);
		const { read, write } = width < 2 * this.coarse ? this.add(at[0], width, n) : this.all;
		const rates = (spread) => (spread.n === n && spread.width === width ? spread.rates() : spread.resampled(at, width));
		return { at, read: rates(read), write: rates(write) };
	}

	add(start, width, n) {
		const read = new Spread(start, width, n), write = new Spread(start, width, n);
		const { submitted, completed, result, kind, queued } = this.ops, end = start + n * width;
		for (const i of this.chosen) {
			if (queued[i] >= end) {
				break;
			}
			if (completed[i] >= start && result[i] > 0) {
				(this.isWrite[kind[i]] ? write : read).add(submitted[i], completed[i], result[i]);
			}
		}
		return { read, write };
	}
}

const coarseParts = 1 << 14;

// Spread adds amounts that come evenly from one time to another, into n parts
// of a time from start, each width long.
class Spread {
	constructor(start, width, n) {
		Object.assign(this, { start, width, n });
		this.alone = new Float64Array(n); // what comes into one part only
		this.change = new Float64Array(n + 1); // by how much more comes than into the part before
	}

	// add takes as long for a long time as for a short one: the two parts at the
	// ends have a share, and those between a whole part's amount.
	add(from, to, amount) {
		const { start, width, n, alone, change } = this;
		const a = (from - start) / width, b = (to - start) / width, i = Math.floor(a), j = Math.floor(b);
		if (i === j) {
			this.put(alone, i, amount);
			return;
		}
		const each = amount / (b - a);
		this.put(alone, i, each * (i + 1 - a));
		this.put(alone, j, each * (b - j));
		change[Math.min(Math.max(i + 1, 0), n)] += each;
		change[Math.min(Math.max(j, 0), n)] -= each;
	}

	put(to, i, amount) {
		if (i >= 0 && i < this.n) {
			to[i] += amount;
		}
	}

	// rates returns the amounts a second.
	rates() {
		let between = 0;
		return this.alone.map((amount, i) => {
			between += this.change[i];
			const rate = ((amount + between) / this.width) * 1e9;
			return rate < 1 ? 0 : rate; // what is left of sums that are not exact
		});
	}

	// resampled returns the rates in wider parts that begin at the times of at.
	resampled(at, width) {
		this.sums ??= this.rates().reduce((sums, rate) => (sums.push(sums[sums.length - 1] + rate), sums), [0]);
		// The sum until a time, in parts.
		const until = (t) => {
			const x = Math.min(Math.max((t - this.start) / this.width, 0), this.n), i = Math.floor(x);
			return this.sums[i] + (this.sums[Math.min(i + 1, this.n)] - this.sums[i]) * (x - i);
		};
		return Float64Array.from(at, (t) => {
			const rate = ((until(t + width) - until(t)) * this.width) / width;
			return rate < 1 ? 0 : rate;
		});
	}
}
