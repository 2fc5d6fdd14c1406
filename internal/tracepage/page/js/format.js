// Formats numbers for people.

const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

// unitOf returns the largest unit that is not larger than ns.
function unitOf(ns) {
	return units.find(([, size]) => Math.abs(ns) >= size) ?? units[3];
}

// duration shows ns in three digits: 1.35 ms.
export function duration(ns) {
	const [unit, size] = unitOf(ns);
	const v = ns / size;
	return (unit === "ns" ? Math.round(v) : v.toPrecision(Math.max(3, Math.floor(Math.log10(Math.abs(v))) + 1))) + " " + unit;
}

// exact shows ns to the last digit, in the unit that suits it.
export function exact(ns) {
	const [unit, size] = unitOf(ns);
	const decimals = Math.round(Math.log10(size));
	return (ns / size).toFixed(decimals) + " " + unit;
}

// tickLabel shows the time ns on an axis whose ticks are step apart and whose end is most.
export function tickLabel(ns, step, most) {
	const [unit, size] = unitOf(Math.max(most, step));
	const decimals = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
	return (ns / size).toFixed(decimals) + " " + unit;
}

// powerLabel shows a duration of one digit: 10 ms.
export function powerLabel(ns) {
	const [unit, size] = unitOf(ns * 1.0001);
	return Math.round(ns / size) + " " + unit;
}

// ticks returns round times from a to b, about so many, and their distance.
export function ticks(a, b, about) {
	const step = roundUp((b - a) / Math.max(1, about));
	const first = Math.ceil(Math.max(a, 0) / step) * step;
	const n = Math.max(0, Math.floor((b - first) / step + 1e-9) + 1);
	return { at: Array.from({ length: n }, (_, i) => first + i * step), step };
}

// roundUp returns the least of 1, 2 and 5 times a power of ten that is not
// below v.
export function roundUp(v) {
	const power = 10 ** Math.floor(Math.log10(v));
	for (const m of [1, 2, 5]) {
		if (m * power >= v * (1 - 1e-9)) {
			return m * power;
		}
	}
	return 10 * power;
}

const binary = [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];

// bytes shows n bytes: 64 KiB, 1.5 MiB.
export function bytes(n) {
	const [unit, size] = binary.find(([, size]) => Math.abs(n) >= size) ?? ["B", 1];
	const v = n / size;
	return (Number.isInteger(v) ? v : v.toFixed(v < 10 ? 2 : 1)) + " " + unit;
}

const grouped = new Intl.NumberFormat("en");

// count shows a whole number: 200,000.
export function count(n) {
	return grouped.format(n);
}
