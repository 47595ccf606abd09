/** Discord's markdown as nodes: a rule is a sticky pattern and a builder. */

import { h } from "./dom.js";
import { nameOf, state } from "./store.js";

const DEEPEST = 12;

const FENCE = [/\n?```(?:([\w+#.-]+)\n)?\n*([^]+?)\n*```\n?/y, ([, language, code]) =>
	h("pre", language && h("span.language", language), h("code", code))];
const wrap = (tag) => (match, depth) => h(tag, inline(match[1], depth));
const INLINE = [
	[/\\([^\w\s])/y, (match) => match[1]],
	FENCE,
	[/(`+)([^]*?[^`])\1(?!`)/y, (match) => h("code", match[2].trim())],
	[/<(https?:\/\/[^\s<>]+)>/y, (match) => link(match[1])],
	[/\[((?:[^[\]\\]|\\.|\[[^[\]]*\])+)\]\(<?(https?:\/\/[^\s()<>]+(?:\([^\s()]*\))?[^\s()<>]*)>?\)/y,
		(match, depth) => link(match[2], inline(match[1], depth))],
	[/<@!?(\d+)>/y, (match) => mention(`@${state.people[match[1]]?.username ?? "someone"}`)],
	[/<@&(\d+)>/y, (match) => mention(`@${state.roles[match[1]]?.name ?? "role"}`)],
	[/<#(\d+)>/y, ([, id]) => (state.channels[id]
		? h("a.mention", { href: `#/${id}` }, placeName(id)) : mention("#unknown"))],
	[/<t:(-?\d{1,12})(?::([tTdDfFR]))?>/y, (match) => time(Number(match[1]), match[2])],
	[/<:rt_\w+:(\d+)>/y, ([, id]) => h("img.emoji", { src: `/cdn/emojis/${id}.png`, alt: "" })],
	[/<a?(:\w+:)\d+>/y, (match) => match[1]],
	[/@(everyone|here)\b/y, (match) => mention(match[0])],
	[/https?:\/\/[^\s<]*[^\s<.,:;"')\]*_~|]/y, (match) => link(match[0])],
	[/\*\*([^]+?)\*\*(?!\*)/y, wrap("strong")],
	[/__([^]+?)__(?!_)/y, wrap("u")],
	[/~~([^]+?)~~/y, wrap("s")],
	[/\|\|([^]+?)\|\|/y, (match, depth) => spoiler(inline(match[1], depth))],
	[/\*(?![\s*])((?:\*\*[^*]+\*\*|[^*])+?)\*(?!\*)/y, wrap("em")],
	[/(?<!\w)_((?:__|[^_])+?)_(?!\w)/y, wrap("em")],
	[/[^\\`<[@h*_~|\n]+|[^]/y, (match) => match[0]],
];
// A quote inside a quote is plain text, as in Discord.
const INNER = [
	FENCE,
	[/(#{1,3}) +([^\n]+)(?:\n|$)/y, ([, signs, text], depth) =>
		h(`h${signs.length + 2}`, inline(text, depth))],
	[/-# +([^\n]+)(?:\n|$)/y, wrap("small")],
	[/(?: *(?:[-*]|\d{1,9}\.) +[^\n]+(?:\n|$)(?: {2,}(?![-*] |\d+\. )[^\n]+(?:\n|$))*)+/y, list],
];
const BLOCKS = [
	[/(?:>(?: [^\n]*)?(?:\n|$))+/y, (match, depth) => quote(match[0].replace(/^> ?/gm, ""), depth)],
	[/>>> ?([^]*)/y, (match, depth) => quote(match[1], depth)],
	...INNER,
];

function parse(text, at, rules, depth) {
	for (const [pattern, build] of rules) {
		pattern.lastIndex = at;
		const match = pattern.exec(text);
		if (match) return { node: build(match, depth + 1), end: at + match[0].length };
	}
}

export function inline(text, depth = 0) {
	const nodes = [];
	for (let at = 0; at < text.length; ) {
		const found = parse(text, at, depth < DEEPEST ? INLINE : INLINE.slice(-1), depth);
		nodes.push(found.node);
		at = found.end;
	}
	return nodes;
}

function blocks(text, depth = 0, rules = BLOCKS) {
	const nodes = [];
	for (let at = 0; at < text.length; ) {
		const found = parse(text, at, rules, depth);
		const end = found?.end ?? paragraphEnd(text, at);
		nodes.push(found?.node ?? h("div", inline(text.slice(at, end).replace(/\n$/, ""), depth)));
		at = end;
	}
	return nodes;
}

function paragraphEnd(text, at) {
	let end = at;
	const starts = ([pattern]) => ((pattern.lastIndex = end), pattern.test(text));
	do end = text.indexOf("\n", end) + 1 || text.length;
	while (end < text.length && !BLOCKS.some(starts));
	return end;
}

const quote = (text, depth) => h("blockquote", blocks(text, depth, INNER));

function list([lines], depth) {
	const root = h("div");
	let levels = [];
	for (const line of lines.trimEnd().split("\n")) {
		const [, { length: size }, sign, text] = /^( *)(?:([-*]|\d+\.) +)?(.*)$/.exec(line);
		const tag = sign > "0" ? "ol" : "ul";
		if (sign) levels = levels.filter(({ at, node }) =>
			at + 1 < size || (at <= size && node.localName === tag));
		if (sign && !(levels.at(-1)?.at > size - 2)) {
			const node = h(tag, { start: parseInt(sign, 10) || null });
			(levels.at(-1)?.node.lastChild ?? root).append(node);
			levels.push({ at: size, node });
		}
		const { node } = levels.at(-1);
		if (sign) node.append(h("li", inline(text, depth)));
		else node.lastChild.append("\n", ...inline(text, depth));
	}
	return root;
}

const placeName = (id) => `#${nameOf(state.channels[id])}`;
const mention = (name) => h("span.mention", name);

/** Where a link goes is always seen: as its text, or behind it. */
export function link(url, label) {
	const [, id, message] =
		/^https:\/\/(?:\w+\.)?discord\.com\/channels\/\d+\/(\d+)(\/\d+)?$/.exec(url) ?? [];
	if (state.channels[id]) {
		return h("a.mention", { href: `#/${id}${message ?? ""}` }, label ?? `${placeName(id)} ›`);
	}
	if (!/^https?:/i.test(url) || !URL.canParse(url)) return h("span", label ?? url);
	const place = label && h("span.goes", ` (${new URL(url).host})`);
	const props = { href: url, title: url, target: "_blank", rel: "noopener noreferrer" };
	return h("span", h("a", props, label ?? url), place);
}

function spoiler(children) {
	const inside = h("span", { inert: true }, children);
	const reveal = ({ type, key }) => {
		if (type === "click" || key === "Enter") node.replaceWith(h("span.revealed", children));
	};
	const node = h("span.spoiler", { role: "button", tabindex: 0, onclick: reveal,
		onkeydown: reveal, "aria-label": "Spoiler, press to show" }, inside);
	return node;
}

const UNITS = { day: 86400, hour: 3600, minute: 60, second: 1 };
const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function relative(seconds) {
	const away = Math.round(seconds - Date.now() / 1000);
	const [unit, size] = Object.entries(UNITS).find(([, size]) => Math.abs(away) >= size || size < 2);
	return relativeFormat.format(Math.round(away / size), unit);
}

function time(seconds, style = "f") {
	const moment = new Date(seconds * 1000);
	const dateStyle = { d: "short", D: "long", f: "long", F: "full", R: "full" }[style];
	const timeStyle = { t: "short", T: "medium", f: "short", F: "short", R: "short" }[style];
	const title = moment.toLocaleString("en-GB", { dateStyle, timeStyle });
	if (style !== "R") return h("time", title);
	return h("time", { title, "data-relative": seconds }, relative(seconds));
}

setInterval(() => {
	for (const node of document.querySelectorAll("time[data-relative]")) {
		node.textContent = relative(node.dataset.relative);
	}
}, 10000);

/** A message's author is a heading of level 2; those of the text follow without a gap. */
export function markdown(text) {
	const node = h("div.text", blocks(text));
	let level = 2;
	for (const heading of node.querySelectorAll("h3, h4, h5"))
		heading.ariaLevel = level = Math.min(level + 1, heading.localName[1]);
	return node;
}

/** The first words of a text, without marks and small print. */
export function plain(text) {
	const bare = text.slice(0, 900).replace(/\|\|[^]+?\|\|/g, "▒▒▒");
	const large = bare.replace(/^-# .*$/gm, "").trim() || bare;
	return h("i", inline(large.replace(/^(?:[#>\-* ]+|\d+\.) /gm, ""))).textContent
		.replace(/\s+/g, " ").trim().replace(/^(.{60,98}) .*/, "$1…").slice(0, 100);
}
