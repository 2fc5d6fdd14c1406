// Okabe and Ito's colours, which people with any kind of colour vision can distinguish, and
// a pattern for each, for people who see no colours.

const light = {
	background: "#ffffff", band: "#f6f7f9", line: "#dfe3e8", text: "#1c2128", faint: "#5b6571", failed: "#b3001b", chosen: "#000000",
	marks: ["#6b7280", "#0072b2", "#cf5c00", "#00805d", "#a0478a", "#2b9fd8"],
};
const dark = {
	background: "#14171c", band: "#1a1e25", line: "#2d333d", text: "#e6e9ee", faint: "#9aa4b2", failed: "#ff6b6b", chosen: "#ffffff",
	marks: ["#9aa4b2", "#56b4e9", "#f0a13a", "#2fc79b", "#dc90c4", "#b9e3ff"],
};

export const palette = { ...light };

// setDark chooses the palette of a dark or a light page.
export function setDark(isDark) {
	Object.assign(palette, isDark ? dark : light);
}

// tile is the number of pixels after which patterns repeat.
export const tile = 12;

// patterns are the gaps in the marks of the colours: a tile for each, line by line, with 1 for
// a gap.
export const patterns = [
	(x, y) => x % 4 === 0 && y % 4 === 0, // dots
	() => false, // solid
	(x, y) => (x + y) % 6 < 2, // slanting one way
	(x) => x % 4 === 0, // upright
	(x, y) => (x - y + tile) % 6 < 2, // slanting the other way
	(x, y) => y % 4 === 0, // level
].map((isGap) => Uint8Array.from({ length: tile * tile }, (_, i) => (isGap(i % tile, Math.floor(i / tile)) ? 1 : 0)));

// markOf holds the marks of the values, for each property that can choose the colour.
const markOf = {
	kind: [0, 1, 2, 3, 4],
	path: [3, 2, 1, 4],
};

// mark returns the number of the colour and the pattern of a value.
export function mark(by, value) {
	return markOf[by][value] ?? value % palette.marks.length;
}

// rgb returns the parts of a colour "#rrggbb".
export function rgb(colour) {
	const n = parseInt(colour.slice(1), 16);
	return [n >> 16, (n >> 8) & 255, n & 255];
}
