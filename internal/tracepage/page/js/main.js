// The page: puts the parts together, and draws when something has changed.

import { load } from "./data.js";
import { View } from "./view.js";
import { $, Filters } from "./filters.js";
import { Lanes, orders, ways } from "./lanes.js";
import { Links } from "./links.js";
import { read, write } from "./state.js";
import { Overview, drawAxis } from "./overview.js";
import { TimeCharts } from "./charts.js";
import { Scatter } from "./scatter.js";
import { Histogram, fillStats } from "./histogram.js";
import { depths } from "./series.js";
import { Details } from "./details.js";
import { Pointer } from "./pointer.js";
import { listen } from "./keyboard.js";
import { setDark, palette } from "./palette.js";
import { swatch } from "./raster.js";
import { count, duration, tickLabel, ticks } from "./format.js";

const measures = { latency: "total", inQueue: "in the queue", inDevice: "in the kernel", waking: "waking up" };
const narrow = matchMedia("(max-width: 760px)"), systemDark = matchMedia("(prefers-color-scheme: dark)");

class Page {
	constructor(trace) {
		this.trace = trace;
		this.view = new View(trace.first, trace.last);
		this.way = trace.ops.n ? bestWay(trace) : ways[0];
		this.firstWay = this.way;
		this.order = orders[0];
		this.colourBy = "kind";
		this.pickedCall = null;
		this.theme = "auto";
		this.picked = null;
		this.version = 0; // grows with each change of the picture
		fillAbout(trace);
		this.applyTheme();
		this.filters = new Filters(trace, () => this.rearrange());
		this.showSwatches();
		this.lanes = new Lanes(trace, this.view, $("lanes"), $("scroller"), $("sizer"));
		this.overview = new Overview(this.view, $("overview"));
		this.charts = new TimeCharts(trace, this.view, $("depth"), $("rate"));
		this.scatter = new Scatter(trace, this.view, $("scatter"));
		this.histogram = new Histogram($("histogram"));
		this.links = new Links(trace);
		this.details = new Details(trace, $("details"), this.links, (hit) => this.go(hit));
		this.controls();
		this.point();
		listen(this.actions());
		this.rearrange();
		this.resize();
		addEventListener("hashchange", () => this.restore());
		this.view.watch(() => this.dirty());
		const resized = new ResizeObserver(() => this.resize());
		["plots", "scroller", "analysis"].forEach((id) => resized.observe($(id)));
	}

	// rearrange makes the lanes of the operations that are chosen now.
	rearrange() {
		const { chosen } = this.filters;
		if (this.picked !== null && !chosen.includes(this.picked) || this.pickedCall !== null && this.way !== "ring") {
			this.keep(null);
		}
		this.lanes.arrange(this.way, this.colourBy, chosen, this.order);
		const d = depths(this.trace.ops, chosen);
		this.overview.set(d.progress);
		this.charts.set(chosen, d);
		this.dirty();
	}

	resize() {
		const gutter = this.gutter = narrow.matches ? 64 : 172;
		$("filters").open ||= !narrow.matches;
		const width = this.plotWidth = Math.max(50, $("scroller").clientWidth - gutter);
		this.lanes.resize(gutter, width, narrow.matches);
		this.overview.resize(gutter, width);
		this.charts.resize(gutter, width, narrow.matches ? 72 : 84);
		const height = narrow.matches ? 200 : 190;
		this.scatter.resize($("scatter").clientWidth, height);
		this.histogram.resize($("histogram").clientWidth, height);
		this.dirty();
	}

	// dirty requests a frame. Slow computations wait until the view does not move.
	dirty() {
		document.body.dataset.version = ++this.version;
		this.frame ??= requestAnimationFrame(() => {
			this.frame = null;
			this.draw();
		});
		clearTimeout(this.rest);
		this.rest = setTimeout(() => this.analyse(), 120);
	}

	draw() {
		const { view } = this, began = performance.now();
		this.overview.draw();
		this.charts.draw();
		drawAxis(view, $("axis"), this.gutter, this.plotWidth);
		this.lanes.draw();
		this.showRange();
		this.pointAgain();
		const took = (performance.now() - began).toFixed(2);
		Object.assign(document.body.dataset, { from: view.from, to: view.to, lanes: this.lanes.list.length, took });
	}

	// showRange shows the time span in view, without the margins.
	showRange() {
		if (this.trace.ops.n === 0) {
			return;
		}
		const from = Math.max(this.view.from, this.trace.first), to = Math.min(this.view.to, this.trace.last);
		const { step } = ticks(from, Math.max(to, from + 1), 1000);
		$("range").textContent = `${tickLabel(from, step, to)} to ${tickLabel(to, step, to)}: ${duration(to - from)}`;
	}

	// analyse shows the latencies of what is in view.
	analyse() {
		const { view, trace: { ops } } = this, times = ops[$("measure").value];
		const items = this.filters.chosen.filter((i) => ops.queued[i] < view.to && ops.woken[i] >= view.from);
		const sorted = Float64Array.from(items, (i) => times[i]);
		this.scatter.set(items, sorted.slice(), this.colourBy);
		this.histogram.set(sorted.sort());
		this.overScatter?.();
		let completed = 0, transferred = 0, failed = 0; // only of operations that completed in view
		for (const i of items) {
			failed += ops.result[i] < 0 ? 1 : 0;
			if (ops.completed[i] >= view.from && ops.completed[i] < view.to) {
				completed++;
				transferred += Math.max(0, ops.result[i]);
			}
		}
		const seconds = (Math.min(view.to, this.trace.last) - Math.max(view.from, this.trace.first)) / 1e9;
		fillStats($("stats"), { sorted, completed, transferred, failed, seconds });
		this.save();
		document.body.dataset.inView = items.length;
		document.body.dataset.analysed = this.version;
	}

	// state returns what the page shows, for its URL.
	state() {
		const { view, picked, pickedCall } = this;
		return {
			...this.filters.state(), from: view.from, to: view.to, all: view.from <= view.least && view.to >= view.most,
			lanes: this.way === this.firstWay ? "" : this.way, order: this.order === orders[0] ? "" : this.order,
			colour: this.colourBy === "kind" ? "" : this.colourBy, op: picked, call: pickedCall,
		};
	}

	// save puts the state into the URL. The browser's history has an entry for each link that was
	// followed.
	save(followed) {
		const url = location.pathname + location.search + write(this.state());
		if (followed) {
			history.pushState(null, "", url);
		} else if (location.hash !== write(this.state())) {
			history.replaceState(null, "", url);
		}
	}

	// restore shows the state that the URL has.
	restore() {
		const s = read(location.hash), { view, trace } = this;
		const set = (name, list, value, first) => {
			const v = list.includes(value) ? value : first;
			document.querySelectorAll(`input[name=${name}]`).forEach((button) => { button.checked = button.value === v; });
			return v;
		};
		this.way = set("lanesBy", ways, s.call === undefined ? s.lanes : "ring", this.firstWay);
		this.order = set("order", orders, s.order, orders[0]);
		this.colourBy = set("colourBy", ["operation", "path"], s.colour === "path" ? "path" : "operation") === "path" ? "path" : "kind";
		this.filters.restore(s);
		this.keep(null);
		this.rearrange();
		this.showSwatches();
		s.from === undefined ? view.all() : view.show(s.from, s.to);
		if (s.call < trace.calls.n) {
			this.choose({ item: s.call, isCall: true });
		} else if (this.filters.chosen.includes(s.op)) {
			this.choose({ item: s.op });
		}
	}

	controls() {
		segments("order", orders, this.order, (order) => {
			this.order = order;
			$("scroller").scrollTop = 0;
			this.rearrange();
		});
		segments("lanesBy", ways, this.way, (way) => {
			this.way = way;
			$("scroller").scrollTop = 0;
			this.rearrange();
		});
		segments("colourBy", ["operation", "path"], "operation", (what) => {
			this.colourBy = what === "path" ? "path" : "kind";
			this.lanes.colour(this.colourBy);
			this.showSwatches();
			this.dirty();
		});
		$("measure").append(...Object.entries(measures).map(([value, text]) => new Option(text, value)));
		$("measure").addEventListener("change", () => this.analyse());
		const click = (id, f) => $(id).addEventListener("click", f);
		click("zoomIn", () => this.view.zoom(0.5));
		click("zoomOut", () => this.view.zoom(2));
		click("zoomAll", () => this.view.all());
		click("help", () => showDialog("helpText"));
		click("about", () => showDialog("aboutText"));
		click("theme", () => this.nextTheme());
		systemDark.addEventListener("change", () => this.applyTheme());
		$("scroller").addEventListener("scroll", () => this.dirty());
	}

	actions() {
		const { view } = this;
		return {
			move: (part) => view.move((view.to - view.from) * part),
			scroll: (by) => $("scroller").scrollBy(0, by),
			zoom: (factor) => view.zoom(factor),
			all: () => view.all(),
			step: (by) => this.step(by),
			zoomToPicked: () => this.zoomToPicked(),
			search: () => {
				$("filters").open = true;
				$("search").focus();
				$("search").select();
			},
			help: () => showDialog("helpText"),
			theme: () => this.nextTheme(),
			lanes: (i) => document.querySelectorAll("#lanesBy input")[i].click(),
			sort: () => document.querySelector("#order input:not(:checked)").click(),
			letGo: () => {
				document.activeElement?.blur();
				this.pick(null);
				this.details.hide(true);
			},
		};
	}

	point() {
		const place = this.place = {
			timeAt: (x) => this.view.from + ((x - $("plots").getBoundingClientRect().left - this.gutter) / this.plotWidth) * (this.view.to - this.view.from),
			width: () => this.plotWidth,
		};
		const pointer = new Pointer(this.view, place, {
			hover: (e) => this.hover(e),
			click: (e) => this.click(e),
			leave: () => this.leave(),
			band: (a, b) => this.showBand(a, b),
		});
		pointer.attach($("lanes"), $("scroller"));
		[this.charts.depth.over, this.charts.rate.over, $("axis")].forEach((e) => pointer.attach(e));
		const jump = (e) => {
			const whole = this.view.most - this.view.least, span = this.view.to - this.view.from;
			const at = this.view.least + ((e.clientX - $("overview").getBoundingClientRect().left - this.gutter) / this.plotWidth) * whole;
			this.view.show(at - span / 2, at + span / 2);
		};
		$("overview").addEventListener("pointerdown", (e) => {
			$("overview").setPointerCapture(e.pointerId);
			jump(e);
		});
		$("overview").addEventListener("pointermove", (e) => e.buttons && jump(e));
		this.pointAtScatter();
	}

	pointAtScatter() {
		const { over } = this.scatter.plot, hit = (e) => {
			const box = over.getBoundingClientRect(), { left, top } = this.scatter.plot.bbox;
			const item = this.scatter.find(e.clientX - box.left + left / devicePixelRatio, e.clientY - box.top + top / devicePixelRatio);
			return item < 0 ? null : { item };
		};
		over.addEventListener("pointermove", (e) => {
			this.overScatter = () => { // again when the dots have changed
				const found = hit(e);
				found ? this.details.show(found, e.clientX, e.clientY) : this.details.hide();
			};
			this.overScatter();
		});
		over.addEventListener("pointerleave", () => {
			this.overScatter = null;
			this.details.hide();
		});
		over.addEventListener("click", (e) => this.keep(hit(e), e));
	}

	find(e) {
		if (e.target !== $("lanes")) {
			return null;
		}
		const box = $("lanes").getBoundingClientRect();
		return this.lanes.find(e.clientX - box.left, e.clientY - box.top);
	}

	// pointAgain shows the operation below a still pointer, which may be another one now.
	pointAgain() {
		if (this.pointed) {
			const { clientX, clientY } = this.pointed;
			this.hover({ clientX, clientY, target: document.elementFromPoint(clientX, clientY) });
		}
	}

	hover(e) {
		const { place } = this;
		this.pointed = e;
		const x = e.clientX - $("plots").getBoundingClientRect().left, line = $("hairline");
		line.hidden = x < this.gutter || x > this.gutter + this.plotWidth;
		line.style.left = x + "px";
		const t = place.timeAt(e.clientX), at = this.charts.at(t);
		$("timeAt").textContent = line.hidden || t < 0 ? "" : `at ${tickLabel(t, ticks(this.view.from, this.view.to, this.plotWidth).step, this.view.to)}`;
		$("depthAt").textContent = line.hidden ? "" : at.depth;
		$("rateAt").textContent = line.hidden ? "" : at.rate;
		const hit = this.find(e);
		if (hit && (hit.item !== undefined || x < this.gutter)) {
			this.details.show(hit, e.clientX, e.clientY);
		} else {
			this.details.hide();
		}
	}

	leave() {
		this.pointed = null;
		$("hairline").hidden = true;
		$("timeAt").textContent = $("depthAt").textContent = $("rateAt").textContent = "";
		this.details.hide();
	}

	click(e) {
		const hit = this.find(e);
		this.keep(hit?.item === undefined ? null : hit, e);
	}

	keep(hit, e) {
		this.pick(hit);
		if (hit) {
			this.details.keep(hit, e.clientX, e.clientY);
		} else {
			this.details.hide(true);
		}
	}

	// pick marks an operation with its batch, or a system call with its operations.
	pick(hit) {
		const { lanes, links } = this;
		this.picked = hit && !hit.isCall ? hit.item : null;
		this.pickedCall = hit?.isCall ? hit.item : null;
		lanes.picked = this.picked ?? -1;
		lanes.pickedCall = this.pickedCall ?? -1;
		lanes.mates = new Set(!hit ? [] : hit.isCall ? links.opsOf(hit.item) : links.mates(hit.item));
		this.dirty();
	}

	// times returns when an operation or a system call began and ended.
	times({ item, isCall }) {
		const { ops, calls } = this.trace;
		return isCall ? [calls.start[item], calls.end[item]] : [ops.queued[item], ops.woken[item]];
	}

	// choose keeps an operation or a system call on the screen, beside its place in the lanes.
	choose(hit) {
		const { view } = this, [, end] = this.times(hit);
		this.pick(hit);
		const y = this.lanes.reveal(hit), box = $("scroller").getBoundingClientRect();
		const x = this.gutter + ((end - view.from) / (view.to - view.from)) * this.plotWidth;
		this.details.keep(hit, box.left + Math.min(Math.max(x, this.gutter), box.width), box.top + y);
	}

	// go follows a link to an operation or a system call. It shows what filters or lanes hide, and
	// zooms in until it is visible.
	go(hit) {
		const { view } = this, [start, end] = this.times(hit), visible = 40; // CSS pixels
		this.save();
		if (hit.isCall && this.way !== "ring") {
			document.querySelector("#lanesBy input[value=ring]").click();
		}
		if (!hit.isCall && !this.filters.chosen.includes(hit.item)) {
			this.filters.reset();
		}
		const most = Math.max(end - start, 1) * this.plotWidth / visible;
		const span = Math.min(view.to - view.from, most), middle = (start + end) / 2;
		if (start < view.from || end > view.to || span < view.to - view.from) {
			view.show(middle - span / 2, middle + span / 2);
		}
		this.choose(hit);
		this.save(true);
	}

	// step goes to the next of the chosen operations. It begins with the first one in view.
	step(by) {
		const { chosen } = this.filters, { ops } = this.trace, { view } = this;
		if (chosen.length === 0) {
			return;
		}
		let at = this.picked === null ? -1 : chosen.indexOf(this.picked);
		at = at < 0 ? Math.max(0, chosen.findIndex((i) => ops.queued[i] >= view.from)) : at + by;
		const item = chosen[Math.min(Math.max(at, 0), chosen.length - 1)];
		if (ops.queued[item] < view.from || ops.woken[item] > view.to) {
			const middle = (ops.queued[item] + ops.woken[item]) / 2, span = view.to - view.from;
			view.show(middle - span / 2, middle + span / 2);
		}
		this.choose({ item });
	}

	zoomToPicked() {
		const hit = this.picked !== null ? { item: this.picked } : { item: this.pickedCall, isCall: true };
		if (hit.item !== null) {
			const [start, end] = this.times(hit), margin = end - start + 100;
			this.view.show(start - margin, end + margin);
		}
	}

	showBand(a, b) {
		const band = $("band"), left = $("plots").getBoundingClientRect().left;
		band.hidden = a === null;
		band.style.left = Math.min(a, b) - left + "px";
		band.style.width = Math.abs(a - b) + "px";
	}

	nextTheme() {
		const themes = ["auto", "light", "dark"];
		this.theme = themes[(themes.indexOf(this.theme) + 1) % themes.length];
		this.applyTheme();
		this.charts.redraw();
		this.dirty();
	}

	applyTheme() {
		const isDark = this.theme === "auto" ? systemDark.matches : this.theme === "dark";
		document.documentElement.dataset.theme = isDark ? "dark" : "light";
		const names = { auto: "as in the system", light: "light", dark: "dark" };
		$("theme").textContent = this.theme[0].toUpperCase() + this.theme.slice(1);
		$("theme").setAttribute("aria-label", "Colours: " + names[this.theme]);
		setDark(isDark);
		if (this.lanes) {
			this.dirty();
			this.histogram.plot.redraw(false);
		}
		this.showSwatches();
	}

	// showSwatches puts a sample of its colour beside each value.
	showSwatches() {
		document.querySelectorAll(".swatch").forEach((c) => {
			c.hidden = c.dataset.by !== this.colourBy;
			swatch(c, +c.dataset.mark);
		});
		drawLegend($("legend"));
	}
}

// bestWay returns lanes by goroutine, or by file if there are many goroutines with one
// operation each.
function bestWay({ ops }) {
	return ops.tags.length > ops.n / 2 && ops.n > 100 ? "file" : "goroutine";
}

function segments(id, names, first, chosen) {
	$(id).append(...names.map((name) => {
		const label = document.createElement("label");
		const button = Object.assign(document.createElement("input"), { type: "radio", name: id, value: name, checked: name === first });
		button.addEventListener("change", () => chosen(name));
		label.append(button, Object.assign(document.createElement("span"), { textContent: name }));
		return label;
	}));
}

// The button at the dialog's end gets the focus, and the browser scrolls to it.
function showDialog(id) {
	$(id).showModal();
	$(id).scrollTop = 0;
}

function fillAbout(trace) {
	const shown = trace.facts.filter(({ name }) => ["program", "driver", "kernel"].includes(name));
	$("facts").textContent = shown.map(({ name, value }) => (name === "program" ? value : `${name} ${value}`)).join(" · ");
	$("allFacts").append(...trace.facts.flatMap(({ name, value }) => ["dt", "dd"].map((tag) => Object.assign(document.createElement(tag), { textContent: tag === "dt" ? name : value }))));
	$("lost").hidden = trace.lost === 0;
	if (trace.lost > 0) {
		$("lost").textContent = `${count(trace.lost)} operations and system calls ${trace.kept ? "after these are lost: the recording had no more room, in memory or on the disk" : "before these are lost: the recorder’s buffers were full"}.`;
	}
}

function drawLegend(canvas) {
	const scale = 2, c = canvas.getContext("2d");
	canvas.width = 160 * scale;
	canvas.height = 16 * scale;
	c.scale(scale, scale);
	c.fillStyle = palette.marks[1];
	c.fillRect(0, 7, 160, 2);
	c.fillRect(50, 1, 80, 14);
}

try {
	const page = new Page(await load($("data").textContent));
	page.draw();
	if (location.hash) { // now that everything has its place
		page.restore();
	}
	page.analyse();
	document.body.dataset.opened = Math.round(performance.now());
} catch (error) {
	$("lost").hidden = false;
	$("lost").textContent = document.body.dataset.failed = `This page cannot be shown: its data is damaged, or the browser is too old (${error.message}).`;
	throw error;
}
