// Lua source, coloured.
import { el } from "./dom";

const TOKEN = /(--\[\[[\s\S]*?\]\]|--[^\n]*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\[\[[\s\S]*?\]\])|(\b(?:and|break|do|else|elseif|end|false|for|function|goto|if|in|local|nil|not|or|repeat|return|then|true|until|while)\b)|(\b(?:0x[\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?)\b)/g;
const KINDS = ["comment", "string", "keyword", "number"];

/** Lua with comments, texts, keywords and numbers told apart. */
export function lua(source: string): HTMLElement {
  const code = el("code");
  let at = 0;
  for (const match of source.matchAll(TOKEN)) {
    code.append(source.slice(at, match.index));
    const kind = KINDS[match.slice(1).findIndex((part) => part !== undefined)];
    code.append(el("span", { class: `lua-${kind}` }, match[0]));
    at = (match.index ?? 0) + match[0].length;
  }
  code.append(source.slice(at));
  const lines = source.replace(/\n$/, "").split("\n").length;
  const numbers = el("div", { class: "line-numbers", "aria-hidden": "true" }, Array.from({ length: lines }, (_, i) => i + 1).join("\n"));
  return el("pre", { class: "source", tabindex: "0", "aria-label": "source of the model" }, numbers, code);
}
