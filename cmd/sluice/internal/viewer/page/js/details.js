// The details of one operation or system call: beside the pointer, or kept on the screen.

import { bytes, count, duration, exact } from "./format.js";

function node(tag, text, className) {
	return Object.assign(document.createElement(tag), { textContent: text ?? "", className: className ?? "" });
}

// Details is the box.
export class Details {
	constructor(trace, box) {
		Object.assign(this, { trace, box });
		this.kept = false;
	}

	// show shows a hit of Lanes.find near a place of the window.
	show(hit, x, y) {
		if (this.kept) {
			return;
		}
		this.fill(hit);
		this.box.classList.remove("kept");
		this.place(x, y);
	}

	// keep shows a hit until it is released.
	keep(hit, x, y) {
		this.kept = false;
		this.show(hit, x, y);
		this.kept = true;
		this.box.classList.add("kept");
		const close = node("button", "×", "close");
		close.setAttribute("aria-label", "Close");
		close.addEventListener("click", () => this.hide(true));
		this.box.append(close);
	}

	hide(really) {
		if (this.kept && !really) {
			return;
		}
		this.kept = false;
		this.box.hidden = true;
	}

	// place puts the box beside the pointer, inside the window. On narrow
	// screens the styles put it at the bottom.
	place(x, y) {
		const { box } = this;
		box.hidden = false;
		const { width, height } = box.getBoundingClientRect(), gap = 16;
		const left = x + gap + width > innerWidth ? x - gap - width : x + gap;
		const top = y + gap + height > innerHeight ? y - gap - height : y + gap;
		box.style.left = Math.max(4, left) + "px";
		box.style.top = Math.max(4, top) + "px";
	}

	fill({ lane, item, isCall }) {
		if (item === undefined) {
			this.box.replaceChildren(node("p", lane.label, "name"));
		} else if (isCall) {
			this.fillCall(item);
		} else {
			this.fillOp(item);
		}
	}

	fillOp(i) {
		const { ops, kinds, paths, drivers, classes, files } = this.trace;
		const what = [kinds[ops.kind[i]]];
		if (ops.size[i] > 0) {
			what.push(bytes(ops.size[i]), ops.offset[i] < 0 ? "at the file’s position" : "at " + count(ops.offset[i]));
		}
		const rows = [
			["path", paths[ops.path[i]] + (ops.driver[i] ? `, ${drivers[ops.driver[i]]}, ring ${ops.queue[i] & 255}` : "")],
			["result", this.result(ops.result[i], ops.size[i])],
			["goroutine", `${ops.goroutine[i]} (recorded as ${ops.tags[ops.goroutine[i] - 1].toString(16)})`],
		];
		if (ops.batch[i] > 0) {
			rows.push(["batch", ops.batch[i] === 1 ? "alone" : `of ${count(ops.batch[i])}`]);
		}
		rows.push(["class", classes[ops.classOf[i]]]);
		this.box.replaceChildren(node("p", what.join(" "), "what"), node("p", files[ops.file[i]] || "(file without a name)", "name"), this.times(i), list(rows));
		this.box.dataset.item = i;
	}

	// times returns the table of an operation's four times.
	times(i) {
		const { ops } = this.trace, table = node("table");
		table.append(row("th", "", "at", "then"));
		const steps = [
			["queued", ops.queued[i], ops.inQueue[i]], ["submitted", ops.submitted[i], ops.inDevice[i]],
			["completed", ops.completed[i], ops.waking[i]], ["woken", ops.woken[i], null],
		];
		for (const [name, at, then] of steps) {
			table.append(row("td", name, exact(at), then === null ? "" : duration(then)));
		}
		table.append(row("td", "total", "", duration(ops.latency[i])));
		return table;
	}

	result(result, size) {
		if (result < 0) {
			return "failed: " + this.trace.errors[-result];
		}
		return size > 0 ? bytes(result) + (result < size ? ", short" : "") : "done";
	}

	fillCall(i) {
		const { calls, syscalls, drivers, errors } = this.trace;
		const rows = [
			["began", exact(calls.start[i])], ["took", duration(calls.end[i] - calls.start[i])],
			["of", calls.driver[i] ? `${drivers[calls.driver[i]]}, ring ${calls.queue[i] & 255}` : "the scheduler"],
			["returned", calls.result[i] < 0 ? errors[-calls.result[i]] ?? String(calls.result[i]) : count(calls.result[i])],
		];
		if (calls.batch[i] > 0) {
			rows.push(["submitted", count(calls.batch[i])]);
		}
		if (calls.wait[i] > 0) {
			rows.push(["waits for", count(calls.wait[i])]);
		}
		this.box.replaceChildren(node("p", syscalls[calls.syscall[i]] || "system call", "what"), list(rows));
	}
}

function row(tag, ...cells) {
	const r = node("tr");
	r.append(...cells.map((text) => node(tag, text)));
	return r;
}

function list(rows) {
	const l = node("dl");
	for (const [name, value] of rows) {
		l.append(node("dt", name), node("dd", value));
	}
	return l;
}
