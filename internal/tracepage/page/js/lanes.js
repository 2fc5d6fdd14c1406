// Arranges the lanes and draws them.

import { Tracks } from "./tracks.js";
import { Raster, fit } from "./raster.js";
import { palette, mark } from "./palette.js";
import { isSync } from "./links.js";
import { duration } from "./format.js";
import { goroutineName } from "./details.js";

const driverLabels = { "": "system calls", uring: "io_uring", aio: "Linux AIO", pool: "threads" };

// by holds, for each way to make lanes, the lane of an operation, the names of lanes and
// their order.
const by = {
	goroutine: (trace) => {
		const { ops, labels } = trace, named = (v) => ops.labelOf[v - 1];
		return {
			of: ops.goroutine, label: (v) => goroutineName(trace, v), short: (v) => (named(v) ? labels[named(v)] : "G" + v),
			// Those with a name come first, by name.
			order: (a, b) => (named(b) > 0) - (named(a) > 0) || (named(a) ? labels[named(a)].localeCompare(labels[named(b)]) : 0) || a - b,
		};
	},
	file: ({ ops, files }) => {
		const label = (v) => files[v] || "(no name)";
		return { of: ops.file, label, short: (v) => base(label(v)), order: (a, b) => label(a).localeCompare(label(b)) };
	},
	ring: (trace) => {
		const label = (v) => queueLabel(trace, v);
		// Operations without a driver come last.
		return { of: trace.ops.queue, label, short: label, order: (a, b) => (a || Infinity) - (b || Infinity) };
	},
};

const labelFont = "12px system-ui, sans-serif";

export const ways = Object.keys(by);

// The orders of lanes.
export const orders = ["name", "p99"];

const base = (name) => name.replace(/.*[/\\](?=.)/, "");

// queueLabel returns the name of a driver and its ring, which are one number (data.js).
function queueLabel({ drivers }, v) {
	const name = drivers[v >> 8], label = driverLabels[name] ?? name;
	return v === 0 ? label : `${label}, ring ${v & 255}`;
}

// rowHeight returns the height of a row in CSS pixels: the more rows, the lower.
const rowHeight = (rows) => (rows <= 1 ? 14 : rows <= 4 ? 11 : rows <= 16 ? 7 : rows <= 64 ? 4 : 3);

// Lanes draws the chosen operations into a canvas that stays in place while its parent
// scrolls.
export class Lanes {
	constructor(trace, view, canvas, scroller, sizer) {
		Object.assign(this, { trace, view, canvas, scroller, sizer });
		this.picked = this.pickedCall = -1;
		this.mates = new Set(); // operations that are marked beside the picked one
	}

	// arrange makes new lanes. The Syncs of a lane have rows of their own below the others, which
	// they would cover: one may take as long as a thousand reads.
	arrange(way, colourBy, chosen, sorted) {
		const { trace } = this, { of, label, short, order } = by[way](trace);
		const values = new Set();
		for (const i of chosen) {
			values.add(of[i]);
		}
		const { queued, woken, latency, kind } = trace.ops, p99 = p99s(chosen, of, latency);
		const compare = sorted === "p99" ? (a, b) => p99.get(b) - p99.get(a) || order(a, b) : order;
		const found = new Map([...values].sort(compare).map((v, i) => [v, i]));
		const syncs = trace.kinds.map(isSync);
		this.ops = new Tracks({
			items: chosen, start: queued, end: woken, lanes: 2 * found.size,
			laneOf: (i) => 2 * found.get(of[i]) + (syncs[kind[i]] ? 1 : 0),
		});
		this.sorted = sorted;
		this.list = [...found.keys()].map((v, i) => this.lane(this.ops, 2 * i, 2, label(v), short(v), p99.get(v)));
		if (way === "ring") {
			this.addCalls(sorted);
		}
		this.colour(colourBy);
		this.measure();
	}

	// lane returns a lane of n lanes of the tracks, from the i-th on.
	lane(tracks, i, n, label, short, p99) {
		const row = tracks.firstRow[i], end = tracks.firstRow[i + n];
		return { tracks, label, short, row, rows: end - row, items: tracks.begin[end] - tracks.begin[row], p99 };
	}

	// addCalls adds a lane for the system calls of each ring.
	addCalls(sorted) {
		const { calls } = this.trace, all = Uint32Array.from({ length: calls.n }, (_, i) => i);
		const p99 = p99s(all, calls.queue, Float64Array.from(all, (i) => calls.end[i] - calls.start[i]));
		const found = [...p99.keys()].sort((a, b) => (sorted === "p99" ? p99.get(b) - p99.get(a) : 0) || a - b);
		this.calls = new Tracks({
			items: all, start: calls.start, end: calls.end,
			laneOf: (i) => found.indexOf(calls.queue[i]), lanes: found.length,
		});
		this.calls.colour(() => 0, (i) => calls.result[i] < 0);
		found.forEach((v, i) => {
			const name = v === 0 ? "the scheduler" : queueLabel(this.trace, v);
			this.list.push(this.lane(this.calls, i, 1, `system calls of ${name}`, v === 0 ? "scheduler’s calls" : `${name} calls`, p99.get(v)));
		});
	}

	colour(colourBy) {
		const { ops } = this.trace, values = ops[colourBy];
		this.colourBy = colourBy;
		this.ops.colour((i) => mark(colourBy, values[i]), (i) => ops.result[i] < 0);
	}

	// measure computes the position of each lane, in CSS pixels from the top of the first.
	measure() {
		this.inside = this.narrow && !this.fitBeside();
		const above = this.inside ? 17 : 3;
		let y = 0;
		for (const lane of this.list) {
			lane.y = y;
			lane.top = y + above;
			lane.rowHeight = rowHeight(lane.rows);
			y += above + Math.max(lane.rows * lane.rowHeight, this.inside ? 0 : 16) + 4;
		}
		this.height = y;
		this.sizer.style.height = Math.max(y, this.scroller.clientHeight) + "px";
	}

	// resize sets the widths of the labels and the plot. On a narrow screen labels are inside
	// their lanes, if there is no room beside them.
	resize(gutter, plot, narrow) {
		Object.assign(this, { gutter, plot, narrow });
		this.measure();
	}

	fitBeside() {
		const context = this.canvas.getContext("2d");
		context.font = labelFont;
		return this.list.every((lane) => context.measureText(lane.short).width <= this.gutter - 16);
	}

	draw() {
		const { canvas, scroller, view } = this, height = scroller.clientHeight;
		const scale = this.scale = fit(canvas, this.gutter + this.plot, height);
		const left = Math.round(this.gutter * scale), w = canvas.width - left;
		if (!this.raster || this.raster.w !== w || this.raster.h !== canvas.height) {
			this.raster = new Raster(w, canvas.height);
		}
		this.raster.learn();
		this.raster.clear();
		this.perNano = w / (view.to - view.from);
		const visible = this.visible(scroller.scrollTop, height);
		for (const [i, lane] of visible) {
			this.drawLane(lane, i, (lane.y - scroller.scrollTop) * scale);
		}
		const context = canvas.getContext("2d");
		context.fillStyle = palette.background;
		context.fillRect(0, 0, left, canvas.height);
		this.raster.show(context, left, 0);
		this.drawLabels(context, visible, left);
		if (this.list.length === 0) {
			this.drawNothing(context);
		}
	}

	drawNothing(context) {
		context.save();
		context.scale(this.scale, this.scale);
		context.font = "13px system-ui, sans-serif";
		context.fillStyle = palette.faint;
		context.fillText(this.trace.ops.n === 0 ? "There are no operations in this trace." : "No operation passes the filters.", this.gutter + 12, 30);
		context.restore();
	}

	visible(top, height) {
		const all = [];
		let i = 0, j = this.list.length;
		while (i < j) {
			const middle = (i + j) >> 1;
			if (this.list[middle].y > top) {
				j = middle;
			} else {
				i = middle + 1;
			}
		}
		for (i = Math.max(0, i - 1); i < this.list.length && this.list[i].y < top + height; i++) {
			all.push([i, this.list[i]]);
		}
		return all;
	}

	drawLane(lane, i, y) {
		const { raster, scale } = this;
		const bottom = i + 1 < this.list.length ? this.list[i + 1].y : this.height;
		const y0 = Math.round(y), y1 = Math.round(y + (bottom - lane.y) * scale);
		if (i % 2) {
			raster.fill(0, y0, raster.w, y1, raster.band);
		}
		raster.fill(0, y1 - 1, raster.w, y1, raster.line);
		const top = y + (lane.top - lane.y) * scale, step = lane.rowHeight * scale;
		const least = Math.max(0, Math.floor(-top / step) - 1), most = Math.min(lane.rows, Math.ceil((raster.h - top) / step));
		const space = step >= 5 ? Math.max(1, Math.round(scale)) : 0;
		for (let row = least; row < most; row++) {
			this.drawRow(lane.tracks, lane.row + row, Math.round(top + row * step), Math.round(top + (row + 1) * step) - space);
		}
	}

	// drawRow draws wide operations one by one, and narrow ones as columns of a pixel. Its
	// time depends on the number of pixels, not of operations.
	drawRow(tracks, row, y0, y1) {
		const { view, perNano } = this;
		let [i, j] = tracks.between(row, view.from, view.to);
		while (i < j) {
			const x0 = (tracks.start[i] - view.from) * perNano, x1 = (tracks.end[i] - view.from) * perNano;
			if (x1 - x0 >= 2) {
				this.drawOne(tracks, i, x0, x1, y0, y1);
				i++;
				continue;
			}
			const column = Math.floor(Math.max(0, x0));
			let next = Math.max(i + 1, tracks.after(i, j, view.from + (column + 1) / perNano));
			if (next > i + 1 && (tracks.end[next - 1] - tracks.start[next - 1]) * perNano >= 2) {
				next--;
			}
			this.drawColumn(tracks, i, next, column, y0, y1);
			i = next;
		}
	}

	drawColumn(tracks, i, j, x, y0, y1) {
		const { mark: m, busy } = tracks.sum(i, j);
		const share = Math.min(1, busy * this.perNano), height = y1 - y0;
		this.raster.column(x, y0, y1 - Math.max(Math.min(2, height), Math.round(share * height)), y1, m);
		if (tracks.failed[j] > tracks.failed[i]) {
			this.drawFailed(x, x + 1, y1);
		}
	}

	// drawOne draws an operation: the wait and the waking as lines, the time in
	// the kernel as a bar.
	drawOne(tracks, i, x0, x1, y0, y1) {
		const { raster, perNano } = this, m = tracks.mark[i], item = tracks.item[i];
		const whole = [Math.floor(Math.max(x0, -1)), Math.ceil(Math.min(x1, raster.w + 1))];
		if (tracks !== this.ops) {
			raster.bar(whole[0], y0, whole[1], y1, m);
			if (item === this.pickedCall) {
				raster.frame(whole[0] - 3, y0 - 2, whole[1] + 3, y1 + 2, raster.chosen);
			}
			return;
		}
		const { submitted, completed, path, result } = this.trace.ops, at = (t) => (t - this.view.from) * perNano;
		const bar0 = Math.round(Math.max(at(submitted[item]), -1)), bar1 = Math.max(bar0 + 1, Math.round(Math.min(at(completed[item]), raster.w + 1)));
		const thin = Math.max(1, Math.round((y1 - y0) / 6)), middle = (y0 + y1 - thin) >> 1;
		raster.fill(whole[0], middle, whole[1], middle + thin, raster.full[m]);
		const low = this.trace.paths[path[item]] === "cached" ? Math.round((y1 - y0) / 3) : 0;
		raster.bar(bar0, y0 + low, bar1, y1, m);
		if (result[item] < 0) {
			this.drawFailed(whole[0], whole[1], y1);
		}
		if (this.mates.has(item) && item !== this.picked) {
			raster.fill(whole[0] - 1, y0 - 1, whole[1] + 1, y0 + Math.ceil(this.scale), raster.chosen);
			raster.fill(whole[0] - 1, y1 - Math.ceil(this.scale), whole[1] + 1, y1 + 1, raster.chosen);
		}
		if (item === this.picked) {
			raster.frame(whole[0] - 3, y0 - 2, whole[1] + 3, y1 + 2, raster.chosen);
		}
	}

	// drawFailed underlines failed operations, with a mark below that is visible at any width.
	drawFailed(x0, x1, y1) {
		const { raster } = this, s = Math.max(1, Math.round(this.scale));
		raster.fill(x0, y1 - 2 * s, x1, y1, raster.failed);
		raster.fill(x0 - s, y1 - s, x0 + 2 * s, y1 + s, raster.failed);
	}

	drawLabels(context, visible, left) {
		const { scale, scroller, inside } = this;
		context.save();
		context.scale(scale, scale);
		context.font = labelFont;
		context.textBaseline = "middle";
		for (const [i, lane] of visible) {
			const y = lane.y - scroller.scrollTop;
			if (inside) {
				context.fillStyle = palette.faint;
				context.fillText(shorten(context, lane.short, this.gutter + this.plot - 24), 12, y + 9);
				continue;
			}
			const bottom = (i + 1 < this.list.length ? this.list[i + 1].y : this.height) - scroller.scrollTop;
			context.fillStyle = i % 2 ? palette.band : palette.background;
			context.fillRect(0, y, left / scale, bottom - y);
			context.fillStyle = palette.line;
			context.fillRect(0, bottom - 1 / scale, left / scale, 1 / scale);
			context.fillStyle = palette.text;
			// The middle of the visible part of the lane.
			const seen = [Math.max(y, 0), Math.min(bottom, scroller.clientHeight)];
			const middle = Math.max(y + 11, Math.min((seen[0] + seen[1]) / 2, bottom - 11));
			let room = this.gutter - 20;
			if (this.sorted === "p99") {
				const text = duration(lane.p99), width = context.measureText(text).width;
				context.fillStyle = palette.faint;
				context.fillText(text, this.gutter - 8 - width, middle);
				context.fillStyle = palette.text;
				room -= width + 6;
			}
			context.fillText(shorten(context, lane.short, room), 12, middle);
		}
		context.restore();
	}

	// find returns the operation or call at a point of the canvas, in CSS pixels: its index, and
	// whether it is a call.
	find(x, y) {
		const at = y + this.scroller.scrollTop, [hit] = this.visible(at, 1), lane = hit?.[1];
		if (!lane) {
			return null;
		}
		if (x < this.gutter) {
			return { lane };
		}
		const row = Math.floor((at - lane.top) / lane.rowHeight);
		if (row < 0 || row >= lane.rows) {
			return { lane };
		}
		const { tracks } = lane, { view } = this, perPixel = (view.to - view.from) / this.plot;
		const t = view.from + (x - this.gutter) * perPixel, reach = 4 * perPixel;
		const [i, j] = tracks.between(lane.row + row, t - reach, t + reach);
		let best = -1, nearest = Infinity;
		for (let k = i; k < Math.min(j, i + 1000); k++) {
			const away = Math.max(tracks.start[k] - t, t - tracks.end[k], 0);
			if (away < nearest) {
				nearest = away;
				best = k;
			}
		}
		return best < 0 ? { lane } : { lane, item: tracks.item[best], isCall: tracks !== this.ops };
	}

	// reveal scrolls to the lane of an operation or a system call, and returns its position on the
	// canvas, in CSS pixels.
	reveal({ item, isCall }) {
		const { ops, calls } = this.trace, tracks = isCall ? this.calls : this.ops;
		const [start, end] = isCall ? [calls.start[item], calls.end[item]] : [ops.queued[item], ops.woken[item]];
		for (const lane of this.list) {
			if (lane.tracks !== tracks) {
				continue;
			}
			for (let row = 0; row < lane.rows; row++) {
				const [i, j] = tracks.between(lane.row + row, start - 1, end + 1);
				if (tracks.item.subarray(i, j).includes(item)) {
					return this.scrollTo(lane.top + row * lane.rowHeight, lane.rowHeight);
				}
			}
		}
		return 0;
	}

	scrollTo(y, height) {
		const { scroller } = this;
		if (y < scroller.scrollTop || y + height > scroller.scrollTop + scroller.clientHeight) {
			scroller.scrollTop = y - scroller.clientHeight / 2;
		}
		return y + height - scroller.scrollTop;
	}
}

// p99s returns the 99th percentile of the times of the items with each value.
function p99s(items, values, times) {
	const all = new Map();
	for (const i of items) {
		all.get(values[i])?.push(times[i]) ?? all.set(values[i], [times[i]]);
	}
	return new Map([...all].map(([v, list]) => {
		const sorted = Float64Array.from(list).sort();
		return [v, sorted[Math.ceil(0.99 * sorted.length - 1e-9) - 1]];
	}));
}

// shorten cuts the beginning of text until it fits width. The end of a file's name is the
// most useful part.
export function shorten(context, text, width) {
	if (context.measureText(text).width <= width) {
		return text;
	}
	let i = 0, j = text.length;
	while (i < j) {
		const middle = (i + j) >> 1;
		if (context.measureText("…" + text.slice(middle)).width <= width) {
			j = middle;
		} else {
			i = middle + 1;
		}
	}
	return "…" + text.slice(i);
}
