// Finds what belongs to an operation: the system call that handed it to the kernel, and the
// operations of the same batch. A trace does not name them; their times tell them.

import { firstFrom } from "./tracks.js";

// Links computes its indices when they are first asked for.
export class Links {
	constructor(trace) {
		this.trace = trace;
	}

	// callOf returns the system call that submitted an operation, -1 if there is none: the
	// operation went through no driver, or the call is lost.
	callOf(item) {
		this.index();
		return this.call[item];
	}

	// opsOf returns the operations that a system call submitted, in the trace's order.
	opsOf(call) {
		this.index();
		return this.carried.get(call) ?? [];
	}

	// mates returns the operations that were handed to the driver together with one, and it
	// itself. The engine gives all of them one time.
	mates(item) {
		const { ops } = this.trace;
		if (ops.driver[item] === 0 || !(ops.batch[item] > 1)) {
			return [];
		}
		this.index();
		const t = ops.submitted[item], mates = [];
		for (let k = firstFrom(this.times, 0, this.times.length, t); k < this.times.length && this.times[k] === t; k++) {
			if (ops.queue[this.bySubmitted[k]] === ops.queue[item]) {
				mates.push(this.bySubmitted[k]);
			}
		}
		return mates.length > 1 ? mates.sort((a, b) => a - b) : [];
	}

	// servedBy returns the operation whose system call served a shared Sync, -1 if there is none
	// in the trace.
	servedBy(item) {
		const { ops, kinds, paths } = this.trace;
		if (paths[ops.path[item]] !== "shared") {
			return -1;
		}
		let best = -1;
		for (let i = 0; i < ops.n && ops.queued[i] <= ops.completed[item]; i++) {
			if (ops.file[i] === ops.file[item] && isSync(kinds[ops.kind[i]]) && paths[ops.path[i]] !== "shared" &&
				ops.submitted[i] >= ops.submitted[item] && ops.completed[i] <= ops.completed[item] &&
				(best < 0 || ops.submitted[i] < ops.submitted[best])) {
				best = i;
			}
		}
		return best;
	}

	index() {
		if (this.call) {
			return;
		}
		const { ops, calls } = this.trace;
		const queued = [];
		for (let i = 0; i < ops.n; i++) {
			if (ops.driver[i] !== 0) {
				queued.push(i);
			}
		}
		queued.sort((a, b) => ops.submitted[a] - ops.submitted[b]);
		this.bySubmitted = queued;
		this.times = Float64Array.from(queued, (i) => ops.submitted[i]);
		const submitting = new Map(); // calls that submit, by queue
		for (let c = 0; c < calls.n; c++) {
			if (calls.batch[c] > 0) {
				submitting.get(calls.queue[c])?.push(c) ?? submitting.set(calls.queue[c], [c]);
			}
		}
		const starts = new Map([...submitting].map(([queue, list]) => [queue, Float64Array.from(list, (c) => calls.start[c])]));
		this.call = new Int32Array(ops.n).fill(-1);
		this.carried = new Map();
		for (const i of queued) {
			const list = submitting.get(ops.queue[i]) ?? [], from = starts.get(ops.queue[i]) ?? [];
			const c = this.carrier(i, list, firstFrom(from, 0, from.length, ops.submitted[i]));
			if (c >= 0) {
				this.call[i] = c;
				this.carried.get(c)?.push(i) ?? this.carried.set(c, [i]);
			}
		}
		this.carried.forEach((list) => list.sort((a, b) => a - b));
	}

	// carrier returns the call of list, from index k on, that submitted an operation: the first one
	// with as many operations as its batch, or the first one of all if that is alone in question.
	carrier(i, list, k) {
		const { ops, calls, drivers } = this.trace, first = list[k];
		if (first === undefined || calls.start[first] > ops.completed[i]) {
			return -1;
		}
		if (drivers[ops.driver[i]] === "pool") { // a thread makes the call: it ends with the operation
			let best = -1;
			for (; k < list.length && calls.start[list[k]] <= ops.completed[i]; k++) {
				if (calls.end[list[k]] <= ops.completed[i] && calls.result[list[k]] === ops.result[i] && (best < 0 || calls.end[list[k]] > calls.end[best])) {
					best = list[k];
				}
			}
			return best;
		}
		const far = 8; // calls of other submitters that may be between
		for (let j = k; j < Math.min(k + far, list.length) && calls.start[list[j]] <= ops.completed[i]; j++) {
			if (calls.batch[list[j]] === ops.batch[i]) {
				return list[j];
			}
		}
		return first;
	}
}

// isSync reports whether a kind of operation makes data durable. It usually takes much longer than
// a transfer.
export const isSync = (kind) => kind === "fsync" || kind === "fdatasync";
