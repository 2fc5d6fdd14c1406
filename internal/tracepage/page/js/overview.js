// The strip with the whole trace, and a mark for the part in view.

import { fit } from "./raster.js";
import { palette } from "./palette.js";
import { ticks, tickLabel } from "./format.js";

// Overview draws the depth of the chosen operations.
export class Overview {
	constructor(view, canvas) {
		Object.assign(this, { view, canvas });
	}

	resize(gutter, plot) {
		Object.assign(this, { gutter, plot });
		this.most = null;
	}

	// set replaces the Depth.
	set(depth) {
		this.depth = depth;
		this.most = null;
	}

	draw() {
		const { canvas, gutter, plot, view } = this, height = 30;
		const scale = fit(canvas, gutter + plot, height), context = canvas.getContext("2d");
		context.setTransform(scale, 0, 0, scale, 0, 0);
		context.clearRect(0, 0, gutter + plot, height);
		this.most ??= this.depth.most(view.least, view.most, Math.max(1, Math.floor(plot)));
		const top = this.most.reduce((a, b) => Math.max(a, b), 1);
		context.fillStyle = palette.band;
		context.fillRect(gutter, 0, plot, height);
		context.fillStyle = palette.faint;
		this.most.forEach((v, x) => context.fillRect(gutter + x, height - (v / top) * (height - 3), 1, (v / top) * (height - 3)));
		this.drawWindow(context, height);
		if (gutter > 80) {
			context.fillStyle = palette.faint;
			context.font = "12px system-ui, sans-serif";
			context.textBaseline = "middle";
			context.fillText("Whole trace", 12, height / 2);
		}
	}

	drawWindow(context, height) {
		const { view, gutter, plot } = this, whole = view.most - view.least;
		const x0 = gutter + ((view.from - view.least) / whole) * plot;
		const x1 = Math.max(x0 + 3, gutter + ((view.to - view.least) / whole) * plot);
		context.globalAlpha = 0.72;
		context.fillStyle = palette.background;
		context.fillRect(gutter, 0, x0 - gutter, height);
		context.fillRect(x1, 0, gutter + plot - x1, height);
		context.globalAlpha = 1;
		context.strokeStyle = palette.text;
		context.lineWidth = 1.5;
		context.strokeRect(x0 + 0.75, 0.75, x1 - x0 - 1.5, height - 1.5);
	}
}

// drawAxis draws the times below the charts and above the lanes.
export function drawAxis(view, canvas, gutter, plot) {
	const height = 22, scale = fit(canvas, gutter + plot, height), context = canvas.getContext("2d");
	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.clearRect(0, 0, gutter + plot, height);
	context.font = "11px system-ui, sans-serif";
	context.textBaseline = "middle";
	context.fillStyle = palette.faint;
	const { at, step } = ticks(view.from, view.to, plot / 110);
	for (const t of at) {
		const x = gutter + ((t - view.from) / (view.to - view.from)) * plot, text = tickLabel(t, step, view.to);
		const half = context.measureText(text).width / 2;
		context.fillRect(x, 0, 1, 4);
		if (x - half > gutter - 8 && x + half < gutter + plot) {
			context.fillText(text, x - half, 13);
		}
	}
}
