// Elements in one call.
type Child = Node | string | null | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

export function button(text: string, label: string, action: () => void, className = ""): HTMLButtonElement {
  const element = el("button", { type: "button", "aria-label": label, title: label, class: className }, text);
  element.addEventListener("click", action);
  return element;
}

export function select(label: string, options: [string, string][], value: string, action: (value: string) => void): HTMLSelectElement {
  const element = el("select", { "aria-label": label, title: label });
  for (const [v, text] of options) element.append(el("option", { value: v }, text));
  element.value = value;
  element.addEventListener("change", () => action(element.value));
  return element;
}
