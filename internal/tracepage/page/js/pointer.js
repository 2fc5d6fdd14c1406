// Mouse, pen and fingers over elements whose x axis is time.

const still = 5; // CSS pixels that the pointer may move during a click

// Pointer zooms and moves a view. place converts positions: timeAt(clientX), and the width of
// the plot. handlers are called with the points that the pointer is at.
export class Pointer {
	constructor(view, place, handlers) {
		Object.assign(this, { view, place, handlers });
		this.down = new Map(); // pointers that are down, by id
	}

	// attach adds the listeners to an element. scroll is the element that scrolls, if any.
	attach(element, scroll) {
		element.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
		element.addEventListener("pointerdown", (e) => this.press(e, element));
		element.addEventListener("pointermove", (e) => this.movePointer(e, scroll));
		element.addEventListener("pointerup", (e) => this.release(e));
		element.addEventListener("pointercancel", (e) => this.cancel(e));
		element.addEventListener("pointerleave", (e) => this.leave(e));
		element.addEventListener("dblclick", (e) => this.view.zoom(e.shiftKey ? 4 : 0.25, this.place.timeAt(e.clientX)));
	}

	perPixel() {
		return (this.view.to - this.view.from) / this.place.width();
	}

	wheel(e) {
		e.preventDefault();
		const unit = e.deltaMode === 1 ? 30 : e.deltaMode === 2 ? 300 : 1;
		const x = (e.shiftKey ? e.deltaX || e.deltaY : e.deltaX) * unit, y = e.shiftKey ? 0 : e.deltaY * unit;
		if (Math.abs(x) > Math.abs(y)) {
			this.view.move(x * this.perPixel());
			return;
		}
		// A pinch on a touchpad arrives as small steps with ctrl.
		const speed = e.ctrlKey ? 0.01 : 0.002;
		this.view.zoom(Math.exp(Math.min(Math.max(y * speed, -1), 1)), this.place.timeAt(e.clientX));
	}

	press(e, element) {
		if (e.button !== 0) {
			return;
		}
		element.setPointerCapture(e.pointerId);
		this.down.set(e.pointerId, { x: e.clientX, y: e.clientY });
		this.travelled = this.down.size > 1 ? Infinity : 0;
		this.band = e.shiftKey && this.down.size === 1 ? e.clientX : null;
	}

	movePointer(e, scroll) {
		const before = this.down.get(e.pointerId);
		if (!before) {
			this.handlers.hover(e);
			return;
		}
		const dx = e.clientX - before.x, dy = e.clientY - before.y;
		this.travelled += Math.abs(dx) + Math.abs(dy);
		if (this.travelled < still) { // a click, so far
			return;
		}
		this.handlers.leave();
		if (this.band !== null) {
			this.handlers.band(this.band, e.clientX);
		} else if (this.down.size === 2) {
			this.pinch(e);
		} else {
			this.view.move(-dx * this.perPixel());
			if (scroll && e.pointerType === "mouse") { // fingers scroll by themselves
				scroll.scrollTop -= dy;
			}
		}
		this.down.set(e.pointerId, { x: e.clientX, y: e.clientY });
	}

	// pinch keeps the times under two fingers.
	pinch(e) {
		const [a, b] = [...this.down].map(([id, p]) => ({ old: p.x, now: id === e.pointerId ? e.clientX : p.x }));
		const was = Math.max(8, Math.abs(a.old - b.old)), is = Math.max(8, Math.abs(a.now - b.now));
		const middle = this.place.timeAt((a.old + b.old) / 2);
		this.view.zoom(was / is, middle);
		this.view.move(-((a.now + b.now) / 2 - (a.old + b.old) / 2) * this.perPixel());
	}

	release(e) {
		if (!this.down.delete(e.pointerId)) {
			return;
		}
		if (this.band !== null && this.travelled >= still) {
			const times = [this.band, e.clientX].map((x) => this.place.timeAt(x));
			this.view.show(Math.min(...times), Math.max(...times));
		} else if (this.travelled < still) {
			this.handlers.click(e);
		}
		this.endBand();
	}

	cancel(e) {
		this.down.delete(e.pointerId);
		this.endBand();
	}

	leave(e) {
		if (!this.down.has(e.pointerId)) {
			this.handlers.leave();
		}
	}

	endBand() {
		this.band = null;
		this.handlers.band(null);
	}
}
