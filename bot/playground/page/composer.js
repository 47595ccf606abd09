/** Writing: messages, replies, edits, files, and slash commands. */

import { $, button, complain, suggestions } from "./dom.js";
import { openForm } from "./form.js";
import { FORUM, attempt, interact, messagesIn, on, state } from "./store.js";

const [say, note, picked] = [$("say"), $("note"), $("picked")];
const TYPING_EVERY = 8000;
let task = {};
let typedAt = 0;

const marks = () => [
	...Object.values(state.people).map(({ id, username }) => [`@${username}`, `<@${id}>`]),
	...Object.values(state.roles).map(({ id, name }) => [`@${name}`, `<@&${id}>`]),
	...Object.values(state.channels).filter(({ guild_id, name }) => guild_id && name)
		.map(({ id, name }) => [`#${name}`, `<#${id}>`]),
].sort(([one], [two]) => two.length - one.length);

/** People type names; Discord stores marks. A name ends where a word does. */
const encode = (text) => marks().reduce((all, [name, mark]) => all.replaceAll(name,
	(found, at, whole) => (/[\w<]/.test(whole[at - 1] ?? "") ||
		/[\w-]/.test(whole[at + found.length] ?? "") ? found : mark)), text);

function begin(next = {}, label = "", text = "") {
	task = next;
	note.replaceChildren(label, label && button(".link", () => begin(), {}, "Cancel"));
	say.value = text;
	say.focus();
}

const startEdit = ({ id, content }) => begin({ edit: id }, "Editing. ", content);
on("edit", startEdit);
on("reply", ({ id, author }) =>
	begin({ reply_to: id }, `Replying to ${author.username}. `, say.value));
on("example", (text) => (begin({}, "", text), send()));

export function prepare(channel) {
	say.disabled = !channel.may.speak;
	$("composer").hidden = channel.type === FORUM;
	say.placeholder = channel.may.speak ? "Write, or type /" : "Read only";
	begin();
}

async function send() {
	const text = encode(say.value.trim());
	const files = await Promise.all([...picked.files].map(load));
	const { edit, ...reply } = task;
	if (!text && !files.length) return;
	const sent = await (edit ? attempt("edit", { message_id: edit, text })
		: attempt("send", { channel_id: state.here.id, text, files, ...reply }));
	if (!sent) return;
	begin();
	picked.value = "";
	picked.onchange();
	typedAt = 0;
}

const load = async (file) => ({ name: file.name, base64: (await file.bytes()).toBase64() });


const [TEXT_INPUT, SELECT, BOX] = [4, 3, 23];
const DESTRUCTIVE = / (?:end|stop|forget)$/;
const KINDS = { 5: BOX, 6: 5, 7: 8, 8: 6, 9: 7 };

function flatten({ options = [], description }, path) {
	const inner = options.filter(({ type }) => type < 3);
	return inner.length ? inner.flatMap((part) => flatten(part, `${path} ${part.name}`))
		: [{ text: `/${path}`, hint: description, path, options, danger: DESTRUCTIVE.test(path) }];
}

const matching = (typed) => (state.commands[state.here.guild_id] ?? [])
	.filter(({ type }) => type === 1).flatMap((command) => flatten(command, command.name))
	.filter(({ text }) => text.includes(typed.trim()));

function field({ choices, autocomplete, required = false, ...option }, command) {
	const { name, type } = option;
	const options = choices?.map((choice) => ({ label: choice.name, value: choice.value }));
	const complete = autocomplete && ((values) => completions(command, name, values));
	return { ...option, type: options ? SELECT : KINDS[type] ?? TEXT_INPUT, custom_id: name,
		label: name.replaceAll("_", " "), required, options, number: type === 4, complete };
}

const filled = (fields) => Object.fromEntries(Object.entries(fields)
	.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])
	.filter(([, value]) => value));

async function completions(command, focused, values) {
	const options = { [focused]: "", ...filled(values) };
	const body = { channel_id: state.here.id, command, options, focused };
	return (await attempt("autocomplete", body))?.choices ?? [];
}

function choose({ path: command, hint, options }) {
	begin();
	const run = (values) =>
		interact("slash", { channel_id: state.here.id, command, options: filled(values) });
	if (!options.length) return run({}).catch(complain);
	const fields = options.map((option) => field(option, command));
	openForm({ title: `/${command}`, components: [{ type: 10, content: hint }, ...fields] }, run);
}

const show = suggestions(say, $("suggest"), choose);

say.onkeydown = ({ key, shiftKey, isComposing }) => {
	const last = key === "ArrowUp" && !say.value &&
		messagesIn(state.here.id).findLast(({ author }) => author.id === state.me.id);
	if (key === "Escape") begin({}, "", task.edit ? "" : say.value);
	if (last) startEdit(last);
	const enter = key === "Enter" && !shiftKey && !isComposing;
	if (enter) send();
	return !last && !enter;
};
say.oninput = () => {
	show(say.value.startsWith("/") ? matching(say.value) : []);
	if (Date.now() - typedAt < TYPING_EVERY) return;
	typedAt = Date.now();
	attempt("typing", { channel_id: state.here.id });
};
$("attach").onclick = () => picked.click();
picked.onchange = () =>
	($("files").textContent = [...picked.files].map(({ name }) => name).join(", "));
$("composer").onsubmit = () => (send(), false);
