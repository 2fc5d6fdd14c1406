// Puts intervals into rows in which none overlap, and finds the intervals of a row between two
// times. Lanes are drawn from this index at any zoom.

const perBlock = 32;

// Rows gives an interval the first row that is free at its start.
class Rows {
	constructor() {
		this.ends = []; // the end of each row's last interval
		this.earliest = []; // the earliest end in each block of rows
	}

	take(start, end) {
		const { ends, earliest } = this;
		let block = 0;
		while (block < earliest.length && earliest[block] > start) {
			block++;
		}
		let row = block * perBlock;
		while (row < ends.length && ends[row] > start) {
			row++;
		}
		ends[row] = end;
		let least = Infinity;
		for (let i = block * perBlock; i < Math.min((block + 1) * perBlock, ends.length); i++) {
			least = Math.min(least, ends[i]);
		}
		// A block that is not full has a free row.
		earliest[block] = ends.length < (block + 1) * perBlock ? -Infinity : least;
		return row;
	}
}

// Tracks are the intervals of some items in rows. items are indices, sorted by start. laneOf
// is the lane of an item. The rows of a lane are consecutive, and so are the intervals of a
// row.
export class Tracks {
	constructor({ items, start, end, laneOf, lanes }) {
		const n = items.length, rowOf = new Uint32Array(n), lane = new Uint32Array(n);
		const rows = Array.from({ length: lanes }, () => new Rows());
		for (let i = 0; i < n; i++) {
			const item = items[i];
			lane[i] = laneOf(item);
			rowOf[i] = rows[lane[i]].take(start[item], end[item]);
		}
		this.rowsOf = rows.map((r) => r.ends.length); // by lane
		this.firstRow = sumsBefore(this.rowsOf);
		this.place(items, start, end, (i) => this.firstRow[lane[i]] + rowOf[i]);
	}

	// place sorts the items by row.
	place(items, start, end, rowAt) {
		const n = items.length, counts = new Array(this.firstRow[this.rowsOf.length]).fill(0);
		for (let i = 0; i < n; i++) {
			counts[rowAt(i)]++;
		}
		this.begin = sumsBefore(counts); // of each row
		const next = this.begin.slice();
		this.item = new Uint32Array(n);
		this.start = new Float64Array(n);
		this.end = new Float64Array(n);
		for (let i = 0; i < n; i++) {
			const at = next[rowAt(i)]++;
			this.item[at] = items[i];
			this.start[at] = start[items[i]];
			this.end[at] = end[items[i]];
		}
	}

	// colour stores the mark of each item, and prefix sums of the items' times for each mark and
	// of failures. A sum between two items is then a difference.
	colour(markOf, failed) {
		const n = this.item.length;
		this.mark = Uint8Array.from(this.item, markOf);
		this.failed = new Uint32Array(n + 1); // the number before each
		for (let i = 0; i < n; i++) {
			this.failed[i + 1] = this.failed[i] + (failed(this.item[i]) ? 1 : 0);
		}
		this.busy = new Map([...new Set(this.mark)].map((m) => [m, this.busyOf(m)]));
	}

	// busyOf returns the prefix sums of a mark. An item that takes no time counts too.
	busyOf(mark) {
		const { start, end } = this, sums = new Float64Array(this.item.length + 1);
		let sum = 0;
		for (let i = 0; i < this.item.length; i++) {
			if (this.mark[i] === mark) {
				sum += Math.max(1, end[i] - start[i]);
			}
			sums[i + 1] = sum;
		}
		return sums;
	}

	// between returns the intervals of a row that touch the time from a to b.
	between(row, a, b) {
		return [firstAbove(this.end, this.begin[row], this.begin[row + 1], a), firstFrom(this.start, this.begin[row], this.begin[row + 1], b)];
	}

	// after returns the first interval from i to j that starts at t or later. It is usually near
	// i.
	after(i, j, t) {
		let step = 1;
		while (i + step < j && this.start[i + step] < t) {
			i += step;
			step *= 2;
		}
		return firstFrom(this.start, i, Math.min(i + step, j), t);
	}

	// sum returns the total time of the intervals from i to j, and the mark with the largest part
	// of it.
	sum(i, j) {
		let mark = 0, most = -1, busy = 0;
		for (const [m, sums] of this.busy) {
			const time = sums[j] - sums[i];
			busy += time;
			if (time > most) {
				most = time;
				mark = m;
			}
		}
		return { mark, busy };
	}
}

// sumsBefore returns the sum of the values before each index, and of all.
function sumsBefore(counts) {
	const sums = [0];
	counts.forEach((c, i) => sums.push(sums[i] + c));
	return sums;
}

// firstAbove returns the first index from i to j whose value is above v. The values ascend.
export function firstAbove(values, i, j, v) {
	while (i < j) {
		const middle = (i + j) >> 1;
		if (values[middle] > v) {
			j = middle;
		} else {
			i = middle + 1;
		}
	}
	return i;
}

// firstFrom returns the first index from i to j whose value is v or above.
export function firstFrom(values, i, j, v) {
	while (i < j) {
		const middle = (i + j) >> 1;
		if (values[middle] >= v) {
			j = middle;
		} else {
			i = middle + 1;
		}
	}
	return i;
}
