// Decodes the trace from the page's columns. ../../columns.go writes them.

const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array };

// load returns the page's data. Times are in nanoseconds since the recorder was made.
export async function load(text) {
	const packed = unpack(text);
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	const buffer = await new Response(stream).arrayBuffer();
	const length = new DataView(buffer).getUint32(0, true);
	const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
	const columns = readColumns(buffer, padded(4 + length), head.columns);
	const ops = makeOps(columns, head.firstOp), calls = makeCalls(columns, head.firstCall);
	return { ...head, ops, calls, ...span(ops, calls) };
}

// unpack decodes base64. The browser's own function is much faster where there is one.
function unpack(text) {
	if (Uint8Array.fromBase64) {
		return Uint8Array.fromBase64(text);
	}
	const letters = atob(text), packed = new Uint8Array(letters.length);
	for (let i = 0; i < packed.length; i++) {
		packed[i] = letters.charCodeAt(i);
	}
	return packed;
}

const padded = (n) => (n + 7) & ~7;

function readColumns(buffer, at, list) {
	const columns = {};
	for (const { name, type, n } of list) {
		columns[name] = new arrays[type](buffer, at, n);
		at += padded(columns[name].byteLength);
	}
	return columns;
}

// makeOps computes the operations' times from their differences.
function makeOps(c, first) {
	const n = c.queued.length;
	const queued = sums(c.queued, first);
	const submitted = new Float64Array(n), completed = new Float64Array(n), woken = new Float64Array(n);
	const latency = new Float64Array(n);
	for (let i = 0; i < n; i++) {
		submitted[i] = queued[i] + c.inQueue[i];
		completed[i] = submitted[i] + c.inDevice[i];
		woken[i] = completed[i] + c.waking[i];
		latency[i] = c.inQueue[i] + c.inDevice[i] + c.waking[i];
	}
	const { inQueue, inDevice, waking, offset, size, result, file, batch, kind, path, driver, class: classOf } = c;
	return {
		n, queued, submitted, completed, woken, latency, inQueue, inDevice, waking,
		offset, size, result, file, batch, kind, path, driver, classOf, queue: queues(driver, c.ring), label: c.label, ...number(c.goroutine, c.label),
	};
}

function makeCalls(c, first) {
	const start = sums(c["call.start"], first), n = start.length, end = new Float64Array(n);
	for (let i = 0; i < n; i++) {
		end[i] = start[i] + c["call.duration"][i];
	}
	return {
		n, start, end, batch: c["call.batch"], wait: c["call.wait"], result: c["call.result"],
		syscall: c["call.syscall"], driver: c["call.driver"], queue: queues(c["call.driver"], c["call.ring"]),
	};
}

// queues gives each pair of a driver and a ring a number. 0 is no driver; its ring does
// not matter.
function queues(driver, ring) {
	return Uint16Array.from(driver, (d, i) => (d === 0 ? 0 : (d << 8) | ring[i]));
}

function sums(differences, first) {
	const all = new Float64Array(differences.length);
	let at = first;
	for (let i = 0; i < all.length; i++) {
		all[i] = at += differences[i];
	}
	return all;
}

// number numbers goroutines from 1, as they appear. tags are the recorder's numbers. A goroutine
// that has other labels later is another one, as its number may be that of one that has ended.
// The result has the tag and the label of each number.
function number(tags, labels) {
	const numbers = new Map(), goroutine = new Uint32Array(tags.length);
	const tagOf = [], labelOf = [];
	for (let i = 0; i < tags.length; i++) {
		const key = labels[i] * 2 ** 32 + tags[i];
		let g = numbers.get(key);
		if (g === undefined) {
			numbers.set(key, g = numbers.size + 1);
			tagOf.push(tags[i]);
			labelOf.push(labels[i]);
		}
		goroutine[i] = g;
	}
	return { goroutine, tags: tagOf, labelOf };
}

// span returns the time from the first event to the last.
function span(ops, calls) {
	const first = Math.min(ops.queued[0] ?? Infinity, calls.start[0] ?? Infinity);
	const most = (times) => times.reduce((a, b) => Math.max(a, b), -Infinity);
	return first < Infinity ? { first, last: Math.max(most(ops.woken), most(calls.end)) } : { first: 0, last: 1e6 };
}
