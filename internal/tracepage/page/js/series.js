// The number of operations in progress, and their throughput, over time.

import { firstAbove, firstFrom } from "./tracks.js";

// Depth counts the intervals at a time.
export class Depth {
	// starts and ends are the times of the intervals, none of which is empty, in any order. The
	// constructor sorts them in place.
	constructor(starts, ends) {
		this.starts = starts.sort();
		this.ends = ends.sort();
		// The number of intervals when each has begun. One that ends at that time does not
		// count.
		this.begun = new Uint32Array(starts.length);
		for (let s = 0, e = 0; s < starts.length; s++) {
			while (e < s && ends[e] <= starts[s]) {
				e++;
			}
			this.begun[s] = s + 1 - e;
		}
	}

	// most writes the largest number of intervals at a time, for each of n equal parts of the
	// time from a to b.
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

// depths returns the Depth of operations in progress, and of those in the kernel. A time of 0
// counts as a nanosecond.
export function depths(ops, chosen) {
	const depth = (start, end) => new Depth(
		Float64Array.from(chosen, (i) => start[i]), Float64Array.from(chosen, (i) => Math.max(end[i], start[i] + 1)));
	return { progress: depth(ops.queued, ops.woken), kernel: depth(ops.submitted, ops.completed) };
}

// Rates computes the bytes that are read and written a second. The bytes of a transfer are
// spread evenly over its time in the kernel.
export class Rates {
	constructor(ops, chosen, isWrite, first, last) {
		Object.assign(this, { ops, chosen, isWrite });
		this.coarse = (last - first) / coarseParts;
		this.all = this.add(first, this.coarse, coarseParts);
	}

	// in returns the rates in parts of the time from a to b. The parts begin at multiples of
	// width. Wide parts are sums of coarse ones, so not all operations are visited.
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

// Spread spreads amounts evenly over spans of time. It has n parts from start, each width
// long.
class Spread {
	constructor(start, width, n) {
		Object.assign(this, { start, width, n });
		this.alone = new Float64Array(n); // amounts within a single part
		this.change = new Float64Array(n + 1); // the difference from the part before
	}

	// add takes the same time for any span: the parts at both ends get a fraction, and those
	// between the amount of a whole part.
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
			return rate < 1 ? 0 : rate; // smaller values are rounding errors
		});
	}

	// resampled returns the rates in wider parts, which begin at the times of at.
	resampled(at, width) {
		this.sums ??= this.rates().reduce((sums, rate) => (sums.push(sums[sums.length - 1] + rate), sums), [0]);
		// The sum up to a time, in parts.
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
