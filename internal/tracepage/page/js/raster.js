// Draws bars into memory: tens of thousands a frame, with patterns, and at the same speed
// with and without a graphics card.

import { palette, patterns, rgb, tile } from "./palette.js";

const solid = 1; // the mark without a pattern

const little = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

// pixel returns a colour as a canvas stores it.
function pixel([r, g, b]) {
	return little ? ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0 : ((r << 24) | (g << 16) | (b << 8) | 255) >>> 0;
}

const mix = (a, b, part) => a.map((v, i) => Math.round(v + (b[i] - v) * part));

// Raster is a picture of w by h pixels.
export class Raster {
	constructor(w, h) {
		this.w = w;
		this.h = h;
		this.image = new ImageData(Math.max(1, w), Math.max(1, h));
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.learn();
	}

	// learn copies the colours of the palette.
	learn() {
		const background = rgb(palette.background);
		const shades = (part) => palette.marks.map((m) => pixel(mix(background, rgb(m), part)));
		this.full = shades(1);
		this.gap = shades(0.45); // the gaps of a pattern
		this.tint = shades(0.22); // behind a column that is not always busy
		this.background = pixel(background);
		this.band = pixel(rgb(palette.band));
		this.line = pixel(rgb(palette.line));
		this.failed = pixel(rgb(palette.failed));
		this.chosen = pixel(rgb(palette.chosen));
	}

	clear() {
		this.pixels.fill(this.background);
	}

	// fill paints the part of a rectangle that is inside the picture.
	fill(x0, y0, x1, y1, colour) {
		x0 = Math.max(0, x0);
		x1 = Math.min(this.w, x1);
		y0 = Math.max(0, y0);
		y1 = Math.min(this.h, y1);
		if (x0 >= x1) {
			return;
		}
		for (let y = y0; y < y1; y++) {
			this.pixels.fill(colour, y * this.w + x0, y * this.w + x1);
		}
	}

	// bar paints a rectangle in a mark's colour and pattern.
	bar(x0, y0, x1, y1, mark) {
		x0 = Math.max(0, x0);
		x1 = Math.min(this.w, x1);
		if (mark === solid) {
			this.fill(x0, y0, x1, y1, this.full[mark]);
			return;
		}
		const { w, pixels } = this, gaps = patterns[mark], full = this.full[mark], gap = this.gap[mark];
		for (let y = Math.max(0, y0); y < Math.min(this.h, y1); y++) {
			const line = (y % tile) * tile;
			for (let x = x0; x < x1; x++) {
				pixels[y * w + x] = gaps[line + (x % tile)] ? gap : full;
			}
		}
	}

	// column paints a bar one pixel wide from y1 up to top, and a tint above it up
	// to y0.
	column(x, y0, top, y1, mark) {
		const { w, h, pixels } = this, gaps = patterns[mark], full = this.full[mark], gap = this.gap[mark], tint = this.tint[mark];
		if (x < 0 || x >= w) {
			return;
		}
		y1 = Math.min(h, y1);
		for (let y = Math.max(0, y0), at = y * w + x; y < y1; y++, at += w) {
			pixels[at] = y < top ? tint : gaps[(y % tile) * tile + (x % tile)] ? gap : full;
		}
	}

	// frame paints the edge of a rectangle.
	frame(x0, y0, x1, y1, colour) {
		this.fill(x0, y0, x1, y0 + 2, colour);
		this.fill(x0, y1 - 2, x1, y1, colour);
		this.fill(x0, y0, x0 + 2, y1, colour);
		this.fill(x1 - 2, y0, x1, y1, colour);
	}

	// show puts the picture on a canvas.
	show(context, x, y) {
		context.putImageData(this.image, x, y);
	}
}

// swatch paints a mark into a small canvas.
export function swatch(canvas, mark) {
	const r = new Raster(canvas.width, canvas.height);
	r.bar(0, 0, r.w, r.h, mark);
	r.show(canvas.getContext("2d"), 0, 0);
}

// fit sizes a canvas in pixels of the screen, and returns how many of them a CSS pixel has.
export function fit(canvas, width, height) {
	const scale = window.devicePixelRatio || 1;
	const w = Math.max(1, Math.round(width * scale)), h = Math.max(1, Math.round(height * scale));
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	return scale;
}
