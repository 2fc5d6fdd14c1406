// Chooses which operations are shown.

import { parse } from "./search.js";
import { count } from "./format.js";
import { mark } from "./palette.js";

export const $ = (id) => document.getElementById(id);

// Filters are the controls above the lanes. chosen has the indices of the
// operations that pass all of them, in the trace's order.
export class Filters {
	constructor(trace, changed) {
		this.trace = trace;
		this.changed = changed;
		this.kinds = this.chips("kinds", "kind", trace.kinds);
		this.paths = this.chips("paths", "path", trace.paths);
		this.options("class", classes(trace));
		this.options("file", trace.files.map((name, i) => [i, name || "(no name)"]).filter(([i]) => used(trace.ops.file, i)));
		let wait;
		$("search").addEventListener("input", () => {
			clearTimeout(wait);
			wait = setTimeout(() => this.apply(), 150);
		});
		$("search").addEventListener("change", () => this.apply());
		$("reset").addEventListener("click", () => this.reset());
		this.choose();
	}

	// chips makes a checkbox for each value that occurs.
	chips(id, by, names) {
		const set = $(id), column = this.trace.ops[by], boxes = [];
		const counts = new Array(names.length).fill(0);
		column.forEach((v) => counts[v]++);
		names.forEach((name, value) => {
			if (counts[value] === 0) {
				return;
			}
			const label = document.createElement("label");
			const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true, value, name: id });
			const swatch = Object.assign(document.createElement("canvas"), { className: "swatch", width: 28, height: 28 });
			swatch.dataset.by = by;
			swatch.dataset.mark = mark(by, value);
			const total = Object.assign(document.createElement("span"), { className: "total", textContent: count(counts[value]) });
			label.append(box, swatch, " ", name, " ", total);
			set.append(label);
			box.addEventListener("change", () => this.apply());
			boxes.push(box);
		});
		return boxes;
	}

	options(id, list) {
		$(id).append(new Option("all", ""), ...list.map(([value, name]) => new Option(name, value)));
		$(id).addEventListener("change", () => this.apply());
	}

	// state returns the controls as texts, "" for one that lets everything pass.
	state() {
		const off = (boxes) => boxes.filter((box) => !box.checked).map((box) => box.value).join(" ");
		return { kinds: off(this.kinds), paths: off(this.paths), classOf: $("class").value, file: $("file").value, search: $("search").value.trim() };
	}

	// restore sets the controls to a state.
	restore({ kinds = "", paths = "", classOf = "", file = "", search = "" }) {
		const set = (boxes, off) => boxes.forEach((box) => { box.checked = !off.split(" ").includes(box.value); });
		set(this.kinds, kinds);
		set(this.paths, paths);
		const choose = (id, value) => { $(id).value = [...$(id).options].some((o) => o.value === value) ? value : ""; };
		choose("class", classOf);
		choose("file", file);
		$("search").value = search;
		this.choose();
	}

	reset() {
		[...this.kinds, ...this.paths].forEach((box) => { box.checked = true; });
		$("class").value = $("file").value = $("search").value = "";
		this.apply();
	}

	apply() {
		this.choose();
		this.changed();
	}

	// choose computes chosen.
	choose() {
		const { ops } = this.trace;
		const kinds = ticked(this.kinds), paths = ticked(this.paths);
		const classOf = $("class").value, file = $("file").value;
		const matches = this.search();
		const chosen = new Uint32Array(ops.n);
		let n = 0;
		for (let i = 0; i < ops.n; i++) {
			if (kinds[ops.kind[i]] && paths[ops.path[i]] && (classOf === "" || ops.classOf[i] === +classOf) &&
				(file === "" || ops.file[i] === +file) && (!matches || matches(i))) {
				chosen[n++] = i;
			}
		}
		this.chosen = chosen.subarray(0, n);
		this.tell();
	}

	// search returns the field's predicate, null if the field is empty or wrong. It shows the
	// error of a wrong text.
	search() {
		const field = $("search");
		let test = null, wrong = "";
		try {
			test = field.value.trim() ? parse(field.value, this.trace) : null;
		} catch (error) {
			wrong = error.message;
		}
		field.setAttribute("aria-invalid", wrong !== "");
		$("searchError").textContent = wrong;
		$("searchError").hidden = wrong === "";
		return test;
	}

	tell() {
		const n = this.chosen.length, all = this.trace.ops.n;
		const text = `${n === all ? "" : count(n) + " of "}${count(all)} operation${all === 1 ? "" : "s"}`;
		$("shown").textContent = $("shownSmall").textContent = text;
		document.body.dataset.shown = n;
	}
}

function ticked(boxes) {
	const is = [];
	boxes.forEach((box) => { is[box.value] = box.checked; });
	return is;
}

function classes({ ops, classes }) {
	return [...new Set(ops.classOf)].sort((a, b) => a - b).map((c) => [c, classes[c]]);
}

function used(column, value) {
	return column.includes(value);
}
