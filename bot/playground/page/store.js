/** What the page knows; views listen for changes. */

import { $, complain } from "./dom.js";
import { openForm } from "./form.js";

export const [FORUM, SYSTEM] = [15, [18, 21]];
const [TEXT, CATEGORY] = [0, 4];
const ANSWER_WITHIN = 3300;

export const state = {};
const listeners = {};
export const on = (name, action) => (listeners[name] ??= []).push(action);
export const tell = (name, detail) => listeners[name]?.forEach((action) => action(detail));

export const isThread = ({ type }) => type > 9 && type < 13;
export const nameOf = ({ name = "Roundtable" }) => name;
export const messagesIn = (id) => state.messages[id] ?? [];
const everyChannel = () => Object.values(state.channels);
export const home = () => everyChannel().find(({ type }) => type === TEXT);
export const placesOf = (parent) => (parent
	? everyChannel().filter((c) => isThread(c) && c.parent_id === parent).reverse()
	: everyChannel().filter((c) => !isThread(c) && c.type !== CATEGORY));
export const emojiKey = ({ id, name }) => (id ? `${name}:${id}` : name);

export function choicesFor({ type, options = [], channel_types: kinds }) {
	const { people, roles, channels } = state;
	const offered = { 5: people, 6: roles, 7: { ...people, ...roles }, 8: channels }[type];
	if (!offered) return options;
	return Object.values(offered).filter((one) => !kinds || kinds.includes(one.type))
		.map(({ id, name, username }) => ({ label: name ?? username, value: id }));
}

// Messages are replaced, never changed: views compare them.
export function setMessages(id, list) {
	state.messages[id] = list;
	tell("messages", id);
}

const replaceMessage = (message) => setMessages(message.channel_id,
	messagesIn(message.channel_id).map((known) => (known.id === message.id ? message : known)));

function keepChannel(channel) {
	const known = { ...state.channels[channel.id], ...channel };
	state.channels[channel.id] = known;
	if (state.here.id === channel.id) state.here = known;
	tell("channels");
}

const countReaction = (step) => ({ channel_id, message_id, user_id, emoji }) => {
	const message = messagesIn(channel_id).find(({ id }) => id === message_id);
	if (!message) return;
	const others = message.reactions.filter((known) => emojiKey(known.emoji) !== emojiKey(emoji));
	const { count = 0, me } = message.reactions.find((known) => !others.includes(known)) ?? {};
	const changed = { emoji, count: count + step, me: user_id === state.me.id ? step > 0 : me };
	replaceMessage({ ...message, reactions: changed.count ? [...others, changed] : others });
};

const EVENTS = {
	SNAPSHOT(snapshot) {
		Object.assign(state, snapshot, { here: null });
		for (const list of ["channels", "people", "roles"]) {
			state[list] = Object.fromEntries(snapshot[list].map((entry) => [entry.id, entry]));
		}
		tell("reset");
	},
	MESSAGE_CREATE(message) {
		const { id, channel_id } = message;
		const list = messagesIn(channel_id);
		if (list.some((known) => known.id === id)) return replaceMessage(message);
		setMessages(channel_id, [...list, message]);
		tell("new", message);
		const starter = messagesIn(state.channels[channel_id]?.parent_id)
			.find((known) => known.id === channel_id);
		if (starter) replaceMessage({ ...starter });
	},
	MESSAGE_UPDATE: replaceMessage,
	MESSAGE_DELETE: ({ id, channel_id }) =>
		setMessages(channel_id, messagesIn(channel_id).filter((known) => known.id !== id)),
	MESSAGE_REACTION_ADD: countReaction(1),
	MESSAGE_REACTION_REMOVE: countReaction(-1),
	CHANNEL_CREATE: (channel) => (keepChannel(channel), tell("opened", channel)),
	CHANNEL_UPDATE: keepChannel,
	CHANNEL_DELETE: ({ id }) => (delete state.channels[id], tell("channels")),
	GUILD_MEMBER_ADD: ({ user }) => (state.people[user.id] = user),
	TYPING_START: (typing) => tell("typing", typing),
	COMMANDS_UPDATE: (update) => Object.assign(state, update),
	INTERACTION_ANSWER: (answer) => answerTo(answer.interaction_id).resolve(answer),
};

export async function get(path, options) {
	const response = await fetch(`/page/${path}`, options);
	const body = await response.json();
	if (!response.ok) throw new Error(body.error);
	return body;
}

export const post = (action, body) =>
	get(action, { method: "POST", body: JSON.stringify({ as: state.me.id, ...body }) });
export const attempt = (action, body) => post(action, body).catch(complain);

const answers = new Map();

// An answer may come before the request that asked for it has returned.
function answerTo(id) {
	if (!answers.has(id)) answers.set(id, Promise.withResolvers());
	return answers.get(id);
}

export async function interact(action, body) {
	const { id } = await post(action, body);
	const { promise, reject } = answerTo(id);
	setTimeout(reject, ANSWER_WITHIN, new Error("The application did not respond."));
	const answer = await promise.finally(() => answers.delete(id));
	if (answer.kind !== "modal") return;
	openForm(answer, (values) => interact("modal", { interaction_id: id, values }));
}

export async function press(control, action, body) {
	if (control.ariaBusy === "true") return;
	control.ariaBusy = "true";
	await interact(action, body).catch(complain);
	control.ariaBusy = "false";
}

let socket = null;

export async function connect() {
	try {
		const { people } = await get("people");
		const chosen = sessionStorage.getItem("person");
		follow((people.find(({ username }) => username === chosen) ?? people[0]).id);
	} catch {
		retry();
	}
}

function follow(id) {
	socket?.close();
	const opened = (socket = new WebSocket(`/page/live?as=${id}`));
	opened.onclose = () => socket === opened && retry();
	opened.onmessage = ({ data }) => {
		if (socket !== opened) return;
		const { t, d } = JSON.parse(data);
		$("gone").hidden = true;
		EVENTS[t.replace("THREAD", "CHANNEL")]?.(d);
	};
}

function retry() {
	$("gone").hidden = false;
	setTimeout(connect, 1000);
}
