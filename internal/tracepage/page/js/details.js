// The details of one operation or system call: beside the pointer, or kept on the screen.

import { bytes, count, duration, exact } from "./format.js";

function node(tag, text, className) {
	return Object.assign(document.createElement(tag), { textContent: text ?? "", className: className ?? "" });
}

// transfers are the kinds of operations that return how many bytes they have transferred.
const transfers = new Set(["read", "write"]);

// Details is the box.
export class Details {
	// go is called with what a link in the box leads to.
	constructor(trace, box, links, go) {
		Object.assign(this, { trace, box, links, go });
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
		this.fill(hit);
		this.addLinks(hit);
		this.place(x, y);
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
		box.style.top = Math.max(4, Math.min(top, innerHeight - height - 4)) + "px";
	}

	fill({ lane, item, isCall }) {
		delete this.box.dataset.item;
		delete this.box.dataset.call;
		if (item === undefined) {
			this.box.replaceChildren(node("p", lane.label, "name"), node("p", `${count(lane.items)}, p99 ${duration(lane.p99)}`, "name"));
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
			["result", this.result(ops.result[i], transfers.has(kinds[ops.kind[i]]) ? ops.size[i] : 0)],
			["goroutine", `${ops.goroutine[i]} (recorded as ${ops.tags[ops.goroutine[i] - 1].toString(16)})`],
		];
		if (ops.label[i] > 0) {
			rows.push(["labels", this.trace.labels[ops.label[i]]]);
		}
		if (ops.batch[i] > 0) {
			rows.push(["batch", ops.batch[i] === 1 ? "alone" : `of ${count(ops.batch[i])}`]);
		}
		rows.push(["class", classes[ops.classOf[i]]]);
		this.box.replaceChildren(node("p", what.join(" "), "what"), node("p", files[ops.file[i]] || "(file without a name)", "name"), this.times(i), list(rows));
		this.box.dataset.item = i;
	}

	// addLinks adds what belongs to an operation or a system call: a button for each.
	addLinks({ item, isCall }) {
		const { ops, calls, kinds, syscalls } = this.trace, groups = [];
		const opLink = (i) => this.link(`${kinds[ops.kind[i]]} at ${exact(ops.queued[i])}, ${goroutineName(this.trace, ops.goroutine[i])}`, { item: i });
		if (isCall) {
			groups.push(["submitted these operations", this.links.opsOf(item), opLink]);
		} else {
			const call = this.links.callOf(item), by = this.links.servedBy(item);
			groups.push(["submitted by", call < 0 ? [] : [call], (c) => this.link(`${syscalls[calls.syscall[c]]} at ${exact(calls.start[c])}`, { item: c, isCall: true })]);
			groups.push(["served by", by < 0 ? [] : [by], opLink]);
			groups.push(["in the same batch", this.links.mates(item).filter((i) => i !== item), opLink]);
		}
		const most = 8;
		for (const [title, items, link] of groups) {
			if (items.length > 0) {
				const box = node("p", title, "links");
				box.append(...items.slice(0, most).map(link));
				if (items.length > most) {
					box.append(node("span", `and ${count(items.length - most)} more`));
				}
				this.box.append(box);
			}
		}
	}

	link(text, hit) {
		const button = node("button", text, "link");
		button.dataset.to = (hit.isCall ? "call " : "op ") + hit.item;
		button.addEventListener("click", () => this.go(hit));
		return button;
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

	// result returns the result of an operation in words. size is how many bytes a transfer is of, and
	// 0 for operations that transfer none: Truncate, Allocate and Advise have a size, and return 0.
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
		this.box.dataset.call = i;
	}
}

// goroutineName returns the labels of a goroutine, and its number.
export function goroutineName({ ops, labels }, v) {
	const label = ops.labelOf[v - 1];
	return label ? `${labels[label]} (${v})` : `goroutine ${v}`;
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
