// The charts over time above the lanes.

import { palette } from "./palette.js";
import { bytes, count, ticks, roundUp } from "./format.js";
import { Rates } from "./series.js";

const font = "11px system-ui, sans-serif";

// axis is the options that all axes share.
export function axis(more) {
	return {
		font, stroke: () => palette.faint, grid: { stroke: () => palette.line, width: 1 }, ticks: { show: false }, gap: 6, ...more,
	};
}

// plain is the options that all charts share. uPlot's legend and cursor are off: lanes and
// charts share a cursor of their own.
export function plain(more) {
	return { legend: { show: false }, cursor: { show: false }, ...more };
}

const stepped = uPlot.paths.stepped({ align: 1 });

function series(mark, more) {
	return {
		stroke: () => palette.marks[mark], fill: () => palette.marks[mark] + "26", width: 1.5, paths: stepped,
		points: { show: false }, ...more,
	};
}

// TimeCharts are the charts of depth and throughput over the time in view.
export class TimeCharts {
	constructor(trace, view, depthParent, rateParent) {
		Object.assign(this, { trace, view });
		this.isWrite = trace.kinds.map((name) => name === "write");
		const dashed = { dash: [5, 3], fill: undefined };
		this.depth = this.chart(depthParent, [series(1), series(2, dashed)], wholeNumbers, (v) => count(v));
		this.rate = this.chart(rateParent, [series(1), series(2, { ...dashed, fill: () => palette.marks[2] + "1a" })], powersOfTwo, (v) => (v === 0 ? "0" : bytes(v) + "/s"));
	}

	chart(parent, lines, splits, label) {
		const { view } = this;
		return new uPlot(plain({
			width: 300, height: 84, padding: [8, 0, 4, 0],
			scales: {
				x: { time: false, range: () => [view.from, view.to] },
				y: { range: (u, least, most) => [0, most > 0 ? most * 1.12 : 1] },
			},
			axes: [
				axis({ size: 0, values: () => [], splits: () => ticks(view.from, view.to, this.plot / 110).at }),
				axis({ size: () => this.gutter ?? 60, splits, values: (u, all) => all.map(label) }),
			],
			series: [{}, ...lines],
		}), [[0], ...lines.map(() => [0])], parent);
	}

	resize(gutter, plot, height) {
		Object.assign(this, { gutter, plot });
		this.depth.setSize({ width: gutter + plot, height });
		this.rate.setSize({ width: gutter + plot, height });
	}

	// set replaces the operations and their depths.
	set(chosen, depths) {
		const { trace, view } = this;
		this.depths = depths;
		this.sums = new Rates(trace.ops, chosen, this.isWrite, view.least, view.most);
	}

	draw() {
		const { view, plot } = this, n = Math.max(2, Math.floor(plot / 2)), width = (view.to - view.from) / n;
		const x = Float64Array.from({ length: n + 1 }, (_, i) => view.from + i * width);
		const line = (depth) => closed(depth.most(view.from, view.to, n));
		this.depth.setData([x, line(this.depths.progress), line(this.depths.kernel)]);
		const part = this.part = roundUp((view.to - view.from) / (plot / 4));
		this.rates = this.sums.in(view.from, view.to, part);
		this.rate.setData([this.rates.at, this.rates.read, this.rates.write]);
	}

	// at returns the charts' values at a time, as text.
	at(t) {
		const { progress, kernel } = this.depths, k = Math.floor(t / this.part) - Math.round(this.rates.at[0] / this.part);
		const rate = (line) => bytes(Math.round(line[k] ?? 0)) + "/s";
		return {
			depth: `${count(progress.at(t))}, ${count(kernel.at(t))} in the kernel`,
			rate: `${rate(this.rates.read)}, ${rate(this.rates.write)} written`,
		};
	}

	redraw() {
		this.depth.redraw(false);
		this.rate.redraw(false);
	}
}

// closed repeats the last value, so that the last step has a width.
function closed(values) {
	const all = new Float64Array(values.length + 1);
	all.set(values);
	all[values.length] = values[values.length - 1];
	return all;
}

// wholeNumbers splits an axis at whole numbers.
function wholeNumbers(u, i, least, most) {
	const step = Math.max(1, roundUp(most / 4));
	return multiples(step, most);
}

// powersOfTwo splits an axis of bytes at multiples of powers of two.
function powersOfTwo(u, i, least, most) {
	return most <= 1 ? [0] : multiples(2 ** Math.ceil(Math.log2(Math.max(most, 4) / 4)), most);
}

function multiples(step, most) {
	return Array.from({ length: Math.floor(most / step) + 1 }, (_, k) => k * step);
}
