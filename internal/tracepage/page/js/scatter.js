// A dot for each operation in view: its start and its latency.

import { axis, plain } from "./charts.js";
import { palette, mark } from "./palette.js";
import { Raster } from "./raster.js";
import { powerLabel, ticks, tickLabel } from "./format.js";

// logTime returns a logarithmic axis of times. Labels are at least so many CSS pixels apart.
export function logTime(apart, more) {
	return axis({
		splits: (u, i, least, most) => powers(least, most, (i === 0 ? u.over.clientWidth : u.over.clientHeight) / apart),
		values: (u, all) => all.map((v) => powerLabel(10 ** v)), ...more,
	});
}

// powers returns the logarithms of round numbers, as many as fit: 1, 2 and 5 times each power
// of ten, or each power, or each second power, and so on.
function powers(least, most, room) {
	const all = [];
	if ((most - least) * 3 <= room) {
		for (let p = least; p < most; p++) {
			all.push(p, p + Math.log10(2), p + Math.log10(5));
		}
		return [...all, most];
	}
	const step = Math.max(1, Math.ceil((most - least) / Math.max(1, room)));
	for (let p = least; p <= most; p += step) {
		all.push(p);
	}
	return all;
}

export const log = (ns) => Math.log10(Math.max(1, ns));

// logRange returns the powers of ten around the values.
export function logRange(values) {
	let least = Infinity, most = -Infinity;
	for (const v of values) {
		least = Math.min(least, v);
		most = Math.max(most, v);
	}
	if (least > most) {
		return [3, 6];
	}
	const from = Math.floor(log(least));
	return [from, Math.max(from + 1, Math.ceil(log(most) + 1e-9))];
}

// few is the largest number of operations that are drawn as shapes. More are drawn as dots,
// many more as dots of a pixel.
const few = 3000, many = 30_000;

// shapes distinguish marks without colours. Each reports whether the pixel at x, y from the
// middle belongs to a shape of radius r.
const shapes = [
	(x, y, r) => Math.abs(x) + Math.abs(y) <= r && Math.abs(x) + Math.abs(y) > r - 2, // hollow diamond
	(x, y, r) => x * x + y * y <= r * r, // disc
	(x, y, r) => y >= -r && Math.abs(x) <= (y + r) / 2, // triangle
	(x, y, r) => Math.max(Math.abs(x), Math.abs(y)) <= r - 1 && Math.max(Math.abs(x), Math.abs(y)) > r - 3, // hollow square
	(x, y, r) => Math.abs(Math.abs(x) - Math.abs(y)) < 1.5, // cross
	(x, y, r) => Math.min(Math.abs(x), Math.abs(y)) < 1, // plus
];

// Scatter draws latencies over time.
export class Scatter {
	constructor(trace, view, parent) {
		Object.assign(this, { trace, view });
		this.items = [];
		this.range = [3, 6];
		this.plot = new uPlot(plain({
			width: 300, height: 200, padding: [8, 26, 0, 0],
			scales: { x: { time: false, range: () => [view.from, view.to] }, y: { range: () => this.range } },
			axes: [
				axis({
					size: 26, splits: (u) => ticks(view.from, view.to, u.over.clientWidth / 110).at,
					values: (u, all) => all.map((t) => tickLabel(t, ticks(view.from, view.to, u.over.clientWidth / 110).step, view.to)),
				}),
				logTime(18, { size: 62 }),
			],
			series: [{}, { paths: () => null, points: { show: false } }],
			hooks: { drawAxes: [() => this.drawPoints()] },
		}), [[0], [0]], parent);
	}

	resize(width, height) {
		this.plot.setSize({ width, height });
	}

	// set replaces the operations in view and their latencies.
	set(items, times, colourBy) {
		Object.assign(this, { items, times, colourBy, range: logRange(times) });
		this.plot.setData([[0], [0]]);
	}

	place(k) {
		const { left, top, width, height } = this.plot.bbox, { view, range } = this;
		const x = left + ((this.trace.ops.queued[this.items[k]] - view.from) / (view.to - view.from)) * width;
		return [x, top + (1 - (log(this.times[k]) - range[0]) / (range[1] - range[0])) * height];
	}

	drawPoints() {
		const { bbox, ctx } = this.plot, { items, trace, colourBy } = this;
		const left = Math.round(bbox.left), top = Math.round(bbox.top), w = Math.round(bbox.width), h = Math.round(bbox.height);
		if (items.length === 0 || w < 2 || h < 2) {
			return;
		}
		const raster = new Raster(w, h); // empty, so that the grid shows through
		const r = Math.round(3.5 * devicePixelRatio), dot = Math.round((items.length > many ? 1 : 2) * devicePixelRatio), ops = trace.ops;
		for (let k = 0; k < items.length; k++) {
			const [x, y] = this.place(k), i = items[k];
			const colour = ops.result[i] < 0 ? raster.failed : raster.full[mark(colourBy, ops[colourBy][i])];
			const px = Math.round(x) - left, py = Math.round(y) - top;
			if (items.length > few) {
				raster.fill(px, py, px + dot, py + dot, colour);
			} else {
				stamp(raster, px, py, r, shapes[mark(colourBy, ops[colourBy][i])], colour);
			}
		}
		const layer = Object.assign(document.createElement("canvas"), { width: w, height: h });
		raster.show(layer.getContext("2d"), 0, 0);
		ctx.drawImage(layer, left, top);
	}

	// find returns the operation at a point of the chart, in CSS pixels.
	find(x, y) {
		const scale = devicePixelRatio;
		let best = -1, nearest = (10 * scale) ** 2;
		for (let k = 0; k < this.items.length; k++) {
			const at = this.place(k), away = (at[0] - x * scale) ** 2 + (at[1] - y * scale) ** 2;
			if (away < nearest) {
				nearest = away;
				best = this.items[k];
			}
		}
		return best;
	}
}

// stamp paints a shape.
function stamp(raster, x, y, r, shape, colour) {
	for (let dy = -r; dy <= r; dy++) {
		for (let dx = -r; dx <= r; dx++) {
			if (shape(dx, dy, r)) {
				raster.fill(x + dx, y + dy, x + dx + 1, y + dy + 1, colour);
			}
		}
	}
}
