// A histogram of the latencies of the operations in view, and their percentiles.

import { axis, plain } from "./charts.js";
import { log, logRange, logTime } from "./scatter.js";
import { palette } from "./palette.js";
import { bytes, count, duration } from "./format.js";

const perDecade = 20; // bars

export const percentiles = [["p50", 0.5], ["p90", 0.9], ["p99", 0.99], ["p99.9", 0.999]];

// rank returns the least of the sorted values that is not less than this part of them.
export function rank(sorted, part) {
	return sorted[Math.max(0, Math.ceil(part * sorted.length - 1e-9) - 1)];
}

// Histogram draws a bar for each of the equal parts of a logarithmic axis.
export class Histogram {
	constructor(parent) {
		this.range = [3, 6];
		this.sorted = new Float64Array(0);
		this.plot = new uPlot(plain({
			width: 300, height: 200, padding: [8, 26, 0, 0],
			scales: { x: { time: false, range: () => this.range }, y: { range: (u, least, most) => [0, Math.max(1, Math.log10(1 + (this.top ?? 0)) * 1.08)] } },
			axes: [
				logTime(58, { size: 26 }),
				axis({ size: 62, splits: () => this.counts().map((v) => Math.log10(1 + v)), values: () => this.counts().map(count) }),
			],
			series: [{}, {
				fill: () => palette.marks[1] + "a6", width: 0, points: { show: false },
				paths: uPlot.paths.bars({ size: [0.92], align: 1 }),
			}],
			hooks: { draw: [() => this.drawPercentiles()] },
		}), [[0], [null]], parent);
	}

	resize(width, height) {
		this.plot.setSize({ width, height });
	}

	// counts are the labels of the axis.
	counts() {
		const most = Math.max(1, this.top ?? 0) * 1.2, all = [];
		for (let v = 1; v <= most; v *= 10) {
			all.push(...(most < 20 ? [v, 2 * v, 5 * v] : [v]));
		}
		return all.filter((v) => v <= most);
	}

	// set replaces the latencies, which must be sorted.
	set(sorted) {
		this.sorted = sorted;
		const [from, to] = this.range = logRange(sorted.length ? [sorted[0], sorted[sorted.length - 1]] : []);
		const counts = new Float64Array((to - from) * perDecade);
		for (const v of sorted) {
			counts[Math.min(counts.length - 1, Math.floor((log(v) - from) * perDecade))]++;
		}
		this.top = counts.reduce((a, b) => Math.max(a, b), 0);
		const x = Array.from(counts, (_, k) => from + k / perDecade);
		this.plot.setData([x, Array.from(counts, (c) => (c > 0 ? Math.log10(1 + c) : null))]);
	}

	// drawPercentiles draws lines. Each label is lower than the one before, as the lines may
	// be near each other.
	drawPercentiles() {
		if (!this.sorted.length) {
			return;
		}
		const { ctx, bbox } = this.plot, scale = devicePixelRatio;
		ctx.save();
		ctx.font = `${11 * scale}px system-ui, sans-serif`;
		ctx.textBaseline = "top";
		ctx.textAlign = "left";
		ctx.lineWidth = scale;
		percentiles.forEach(([name, part], k) => {
			const x = Math.round(this.plot.valToPos(log(rank(this.sorted, part)), "x", true)) + 0.5;
			const y = bbox.top + k * 15 * scale, w = ctx.measureText(name).width + 6 * scale;
			const left = x + w + 2 * scale > bbox.left + bbox.width ? x - w - 2 * scale : x + 2 * scale;
			ctx.strokeStyle = palette.text;
			ctx.setLineDash([4 * scale, 3 * scale]);
			ctx.beginPath();
			ctx.moveTo(x, y);
			ctx.lineTo(x, bbox.top + bbox.height);
			ctx.stroke();
			ctx.fillStyle = palette.background;
			ctx.fillRect(left, y, w, 14 * scale);
			ctx.fillStyle = palette.text;
			ctx.fillText(name, left + 3 * scale, y + scale);
		});
		ctx.restore();
	}
}

// fillStats writes the figures of the operations in view into a list. The rate counts the
// operations that completed in view.
export function fillStats(list, { sorted, completed, transferred, failed, seconds }) {
	const rows = [["operations", count(sorted.length)], ["transferred", bytes(transferred)]];
	if (seconds > 0) {
		rows.push(["a second", count(Math.round(completed / seconds))]);
	}
	if (sorted.length) {
		percentiles.forEach(([name, part]) => rows.push([name, duration(rank(sorted, part))]));
		rows.push(["longest", duration(sorted[sorted.length - 1])]);
	}
	if (failed) {
		rows.push(["failed", count(failed)]);
	}
	list.replaceChildren(...rows.map(([name, value]) => {
		const row = document.createElement("div");
		row.append(Object.assign(document.createElement("dt"), { textContent: name }));
		row.append(Object.assign(document.createElement("dd"), { textContent: value }));
		row.dataset.name = name;
		return row;
	}));
}
