// Keys. page.html's help lists them.

const inFields = "input, select, textarea, dialog";

// listen binds keys to actions: functions by name.
export function listen(actions) {
	const keys = {
		"ArrowLeft": (e) => actions.move(e.shiftKey ? -0.9 : -0.1),
		"ArrowRight": (e) => actions.move(e.shiftKey ? 0.9 : 0.1),
		"ArrowUp": () => actions.scroll(-60),
		"ArrowDown": () => actions.scroll(60),
		"+": () => actions.zoom(0.5),
		"=": () => actions.zoom(0.5),
		"-": () => actions.zoom(2),
		"Home": () => actions.all(),
		",": () => actions.step(-1),
		".": () => actions.step(1),
		"Enter": () => actions.zoomToPicked(),
		"/": () => actions.search(),
		"?": () => actions.help(),
		"t": () => actions.theme(),
		"1": () => actions.lanes(0),
		"2": () => actions.lanes(1),
		"3": () => actions.lanes(2),
		"s": () => actions.sort(),
		"Escape": () => actions.letGo(),
	};
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey) {
			return;
		}
		const field = e.target.closest?.(inFields), button = e.target.closest?.("button, summary, a");
		if (field && !(e.key === "Escape" && field.matches("input[type=search]")) && !movesOn(e, field)) {
			return;
		}
		if (button && (e.key === "Enter" || e.key === " ")) {
			return;
		}
		const act = keys[e.key];
		if (act) {
			e.preventDefault();
			act(e);
		}
	});
}

// movesOn reports whether a checkbox does not use the key itself: it uses only space and
// Tab.
function movesOn(e, field) {
	return field.matches("input[type=checkbox]") && !e.key.startsWith("Tab");
}
