// What the page shows, as the fragment of its URL: a link to it shows the same again.

// write returns the fragment for a state. What is as at first is left out.
export function write({ from, to, all, lanes, order, colour, kinds, paths, classOf, file, search, op, call }) {
	const p = new URLSearchParams();
	if (!all) {
		p.set("from", time(from));
		p.set("to", time(to));
	}
	const texts = { lanes, order, colour, kinds, paths, class: classOf, file, q: search, op, call };
	for (const [name, value] of Object.entries(texts)) {
		if (value !== null && value !== undefined && value !== "") {
			p.set(name, value);
		}
	}
	const text = p.toString();
	return text && "#" + text;
}

// read returns the state of a fragment. A part that is missing or wrong is undefined: an old link,
// or one for another trace, shows what it can.
export function read(fragment) {
	const p = new URLSearchParams(fragment.replace(/^#/, ""));
	const number = (name) => {
		const text = p.get(name), v = Number(text);
		return text !== null && text.trim() !== "" && Number.isFinite(v) ? v : undefined;
	};
	const text = (name) => p.get(name) ?? undefined;
	const from = number("from"), to = number("to");
	return {
		...(from < to ? { from, to } : {}),
		lanes: text("lanes"), order: text("order"), colour: text("colour"), kinds: text("kinds"), paths: text("paths"),
		classOf: text("class"), file: text("file"), search: text("q"), op: whole(number("op")), call: whole(number("call")),
	};
}

const whole = (v) => (Number.isInteger(v) && v >= 0 ? v : undefined);

// time is exact enough for the shortest span that the page shows.
const time = (ns) => String(Math.round(ns * 10) / 10);
