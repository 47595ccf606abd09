/** The current channel: its messages, the posts of a forum, or a welcome. */

import { $, button, h } from "./dom.js";
import { openForm } from "./form.js";
import { LOADING, continues, gist, messageNode } from "./message.js";
import { FORUM, attempt, get, home, isThread, messagesIn, nameOf, on, placesOf, post, setMessages,
	state, tell } from "./store.js";

const PAGE = 50;
const EXAMPLES = {
	Vote: "roundtable --vote --validate Postgres or SQLite for our queue?",
	Debate: "roundtable --debate --validate should we move to a four-day week?",
	"Red team": "roundtable --redteam --validate what could go wrong with passwordless login?",
};
const HEADLINE = "h3, h4"; // `#` and `##`
const [view, log] = [$("view"), $("log")];
let [followed, greeting, held] = [null, null, 0];

export function show(channel, messageId) {
	const moved = state.here?.id !== channel.id;
	state.here = channel;
	draw();
	toEnd();
	$("older").hidden = messagesIn(channel.id).length < PAGE;
	const outcome = moved && outcomeOf(channel);
	if (messageId) find(messageId);
	else if (outcome) find(outcome, "start");
}

/** Goes to the end, but not past the beginning of the last message, nor past a headline that its
 * author has just posted: a conclusion is read from its first line, and what comes late below it,
 * such as a picture, does not move it. */
function toEnd() {
	const last = log.lastElementChild;
	let first = last;
	for (let node = last; node; node = node.joined && node.previousElementSibling)
		if (node.querySelector(HEADLINE)) first = node;
	view.scrollTo(0, view.scrollHeight);
	if (first) beginAt(first);
	held = view.scrollTop;
}

/** The message that the post at the head of a thread links to, once it has an outcome. */
function outcomeOf({ id, parent_id }) {
	const head = messagesIn(parent_id ?? "").find((message) => message.id === id);
	return head?.content.match(new RegExp(`/channels/\\d+/${id}/(\\d+)\\)`))?.[1];
}

/** Brings the list up to date and leaves alone what has not changed. */
function draw() {
	const { here } = state;
	const list = messagesIn(here.id);
	const nodes = list.map((message, at) => nodeFor(message, list[at - 1]));
	if (here === home() && list.length < PAGE) nodes.unshift(greeting ??= welcome(here));
	else if (!list.length) nodes.push(...(here.type === FORUM ? posts(here) : [nothing()]));
	const focused = document.activeElement;
	const item = itemOf(focused);
	header(here);
	[...log.children].forEach((node) => nodes.includes(node) || node.remove());
	nodes.forEach((node, at) => node.isConnected || log.insertBefore(node, log.children[at]));
	rove();
	if (item && !focused.isConnected) refocus($(item.id), focused.dataset.id);
}

function header(here) {
	const parent = isThread(here) && state.channels[here.parent_id];
	$("title").textContent = (here.guild_id && !parent ? "#" : "") + nameOf(here);
	$("topic").replaceChildren(
		parent ? h("a", { href: `#/${parent.id}` }, `in #${parent.name}`) : here.topic ?? "");
}

function nodeFor(message, before) {
	const joined = continues(message, before);
	const known = $(`m${message.id}`);
	if (known?.message === message && known.joined === joined) return known;
	if (known?.message.flags & ~message.flags & LOADING) announce(message);
	return Object.assign(messageNode(message, joined), { message, joined });
}

let reached = null;

/** Tab leads to one message and what is in it, at first the newest; arrow keys lead to others. */
function rove() {
	const chosen = $(reached) ?? log.lastElementChild;
	for (const item of log.querySelectorAll(":scope > [id]"))
		for (const node of [item, ...item.querySelectorAll("a, button, .spoiler")])
			node.tabIndex = item === chosen ? 0 : -1;
}

const itemOf = (node) => node.closest("#log > [id]");
log.addEventListener("focusin", ({ target }) => {
	reached = itemOf(target)?.id ?? reached;
	rove();
});
log.onkeydown = ({ key, target, altKey, ctrlKey, metaKey, shiftKey }) => {
	const item = itemOf(target);
	if (!item || altKey || ctrlKey || metaKey || shiftKey) return true;
	const next = { ArrowDown: item.nextElementSibling, ArrowUp: item.previousElementSibling,
		Home: log.querySelector(":scope > [id]"), End: log.lastElementChild }[key];
	if (!next?.id) return true;
	next.focus({ preventScroll: true });
	next.scrollIntoView({ block: "nearest" });
	beginAt(next);
	return false;
};

/** A message that is drawn anew must not lose the focus that was in it. */
function refocus(item, id) {
	const control = id && item?.querySelector(`[data-id="${CSS.escape(id)}"]`);
	(control || item)?.focus();
}

on("channels", draw);
on("messages", (id) => {
	if (state.here.type !== FORUM && id !== state.here.id) return;
	const atEnd = view.scrollHeight - view.scrollTop - view.clientHeight < 90;
	const following = atEnd || Math.abs(view.scrollTop - held) < 2;
	draw();
	if (following) toEnd();
});
on("new", ({ channel_id, author, ...message }) => {
	if (channel_id !== state.here.id) return;
	if (author.id === state.me.id) toEnd();
	else announce({ author, ...message });
});

const announce = (message) =>
	($("spoken").textContent = `${message.author.username}: ${gist(message)}`);

const nothing = () => h("li.system", "Nothing has been said yet.");

/** It stays, so that one example can be tried after the other. */
function welcome(channel) {
	const note = h("p.note");
	get("about").then((about) => note.append(about.note ?? "")).catch(() => {});
	const example = ([kind, text]) => button("", () => {
		followed = channel.id;
		tell("example", text);
	}, {}, h("b", kind), h("span", text));
	return h("li.welcome", h("h2", "Pull up a chair."),
		h("p", "Roundtable lets a panel of language models debate your question in a thread."), note,
		Object.entries(EXAMPLES).map(example));
}

// Whoever clicked an example is taken to its thread.
on("opened", ({ id, parent_id }) => {
	if (parent_id !== followed) return;
	followed = null;
	location.hash = `/${id}`;
});

function posts(forum) {
	const start = button(".primary", () => openPost(forum), {}, "New post");
	return [h("li", forum.may.speak && start), ...placesOf(forum.id).map((p) => card(forum, p))];
}

function card({ available_tags }, { id, name, applied_tags }) {
	const [first, ...rest] = messagesIn(id);
	const tags = available_tags.filter((tag) => applied_tags.includes(tag.id));
	return h("li", h("a.post", { href: `#/${id}` }, h("b", name),
		tags.map((tag) => h("span.badge", tag.name)),
		first && h("span", `${first.author.username}: ${gist(first)}`),
		h("small", `${rest.length} replies`)));
}

function openPost({ id, available_tags }) {
	const options = available_tags.map(({ name }) => ({ label: name, value: name }));
	const components = [
		{ type: 4, custom_id: "title", label: "Title", max_length: 100 },
		{ type: 4, custom_id: "text", label: "Text", style: 2, max_length: 2000 },
		{ type: 3, custom_id: "tags", label: "Tags", options, max_values: 5, required: false },
	];
	openForm({ title: "New post", components }, async (values) => {
		const made = await post("post", { channel_id: id, ...values });
		location.hash = `/${made.id}`;
	});
}

async function older() {
	const { id } = state.here;
	const known = messagesIn(id);
	const answer = await attempt("history", { channel_id: id, before: known[0]?.id });
	const added = answer?.messages ?? [];
	if (added.length) setMessages(id, [...added, ...known]);
	$("older").hidden = added.length < PAGE;
	return added.length;
}
$("older").onclick = older;

async function find(id, block = "center") {
	while (!$(`m${id}`) && (await older()));
	$(`m${id}`)?.scrollIntoView({ block });
	held = block === "start" ? -1 : held;
	$(`m${id}`)?.focus({ preventScroll: true });
	if ($(`m${id}`)) beginAt($(`m${id}`));
}

/** What is taller than the view is read from its first line. */
function beginAt(item) {
	const above = view.getBoundingClientRect().top - item.getBoundingClientRect().top;
	if (above > 0) view.scrollBy(0, -above);
}
