/** The wire: posting actions, following events, waiting for the application's answers. */

import { $, say } from "./dom.js";
import { openForm } from "./form.js";
import { apply, on, state } from "./store.js";

const ANSWER_WITHIN = 3300;
const answers = new Map();
const waiting = new Map();
let socket = null;
let pause = 500;
let timer = 0;

async function read(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? "The playground refused this.");
  return body;
}

export const get = async (path) => read(await fetch(`/page/${path}`));

export async function post(action, body) {
  const headers = { "Content-Type": "application/json" };
  const text = JSON.stringify(action === "faults" ? body : { as: state.me.id, ...body });
  return read(await fetch(`/page/${action}`, { method: "POST", headers, body: text }));
}

/** Posts and shows a refusal to the person; gives nothing when it was refused. */
export async function attempt(action, body) {
  try {
    return await post(action, body);
  } catch (error) {
    say(error.message);
    return null;
  }
}

on("answer", (answer) => {
  const ready = waiting.get(answer.interaction_id);
  if (ready) ready(answer);
  else answers.set(answer.interaction_id, answer);
});

/** An answer may come before the request that asked for it has returned. */
function answerTo(id) {
  if (answers.has(id)) return Promise.resolve(answers.get(id));
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error("The application did not respond."));
    setTimeout(late, ANSWER_WITHIN);
    waiting.set(id, resolve);
  });
}

/** Starts an interaction and waits for the answer; a form is opened where one is the answer. */
export async function interact(action, body) {
  const { id } = await post(action, body);
  const answer = await answerTo(id);
  waiting.delete(id);
  answers.delete(id);
  if (answer.kind === "modal") {
    openForm(answer, (values) => interact("modal", { interaction_id: id, values }));
  }
}

/** The same with a busy mark on what was pressed, and refusals shown. */
export async function press(control, action, body) {
  if (control.ariaBusy === "true") return;
  control.ariaBusy = "true";
  try {
    await interact(action, body);
  } catch (error) {
    say(error.message);
  }
  control.ariaBusy = "false";
}

const remembered = () => sessionStorage.getItem("person");

export function speakAs(name) {
  sessionStorage.setItem("person", name);
  const old = socket;
  socket = null;
  old?.close();
  connect();
}

async function playable() {
  const { people } = await get("people");
  return people.find((person) => person.username === remembered()) ?? people[0];
}

export async function connect() {
  clearTimeout(timer);
  try {
    follow(await playable());
  } catch {
    retry();
  }
}

function follow(person) {
  const opened = new WebSocket(`ws://${location.host}/page/live?as=${person.id}`);
  socket = opened;
  opened.onmessage = ({ data }) => {
    if (socket !== opened) return;
    pause = 500;
    $("gone").hidden = true;
    apply(JSON.parse(data));
  };
  opened.onclose = () => socket === opened && retry();
}

function retry() {
  $("gone").hidden = false;
  clearTimeout(timer);
  timer = setTimeout(connect, pause);
  pause = Math.min(pause * 1.6, 5000);
}
