/** Discord's markdown as nodes. Every rule is a sticky pattern and a builder of one node. */

import { h } from "./dom.js";
import { nameOf, state } from "./store.js";

const DEEPEST = 12;
const FENCE = /\n?```(?:([\w+#.-]+)\n)?\n*([^]*?[^\s`][^]*?)\n*```\n?/y;
const STYLES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};
const UNITS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600]];

// -- inline

const wrap = (tag) => (match, depth) => h(tag, null, inline(match[1], depth));
const INLINE = [
  [/\\([^\w\s])/y, (match) => match[1]],
  [FENCE, (match) => codeBlock(match[1], match[2])],
  [/(`+)([^]*?[^`])\1(?!`)/y, (match) => h("code", null, match[2].trim())],
  [/<(https?:\/\/[^\s<>]+)>/y, (match) => link(match[1])],
  [/\[((?:[^[\]\\]|\\.|\[[^[\]]*\])+)\]\(<?(https?:\/\/[^\s()<>]+(?:\([^\s()]*\))?[^\s()<>]*)>?\)/y,
    (match, depth) => link(match[2], inline(match[1], depth))],
  [/<@!?(\d+)>/y, (match) => mention("@", state.people.get(match[1])?.username ?? "someone")],
  [/<@&(\d+)>/y, (match) => mention("@", state.roles.get(match[1])?.name ?? "a role")],
  [/<#(\d+)>/y, (match) => channelMention(match[1])],
  [/<t:(-?\d{1,13})(?::([tTdDfFR]))?>/y, (match) => time(Number(match[1]), match[2] ?? "f")],
  [/<a?:(\w+):\d+>/y, (match) => `:${match[1]}:`],
  [/<(\/[^:<>]+):\d+>/y, (match) => mention("", match[1])],
  [/@(everyone|here)\b/y, (match) => mention("@", match[1])],
  [/https?:\/\/[^\s<]*[^\s<.,:;"')\]*_~|]/y, (match) => link(match[0])],
  [/\*\*([^]+?)\*\*(?!\*)/y, wrap("strong")],
  [/__([^]+?)__(?!_)/y, wrap("u")],
  [/~~([^]+?)~~/y, wrap("s")],
  [/\|\|([^]+?)\|\|/y, (match, depth) => spoiler(inline(match[1], depth))],
  [/\*(?![\s*])((?:\*\*[^*]+\*\*|[^*])+?)\*(?!\*)/y, wrap("em")],
  [/(?<!\w)_((?:__|[^_])+?)_(?!\w)/y, wrap("em")],
];
const PLAIN = /[^\\`<[@h*_~|\n]+|[^]/y;

export function inline(text, depth = 0) {
  const nodes = [];
  let at = 0;
  while (at < text.length) {
    const [node, end] = next(text, at, depth);
    if (typeof node === "string" && typeof nodes.at(-1) === "string") {
      nodes.push(nodes.pop() + node);
    } else nodes.push(node);
    at = end;
  }
  return nodes;
}

function next(text, at, depth) {
  for (const [pattern, build] of depth < DEEPEST ? INLINE : []) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return [build(match, depth + 1), at + match[0].length];
  }
  PLAIN.lastIndex = at;
  const [plain] = PLAIN.exec(text);
  return [plain, at + plain.length];
}

function codeBlock(language, code) {
  const label = language && h("span", { class: "language" }, language);
  return h("pre", { tabindex: 0 }, label, h("code", null, code));
}

export function jump(url) {
  const found = /^https:\/\/(?:\w+\.)?discord\.com\/channels\/\d+\/(\d+)(?:\/(\d+))?$/.exec(url);
  if (!found || !state.channels.has(found[1])) return null;
  return `#/${found[1]}${found[2] ? `/${found[2]}` : ""}`;
}

/** Where a link goes is always to be seen: as its text, or behind its text. */
export function link(url, label) {
  const inside = jump(url);
  if (inside) {
    const place = nameOf(state.channels.get(inside.split("/")[1]));
    return h("a", { class: "mention", href: inside }, label ?? `#${place} › message`);
  }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return h("span", null, label ?? url);
  const props = { href: url, target: "_blank", rel: "noopener noreferrer nofollow", title: url };
  const place = label && h("span", { class: "goes" }, ` (${new URL(url).host})`);
  return h("span", null, h("a", props, label ?? url), place);
}

const mention = (sign, name) => h("span", { class: "mention" }, sign + name);

function channelMention(id) {
  const channel = state.channels.get(id);
  if (!channel) return mention("#", "unknown");
  return h("a", { class: "mention", href: `#/${id}` }, `#${nameOf(channel)}`);
}

function spoiler(children) {
  const inside = h("span", { inert: true }, children);
  const label = "Spoiler, press to show";
  const reveal = (event) => {
    if (event.type === "keydown" && !["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    node.replaceWith(h("span", { class: "revealed" }, [...inside.childNodes]));
  };
  const props = { class: "spoiler", role: "button", tabindex: 0, "aria-label": label };
  const node = h("span", { ...props, onclick: reveal, onkeydown: reveal }, inside);
  return node;
}

// -- times

export function relative(seconds) {
  const away = seconds - Date.now() / 1000;
  const [unit, size] = UNITS.find((entry) => Math.abs(away) >= entry[1]) ??
    (Math.abs(away) >= 60 ? ["minute", 60] : ["second", 1]);
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  return format.format(Math.round(away / size), unit);
}

function time(seconds, style) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `<t:${seconds}>`;
  const title = new Intl.DateTimeFormat("en-GB", STYLES.F).format(date);
  const text = style === "R"
    ? relative(seconds)
    : new Intl.DateTimeFormat("en-GB", STYLES[style]).format(date);
  const data = style === "R" ? { relative: seconds } : {};
  return h("time", { datetime: date.toISOString(), title, data }, text);
}

export function refreshTimes() {
  for (const node of document.querySelectorAll("time[data-relative]")) {
    node.textContent = relative(Number(node.dataset.relative));
  }
}

// -- blocks

const ITEM = /^( *)([-*]|\d{1,9}\.) +(.+)$/;
const BLOCKS = [
  [/>>> ?([^]*)/y, (match, depth) => h("blockquote", null, blocks(match[1], depth, true))],
  [/(?:> [^\n]*(?:\n|$)|>(?:\n|$))+/y, quote],
  [/(#{1,3}) +([^\n]+)(?:\n|$)/y, (match, depth) =>
    h(`h${match[1].length + 2}`, null, inline(match[2].trim(), depth))],
  [/-# +([^\n]+)(?:\n|$)/y, (match, depth) => h("small", null, inline(match[1], depth))],
  [/(?: *(?:[-*]|\d{1,9}\.) +[^\n]+(?:\n|$)(?: {2,}(?![-*] |\d+\. )[^\n]+(?:\n|$))*)+/y, list],
];

function quote(match, depth, quoted) {
  if (quoted) return h("div", null, inline(match[0].replace(/\n$/, ""), depth));
  const inside = match[0].replace(/\n$/, "").replace(/^> ?/gm, "");
  return h("blockquote", null, blocks(inside, depth, true));
}

function list(match, depth) {
  const levels = [];
  for (const line of match[0].replace(/\n$/, "").split("\n")) {
    const item = ITEM.exec(line);
    if (item) addItem(levels, item, depth);
    else levels.at(-1).node.lastChild.append("\n", ...inline(line.trim(), depth));
  }
  return levels[0].node;
}

function addItem(levels, [, indent, sign, text], depth) {
  while (levels.length > 1 && indent.length < levels.at(-1).indent) levels.pop();
  const top = levels.at(-1);
  if (!top || (indent.length > top.indent + 1 && levels.length < DEEPEST)) {
    const start = parseInt(sign, 10);
    const node = Number.isNaN(start) ? h("ul") : h("ol", { start });
    top?.node.lastChild.append(node);
    levels.push({ indent: indent.length, node });
  }
  levels.at(-1).node.append(h("li", null, inline(text, depth)));
}

/** Where a run of ordinary lines ends: at the next line that starts a block. */
function runEnd(text, at) {
  for (let end = at; end < text.length; ) {
    end = lineEnd(text, end);
    if (BLOCKS.some(([pattern]) => ((pattern.lastIndex = end), pattern.test(text)))) return end;
  }
  return text.length;
}

function lineEnd(text, at) {
  const stop = text.indexOf("\n", at);
  const fence = text.indexOf("```", at);
  const close = fence < 0 ? -1 : text.indexOf("```", fence + 3);
  if (close >= 0 && (stop < 0 || fence < stop)) return lineEnd(text, close + 3);
  return stop < 0 ? text.length : stop + 1;
}

function blocks(text, depth = 0, quoted = false) {
  const nodes = [];
  for (let at = 0; at < text.length; ) {
    const [node, end] = block(text, at, depth, quoted);
    nodes.push(node);
    at = end;
  }
  return nodes;
}

function block(text, at, depth, quoted) {
  for (const [pattern, build] of BLOCKS) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return [build(match, depth + 1, quoted), at + match[0].length];
  }
  const end = runEnd(text, at);
  return [h("div", null, inline(text.slice(at, end).replace(/\n$/, ""), depth)), end];
}

export const markdown = (text) => h("div", { class: "text" }, blocks(text));

/** The beginning of a text on one line, without its marks. */
export const plain = (text, length = 100) =>
  h("i", null, inline(text.slice(0, 600))).textContent.replace(/[\s#>-]+/g, " ").trim()
    .slice(0, length);
