/** Forms in a dialog: modals, and the page's own in the same shape. */

import { button, h, suggestions } from "./dom.js";
import { markdown } from "./markdown.js";
import { choicesFor } from "./store.js";

const [ROW, TEXT_INPUT, TEXT, LABEL] = [1, 4, 10, 18];
const [RADIO, BOXES, BOX] = [21, 22, 23];

/** Shows components as a form; `send` gets the values by custom id and throws a refusal. */
export function openForm({ title, components }, send) {
	const fields = {};
	const error = h("p.error", { role: "alert" });
	const submit = h("button.primary", "Submit");
	const onsubmit = () => {
		submit.disabled = true;
		send(valuesOf(fields)).then(() => dialog.close(), ({ message }) => {
			error.textContent = message;
			submit.disabled = false;
		});
		return false;
	};
	const onclose = () => dialog.remove();
	const dialog = h("dialog", { "aria-label": title, onclose }, h("form", { onsubmit },
		h("h2", title), components.map((part) => draw(part, fields)), error,
		h("div.row", button("", () => dialog.close(), {}, "Cancel"), submit)));
	document.body.append(dialog);
	dialog.showModal();
}

const valuesOf = (fields) =>
	Object.fromEntries(Object.entries(fields).map(([id, read]) => [id, read()]));

function draw(part, fields, { label = part.placeholder, description } = part) {
	const { type, required = true, custom_id } = part;
	if (type === LABEL) return draw(part.component, fields, part);
	if (type === ROW) return part.components.map((inner) => draw(inner, fields));
	if (type === TEXT) return markdown(part.content);
	const control = { [TEXT_INPUT]: text, [BOX]: box }[type] ?? choice;
	const [node, read] = control({ ...part, required }, fields);
	fields[custom_id] = read;
	return h("label", h("span", label, required && type !== BOX && " *"),
		description?.length > 1 && h("small", description), node);
}

function text({ style, value = "", number, complete, required, placeholder, ...part }, fields) {
	const field = h(style === 2 ? "textarea" : "input", { required, placeholder, rows: 4,
		minlength: part.min_length, maxlength: part.max_length, autocomplete: "off",
		type: number ? "number" : null });
	field.value = value;
	return complete ? completed(field, part.custom_id, () => complete(valuesOf(fields)))
		: [field, () => field.value];
}

function completed(field, name, ask) {
	const list = h("ul", { role: "listbox", id: `choices-${name}`, "aria-label": "Choices" });
	let chosen = {};
	field.role = "combobox";
	const show = suggestions(field, list, (item) => {
		chosen = item;
		field.value = item.text;
	});
	field.oninput = async () => {
		const typed = field.value;
		const choices = await ask();
		if (field.value === typed) show(choices.map(({ name, value }) => ({ text: name, value })));
	};
	return [h("span", field, list), () => (chosen.text === field.value ? chosen.value : field.value)];
}

function box({ default: checked }) {
	const node = h("input", { type: "checkbox", checked });
	return [node, () => node.checked];
}

function choice(part) {
	const { type, max_values: most = 1, required, placeholder = "Choose…" } = part;
	const multiple = most > 1 || type === BOXES;
	const options = choicesFor(part).map(({ value, label, default: selected }) =>
		h("option", { value, selected }, label));
	const node = h("select", { multiple, required },
		!multiple && h("option", { value: "" }, placeholder), options);
	const values = () => [...node.selectedOptions].map(({ value }) => value).filter(Boolean);
	return [node, () => (type === RADIO ? values()[0] : values())];
}
