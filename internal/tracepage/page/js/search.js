// The language of the search field: an operation must match all words. See the help in
// page.html.

const fields = {
	latency: ["latency", "time"], queue: ["inQueue", "time"], device: ["inDevice", "time"], waking: ["waking", "time"],
	size: ["size", "bytes"], offset: ["offset", "bytes"], result: ["result", "bytes"],
	batch: ["batch", "number"], class: ["classOf", "number"], goroutine: ["goroutine", "number"],
};
const suffixes = {
	time: { "": 1, ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9 },
	bytes: { "": 1, b: 1, k: 2 ** 10, kib: 2 ** 10, m: 2 ** 20, mib: 2 ** 20, g: 2 ** 30, gib: 2 ** 30 },
	number: { "": 1 },
};
const compare = {
	"<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "=": (a, b) => a === b,
};

// parse returns a function that reports whether the operation of an index matches. It throws
// an Error with a message if the text is wrong.
export function parse(text, trace) {
	const tests = text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
		const not = word.length > 1 && word.startsWith("-");
		const test = parseWord(not ? word.slice(1) : word, trace);
		return not ? (i) => !test(i) : test;
	});
	return (i) => tests.every((test) => test(i));
}

function parseWord(word, trace) {
	const { ops } = trace;
	if (word === "failed") {
		return (i) => ops.result[i] < 0;
	}
	const parts = /^([a-z]+)(<=|>=|<|>|=)(.*)$/.exec(word);
	const isLabel = parts && !fields[parts[1]] && trace.labels.some((l) => l.toLowerCase().includes(word)); // role=compaction
	return parts && !isLabel ? comparison(ops, ...parts.slice(1)) : containing(trace, word);
}

function comparison(ops, name, sign, value) {
	const [column, type] = fields[name] ?? [];
	if (!column) {
		throw new Error(`“${name}” cannot be compared; want one of ${Object.keys(fields).join(", ")}`);
	}
	const [, digits, suffix] = /^(-?\d+\.?\d*|-?\.\d+)(.*)$/.exec(value) ?? [];
	const factor = suffixes[type][suffix];
	if (digits === undefined || factor === undefined) {
		throw new Error(`“${value}” is not a value of ${name}; want a number${type === "number" ? "" : ", as in " + (type === "time" ? "1.5ms" : "64k")}`);
	}
	const of = ops[column], limit = Number(digits) * factor, test = compare[sign];
	return (i) => test(of[i], limit);
}

// containing looks for word once in each name, not once for each operation.
function containing(trace, word) {
	const { ops, files, kinds, paths, drivers, classes, errors, labels } = trace;
	const has = (names) => names.map((name) => name.toLowerCase().includes(word));
	const inFile = has(files), inKind = has(kinds), inPath = has(paths), inDriver = has(drivers), inClass = has(classes), inLabel = has(labels);
	const inError = Object.keys(errors).filter((number) => errors[number].toLowerCase().includes(word)).map((number) => -number);
	return (i) => inFile[ops.file[i]] || inKind[ops.kind[i]] || inPath[ops.path[i]] || inDriver[ops.driver[i]] || inClass[ops.classOf[i]] || inLabel[ops.label[i]] ||
		(ops.result[i] < 0 && inError.includes(ops.result[i]));
}
