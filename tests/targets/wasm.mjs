// wasm.mjs ELEMENTARY.wasm FOLDER: the steps of the cases in the folder (cases.h) by their modules, with the bits of
// the machine that wrote them.
import { readFileSync, readdirSync } from "node:fs";

const words = ["magic", "values", "registers", "stateFirst", "state", "reportFirst", "reports", "countFirst",
               "literalFirst", "setup", "flow", "steps"];
const nameAt = 16 * 4, nameLength = 80, codeAt = nameAt + nameLength, instruction = 5 * 4, counts = 4, pageSize = 65536;

const [elementaryFile, folder] = process.argv.slice(2);
const elementary = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(elementaryFile))).exports;
const calls = {};

// The first number with other bits, or -1. Any NaN is the same.
function differ(a, b) {
    const [bitsOfA, bitsOfB] = [a, b].map((x) => new BigUint64Array(x.buffer, x.byteOffset, x.length));
    return bitsOfA.findIndex((bits, i) => bits !== bitsOfB[i] && !(Number.isNaN(a[i]) && Number.isNaN(b[i])));
}

function check(title, what, found, expected) {
    const i = differ(found, expected);
    if (i >= 0) throw new Error(`${title}: ${what} ${i} is ${found[i]}, not ${expected[i]}`);
}

function run(file) {
    const bytes = readFileSync(`${folder}/${file}`);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const head = Object.fromEntries(words.map((word, i) => [word, new Uint32Array(buffer, 0, words.length)[i]]));
    const name = new TextDecoder().decode(new Uint8Array(buffer, nameAt, nameLength)).replace(/\0.*/, "");
    const title = `${file} (${name})`;
    const length = head.setup + head.flow;
    const numbers = new Float64Array(buffer, codeAt + instruction * (length + length % 2));
    let at = 0;
    const take = (count) => numbers.subarray(at, at += count);

    const size = 8 * (head.values + head.state);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(size / pageSize) });
    const registers = new Float64Array(memory.buffer, 0, head.values);
    const state = new Float64Array(memory.buffer, 8 * head.values, head.state);
    const module = new WebAssembly.Module(readFileSync(`${folder}/${file.replace("case", "wasm")}`));
    for (const { name } of WebAssembly.Module.imports(module)) calls[name] = (calls[name] ?? 0) + 1;
    const step = new WebAssembly.Instance(module, { taut: { memory, ...elementary, memory } }).exports;

    registers.set(take(head.values));
    state.set(registers.subarray(head.stateFirst, head.stateFirst + head.state));
    step.set_up(0, 8 * head.values);
    for (let i = 0; i < head.steps; i++) {
        registers.set(take(4), head.stateFirst + head.state);
        state.set(take(head.state));
        registers.fill(0, head.countFirst, head.countFirst + counts);
        check(title, "result of step", Float64Array.of(step.step(0, 8 * head.values)), take(1));
        check(title, "number of the state", state, take(head.state));
        const part = (first, count) => registers.subarray(first, first + count);
        check(title, "report", part(head.reportFirst, head.reports), take(head.reports));
        check(title, "count", part(head.countFirst, counts), take(counts));
    }
    if (at !== numbers.length) throw new Error(`${title}: ${numbers.length - at} numbers are left`);
}

const files = readdirSync(folder).filter((name) => name.endsWith(".case"));
files.forEach(run);
const imported = Object.entries(calls).map(([name, count]) => `${name} ${count}`).join(", ");
console.log(`${files.length} cases; imported: ${imported}`);
if (files.length === 0) process.exit(1);
