/** Builds nodes. Text becomes text nodes and nothing else, so nothing anybody writes can run. */

const PATHS = {
  clip: "M19 11l-8 8a5 5 0 0 1-7-7l8.5-8.5a3.4 3.4 0 0 1 5 5L9 17a1.7 1.7 0 0 1-2.5-2.5L14 7",
  close: "M6 6l12 12M18 6L6 18",
  face: "M21 12a9 9 0 1 1-18 0a9 9 0 0 1 18 0M9 10v.01M15 10v.01M8.5 14.5a4.5 4.5 0 0 0 7 0",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M5 12v.01M12 12v.01M19 12v.01",
  reply: "M9 7l-5 5l5 5M4 12h10a6 6 0 0 1 6 6v1",
  send: "M5 12h14M13 6l6 6l-6 6",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
};

export const $ = (id) => document.getElementById(id);

export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props ?? {})) assign(node, key, value);
  node.append(...children.flat(2).filter((child) => child || child === 0));
  return node;
}

function assign(node, key, value) {
  if (typeof value === "function") node.addEventListener(key.slice(2), value);
  else if (key === "data") Object.assign(node.dataset, value);
  else if (value === true) node.setAttribute(key, "");
  else if (value !== false && value != null) node.setAttribute(key, value);
}

export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

export const iconButton = (name, label, onclick, props) =>
  h("button", { type: "button", "aria-label": label, title: label, onclick, ...props }, icon(name));

export const face = (name) =>
  h("img", { class: "face", src: `/cdn/faces/${encodeURIComponent(name)}.svg`, alt: "" });

/** The path of a file of this server, or nothing: no other address is ever loaded. */
export function ownPath(url) {
  try {
    const { pathname } = new URL(url, location.href);
    return pathname.startsWith("/cdn/") ? pathname : "";
  } catch {
    return "";
  }
}

export function say(sentence) {
  const note = h("p", null, sentence);
  $("alert").append(note);
  setTimeout(() => note.remove(), 6000);
}

export const announce = (text) => $("spoken").replaceChildren(h("p", null, text));
