/** Puts the page together. */

import { prepare } from "./composer.js";
import { $, face, h } from "./dom.js";
import { show } from "./log.js";
import { FORUM, SYSTEM, attempt, connect, get, home, isThread, nameOf, on, placesOf, post, state }
	from "./store.js";

const writers = new Map();

function go() {
	const [, id, message] = location.hash.split("/");
	if (state.here && !state.channels[id]) return;
	const channel = state.channels[id] ?? home();
	const moved = state.here?.id !== channel.id;
	document.title = `${nameOf(channel)} · Roundtable`;
	$("side").hidePopover();
	if (moved) prepare(channel);
	show(channel, message);
	refresh();
}

function refresh() {
	const { id } = state.here;
	if (state.unread[id]) attempt("read", { channel_id: id });
	state.unread[id] = 0;
	$("channels").replaceChildren(h("h2", state.guild?.name), h("ul", placesOf(null).map(entry)));
	const names = [...writers.values()].filter(({ channel_id }) => channel_id === id)
		.map(({ user_id }) => state.people[user_id]?.username);
	const verb = names.length > 1 ? "are" : "is";
	$("typing").textContent = names.length ? `${names.join(" and ")} ${verb} writing…` : "";
}

function entry(channel) {
	const open = placesOf(channel.id).filter(({ thread_metadata }) => !thread_metadata.archived);
	return h("li", place(channel), open.length > 0 && h("ul", open.map(entry)));
}

function place(channel) {
	const { id, type, guild_id } = channel;
	const count = state.unread[id];
	const sign = type === FORUM ? "❑" : guild_id ? "#" : "@";
	const props = { href: `#/${id}`, "aria-current": id === state.here.id && "page",
		"aria-label": count > 0 && `${nameOf(channel)}, ${count} unread` };
	return h(count ? "a.unread" : "a", props,
		!isThread(channel) && h("i", { "aria-hidden": "true" }, sign), h("span", nameOf(channel)),
		count > 0 && h("b", count));
}

function person({ id, username }) {
	const onchange = () => {
		sessionStorage.setItem("person", username);
		connect();
	};
	const props = { type: "radio", name: "person", checked: id === state.me.id, onchange };
	return h("label", h("input", props), face(username), username);
}

on("reset", () => {
	go();
	const playable = Object.values(state.people).filter(({ bot }) => !bot);
	$("people").replaceChildren(h("legend", "Speaking as"), ...playable.map(person));
});
on("opened", ({ id }) => location.hash.includes(id) && go());
on("channels", () => {
	if (state.channels[state.here.id]) return refresh();
	state.here = null;
	go();
});
on("new", ({ channel_id, author, type }) => {
	const counts = author.id !== state.me.id && !SYSTEM.includes(type);
	state.unread[channel_id] = (state.unread[channel_id] ?? 0) + counts;
	writers.delete(channel_id + author.id);
	refresh();
});
on("typing", (sign) => {
	const key = sign.channel_id + sign.user_id;
	if (sign.user_id === state.me.id) return;
	writers.set(key, sign);
	setTimeout(() => writers.get(key) === sign && writers.delete(key) && refresh(), 10000);
	refresh();
});
onhashchange = go;

const { dataset } = document.documentElement;
const preferred = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
dataset.theme = localStorage.getItem("theme") ?? "";
$("theme").onclick = () => {
	dataset.theme = (dataset.theme || preferred) === "dark" ? "light" : "dark";
	localStorage.setItem("theme", dataset.theme);
};

const list = ({ struck }) =>
	$("struck").replaceChildren(...struck.slice(-9).reverse().map((line) => h("li", line)));
const order = async (what) => list(await post("faults", what));
$("faults").ontoggle = async () => list(await get("faults"));
$("gateway").onclick = ({ target: { name, value } }) => {
	if (value) order({ [name]: value });
};
$("fault").onsubmit = ({ target }) => {
	const { route, kind, times } = Object.fromEntries(new FormData(target));
	const what = Number(kind) ? { kind: "status", status: Number(kind) } : { kind };
	order({ add: { ...what, route, times: Number(times), seconds: 2 } });
	return false;
};

connect();
