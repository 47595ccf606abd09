/** Builds nodes; text becomes text nodes only, so nothing anybody writes can run. */

export const $ = (id) => document.getElementById(id);

/** h("p.note", { title: "x" }, "text") is a node; properties may be left out. */
export function h(name, ...children) {
	const [tag, ...classes] = name.split(".");
	const node = document.createElement(tag);
	if (classes.length) node.className = classes.join(" ");
	const props = children[0]?.constructor === Object ? children.shift() : {};
	for (const [key, value] of Object.entries(props)) {
		if (key.startsWith("on")) node[key] = value;
		else if (value !== false && value != null) node.setAttribute(key, value === true ? "" : value);
	}
	node.append(...children.flat(3).filter(Boolean));
	return node;
}

export const button = (name, onclick, props, ...children) =>
	h(`button${name}`, { type: "button", onclick, ...props }, ...children);

export const face = (name) =>
	h("img.face", { src: `/cdn/faces/${encodeURIComponent(name)}`, alt: "" });

/** The path of a file of this server: no other address is ever loaded. */
export function ownPath(url) {
	const path = URL.canParse(url) ? new URL(url).pathname : "";
	return path.startsWith("/cdn/") ? path : "";
}

export function complain({ message }) {
	const note = h("p", message);
	$("alert").append(note);
	setTimeout(() => note.remove(), 6000);
}

/** A menu beside an anchor; items are {text, hint?, danger?, act}. */
export function openMenu(anchor, label, items) {
	const ontoggle = ({ newState }) => newState === "closed" && menu.remove();
	const menu = h("div.menu", { role: "group", "aria-label": label, popover: "auto", ontoggle },
		items.map(({ text, hint, danger, act }) => button(danger ? ".danger" : "",
			() => (menu.hidePopover(), act()), {}, text, " ", hint && h("small", hint))));
	document.querySelector("main").append(menu);
	menu.showPopover({ source: anchor });
	menu.firstChild.focus();
}

/** Offers {text, hint?, danger?} under a field that keeps the focus; `pick` gets the one chosen.
 *  What is dangerous is only chosen by whoever moves to it, or typed all of it. */
export function suggestions(field, list, pick) {
	let items = [];
	let at = 0;
	const mark = () => {
		[...list.children].forEach((node, n) => (node.ariaSelected = String(n === at)));
		field.setAttribute("aria-activedescendant", list.children[at]?.id ?? "");
		list.children[at]?.scrollIntoView({ block: "nearest" });
	};
	const show = (found) => {
		items = found;
		at = items.findIndex(({ text, danger }) => !danger || text === field.value.trim());
		list.replaceChildren(...items.map((item, n) => h("li",
			{ role: "option", id: `${list.id}-${n}`, onclick: () => choose(item) },
			item.text, " ", item.hint && h("small", item.hint))));
		list.hidden = !items.length;
		if (field.role) field.ariaExpanded = String(!list.hidden);
		mark();
	};
	const choose = (item) => (show([]), pick(item));
	field.addEventListener("keydown", (event) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (list.hidden || event.shiftKey) return;
		if (step) at = at < 0 ? 0 : (at + step + items.length) % items.length;
		else if (event.key === "Escape") show([]);
		else if (event.key === "Enter" || event.key === "Tab") items[at] && choose(items[at]);
		else return;
		mark();
		event.preventDefault();
		event.stopImmediatePropagation();
	});
	field.setAttribute("aria-controls", list.id);
	show([]);
	return show;
}
