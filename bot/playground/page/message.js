/** One message, and what one can do with it. */

import { button, face, h, openMenu, ownPath } from "./dom.js";
import { openForm } from "./form.js";
import { link, markdown, plain } from "./markdown.js";
import { SYSTEM, attempt, choicesFor, emojiKey, interact, messagesIn, press, state, tell }
	from "./store.js";

export const LOADING = 128;
const [REPLY, MENU_COMMAND, VERSION_TWO] = [19, 3, 32768];
const EMOJI = ["👍", "👎", "❤️", "😂", "🤔", "🎉", "✅", "❌"];
const RUN = 7 * 60 * 1000;
const date = ({ timestamp }) => new Date(timestamp);

export function gist({ content, embeds, components: parts, attachments }) {
	const texts = (list) => list.flatMap((part) => [part.content, ...texts(part.components ?? [])]);
	const all = [content, ...embeds.map((e) => e.title ?? e.description), ...texts(parts)];
	return plain(all.join("\n")) || attachments[0]?.filename || "…";
}

export const continues = (message, before) => Boolean(before) && message.type !== REPLY &&
	!SYSTEM.includes(before.type) && before.ephemeral === message.ephemeral &&
	before.author.id === message.author.id && before.author.username === message.author.username &&
	date(message) - date(before) < RUN;

export function messageNode(message, joined) {
	const oncontextmenu = ({ target }) => {
		if (target.closest("a") || !getSelection().isCollapsed) return true;
		openActions(message, node);
		return false;
	};
	const [own, inner] = [`m${message.id}`, `c${message.id}`];
	const props = { id: own, tabindex: -1, oncontextmenu, "aria-label": message.author.username,
		"aria-labelledby": joined ? `${own} ${inner}` : inner };
	const node = h("li", props, body(message, joined));
	return node;
}

function body(message, joined) {
	const { type, author, message_reference: from, referenced_message: original } = message;
	if (type === SYSTEM[0]) {
		return h("p.system", { id: `c${message.id}` }, `${author.username} started a thread: `,
			h("a", { href: `#/${from.channel_id}` }, message.content));
	}
	if (type === SYSTEM[1]) {
		return original ? body({ ...original, id: message.id, thread: null }) : h("i", "Gone");
	}
	return h(`div.message${joined ? ".joined" : ""}${message.ephemeral ? ".private" : ""}`,
		type === REPLY && quote(original), !joined && face(author.username),
		h("div.content", { id: `c${message.id}` }, !joined && byline(message), content(message)),
		tools(message));
}

function quote(original) {
	if (!original) return h("p.quoted", "A message that is gone");
	const { author, channel_id, id } = original;
	return h("a.quoted", { href: `#/${channel_id}/${id}` }, h("b", author.username), gist(original));
}

function byline(message) {
	const { author, webhook_id } = message;
	const badge = webhook_id && !state.people[author.id] ? "panelist" : author.bot && "bot";
	const clock = date(message).toLocaleTimeString("en-GB", { timeStyle: "short" });
	return h("header", h("h2.author", author.username), badge && h(`span.badge.${badge}`, badge),
		h("time", clock));
}

function content(message) {
	if (message.flags & LOADING) return h("p.loading", `${message.author.username} is thinking…`);
	return [
		message.content && markdown(message.content),
		message.embeds.map(embed),
		components(message.components, message),
		message.flags & VERSION_TWO ? [] : message.attachments.map(attachment),
		message.edited_timestamp && h("small", "edited"),
		h("div.reactions", message.reactions.map((entry) => reaction(entry, message))),
		message.thread && threadChip(message.thread),
		pings(message.pings),
		message.ephemeral && h("p.note", "Only you can see this."),
	];
}

const act = (action, { id }, more) => attempt(action, { message_id: id, ...more });

function reaction({ emoji, count, me }, message) {
	const toggle = () => act("react", message, { emoji: emojiKey(emoji), on: !me });
	return button("", toggle, { "aria-pressed": String(!!me) }, `${emoji.name} ${count}`);
}

function threadChip({ id, name }) {
	const count = messagesIn(id).filter(({ type }) => !SYSTEM.includes(type)).length;
	return h("a.thread", { href: `#/${id}` }, h("b", name),
		h("small", `${count} message${count === 1 ? "" : "s"} ›`));
}

function pings({ everyone, roles = [], users = [] } = {}) {
	const names = [everyone && "everyone", ...roles.map((id) => state.roles[id]?.name),
		...users.map((id) => state.people[id]?.username)].filter(Boolean);
	return names.length > 0 && h("p.note", `would have pinged: ${names.join(", ")}`);
}

function tools(message) {
	const tool = (label, sign, open) => button("", ({ target }) => open(message, target),
		{ "aria-label": label }, sign);
	const { username } = message.author;
	return h("div.tools", tool(`React to ${username}`, "☺", palette),
		tool(`More on ${username}'s message`, "⋯", openActions));
}

function palette(message, anchor) {
	openMenu(anchor, "React", EMOJI.map((emoji) =>
		({ text: emoji, act: () => act("react", message, { emoji }) })));
}

function openActions(message, anchor) {
	const { may, guild_id = "@me" } = state.here;
	const { id, channel_id, ephemeral, author } = message;
	const mine = author.id === state.me.id;
	const link = `https://discord.com/channels/${guild_id}/${channel_id}/${id}`;
	const commands = (state.commands[guild_id] ?? []).filter(({ type }) => type === MENU_COMMAND);
	openMenu(anchor, "Message", [
		may.speak && !ephemeral && { text: "Reply", act: () => tell("reply", message) },
		may.react && !ephemeral && { text: "React", act: () => palette(message, anchor) },
		mine && { text: "Edit", act: () => tell("edit", message) },
		{ text: "Copy link", act: () => navigator.clipboard.writeText(link) },
		...commands.map(({ name: command }) => ({ text: command, hint: "Roundtable",
			act: () => press(anchor, "menu", { message_id: id, command }) })),
		(mine || may.manage || ephemeral) &&
			{ text: "Delete", danger: true, act: () => act("delete", message) },
	].filter(Boolean));
}

const STYLES = { 1: ".primary", 3: ".good", 4: ".danger" };
const LINK_BUTTON = 5;
const IMAGE = /^image\/(png|jpeg|gif|webp)$/;
const READABLE = /\.(md|txt|json|csv)$/;

const components = (list, message) => list.map((part) => draw(part, message));
const draw = (part, message) => (BUILDERS[part.type] ?? select)(part, message);
const inside = (part, message) => components(part.components, message);

const BUILDERS = {
	1: (part, message) => h("div.row", inside(part, message)),
	2: pressable,
	9: (part, message) =>
		h("div.section", h("div", inside(part, message)), draw(part.accessory, message)),
	10: ({ content }) => markdown(content),
	11: ({ media, description }) => picture(media, description),
	12: ({ items }) => h("div.row", items.map((item) => picture(item.media, item.description))),
	13: ({ file: { url }, name, size }) => file({ url, filename: name, size }),
	14: ({ divider }) => h(divider === false ? "br" : "hr"),
	17: (part, message) => tinted(part.accent_color, inside(part, message)),
};

function tinted(colour, ...children) {
	const card = h("div.card", children);
	card.style.borderLeftColor = `#${Number(colour ?? NaN).toString(16).padStart(6, "0")}`;
	return card;
}

const controlled = (id, disabled, { username }) =>
	({ disabled, "data-id": id, "aria-description": `in ${username}'s message` });

function pressable({ label, emoji, style, url, disabled, custom_id }, { id, author }) {
	const text = [emoji?.name, label].filter(Boolean).join(" ");
	if (style === LINK_BUTTON) return h("span.button", link(url, [text]));
	return button(STYLES[style] ?? "",
		({ target }) => press(target, "press", { message_id: id, custom_id }),
		controlled(custom_id, disabled, author), text);
}

function select(part, { id, author }) {
	const { placeholder = "Choose…", disabled, custom_id, max_values: most = 1 } = part;
	const body = (values) => ["press", { message_id: id, custom_id, values }];
	const openMany = () => openForm({ title: placeholder, components: [part] },
		(form) => interact(...body(form[custom_id])));
	const openOne = ({ target }) =>
		openMenu(target, placeholder, choicesFor(part).map(({ label, value, description }) =>
			({ text: label, hint: description, act: () => press(target, ...body([value])) })));
	return button(".select", most > 1 ? openMany : openOne,
		controlled(custom_id, disabled, author), placeholder);
}

function picture({ url }, description) {
	const path = ownPath(url);
	const alt = description || "picture";
	if (!path) return link(url, [alt]);
	const image = h("img", { src: path, alt });
	return h("a.picture", { href: path, target: "_blank" }, image);
}

const attachment = (entry) => (IMAGE.test(entry.content_type)
	? picture(entry, entry.description || entry.filename) : file(entry));

function file({ url, filename, size }) {
	const path = ownPath(url);
	return h("div.file", path ? h("a", { href: path, target: "_blank" }, filename) : filename,
		h("small", ` ${Math.ceil(size / 1000)} kB`),
		path && READABLE.test(filename) && reader(path, filename));
}

function reader(path, name) {
	const read = async () => node.replaceWith(markdown(await (await fetch(path)).text()));
	const node = button(".link", read, { "aria-label": `Read here: ${name}` }, "Read here");
	return node;
}

function embed({ title, url, description, fields = [], color, footer, image }) {
	return tinted(color,
		title && h("strong", url ? link(url, [title]) : title),
		description && markdown(description),
		h("dl", fields.map(({ name, value, inline }) =>
			h(inline ? "div" : "div.wide", h("dt", markdown(name)), h("dd", markdown(value))))),
		image && picture(image, title),
		footer && h("small", footer.text));
}
