/** What the page knows, kept up to date by the server's events; views listen for what changed. */

export const THREADS = [10, 11, 12];
export const [TEXT, DIRECT, CATEGORY, FORUM] = [0, 1, 4, 15];

export const state = {
  me: null,
  here: null,
  guilds: [],
  commands: {},
  channels: new Map(),
  people: new Map(),
  roles: new Map(),
  messages: new Map(),
  unread: new Map(),
};

const listeners = {};

export function on(name, action) {
  (listeners[name] ??= []).push(action);
}

export function tell(name, ...details) {
  for (const action of listeners[name] ?? []) action(...details);
}

const byId = (list) => new Map(list.map((entry) => [entry.id, entry]));

export function fill(snapshot) {
  const { me, guilds, commands, channels, people, roles, messages, unread } = snapshot;
  Object.assign(state, { me, guilds, commands });
  state.channels = byId(channels);
  state.people = byId(people);
  state.roles = byId(roles);
  state.messages = new Map(Object.entries(messages));
  state.unread = new Map(Object.entries(unread));
  tell("reset");
}

export const isThread = (channel) => THREADS.includes(channel.type);
export const nameOf = (channel) =>
  channel.name ?? (channel.recipients?.[0]?.username ?? "Direct message");
export const messagesIn = (id) => state.messages.get(id) ?? [];
export const channelsOf = (guildId) =>
  [...state.channels.values()].filter((channel) => channel.guild_id === guildId);
export const threadsOf = (id) =>
  [...state.channels.values()]
    .filter((channel) => isThread(channel) && channel.parent_id === id)
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));

export function findMessage(id) {
  for (const list of state.messages.values()) {
    const found = list.find((message) => message.id === id);
    if (found) return found;
  }
  return null;
}

/** People, roles or channels as choices: 5 and 6 people, 6 and 8 roles… by select type. */
export function choicesFor(part) {
  const people = [...state.people.values()].map((user) => [user.username, user.id]);
  const roles = [...state.roles.values()].map((role) => [role.name, role.id]);
  const places = [...state.channels.values()]
    .filter((c) => c.name && (!part.channel_types?.length || part.channel_types.includes(c.type)))
    .map((channel) => [`#${channel.name}`, channel.id]);
  const lists = { 5: people, 6: roles, 7: [...people, ...roles], 8: places };
  const found = lists[part.type]?.map(([label, value]) => ({ label, value }));
  const wanted = new Set((part.default_values ?? []).map((entry) => entry.id));
  found?.forEach((choice) => (choice.default = wanted.has(choice.value)));
  return found ?? part.options ?? [];
}

function keepChannel(channel) {
  state.channels.set(channel.id, { ...state.channels.get(channel.id), ...channel });
  tell("channels");
  if (channel.id === state.here?.id) {
    state.here = state.channels.get(channel.id);
    tell("header");
  }
}

function dropChannel({ id }) {
  state.channels.delete(id);
  state.messages.delete(id);
  tell("channels");
}

function addMessage(message) {
  const list = messagesIn(message.channel_id);
  if (list.some((known) => known.id === message.id)) return changeMessage(message);
  state.messages.set(message.channel_id, [...list, message]);
  tell("new", message);
}

function changeMessage(message) {
  const list = messagesIn(message.channel_id);
  const index = list.findIndex((known) => known.id === message.id);
  if (index < 0) return;
  list[index] = message;
  tell("changed", message);
}

function dropMessages(channelId, ids) {
  const gone = messagesIn(channelId).filter((message) => ids.includes(message.id));
  const kept = messagesIn(channelId).filter((message) => !ids.includes(message.id));
  state.messages.set(channelId, kept);
  gone.forEach((message) => tell("gone", message));
}

export const emojiKey = (emoji) => (emoji.id ? `${emoji.name}:${emoji.id}` : emoji.name);

function countReaction({ message_id, user_id, emoji }, step) {
  const message = findMessage(message_id);
  if (!message) return;
  const list = (message.reactions ??= []);
  let entry = list.find((known) => emojiKey(known.emoji) === emojiKey(emoji));
  if (!entry) list.push((entry = { emoji, count: 0, me: false }));
  entry.count += step;
  if (user_id === state.me.id) entry.me = step > 0;
  message.reactions = list.filter((known) => known.count > 0);
  tell("changed", message);
}

const EVENTS = {
  SNAPSHOT: fill,
  MESSAGE_CREATE: addMessage,
  MESSAGE_UPDATE: changeMessage,
  MESSAGE_DELETE: ({ id, channel_id }) => dropMessages(channel_id, [id]),
  MESSAGE_DELETE_BULK: ({ ids, channel_id }) => dropMessages(channel_id, ids),
  CHANNEL_CREATE: keepChannel,
  CHANNEL_UPDATE: keepChannel,
  CHANNEL_DELETE: dropChannel,
  THREAD_CREATE(channel) {
    keepChannel(channel);
    tell("thread", channel);
  },
  THREAD_UPDATE: keepChannel,
  THREAD_DELETE: dropChannel,
  GUILD_MEMBER_ADD: ({ user }) => state.people.set(user.id, user),
  TYPING_START: (data) => tell("typing", data),
  MESSAGE_REACTION_ADD: (data) => countReaction(data, 1),
  MESSAGE_REACTION_REMOVE: (data) => countReaction(data, -1),
  COMMANDS_UPDATE: ({ commands }) => Object.assign(state, { commands }),
  INTERACTION_ANSWER: (data) => tell("answer", data),
};

export const apply = ({ t, d }) => EVENTS[t]?.(d);
