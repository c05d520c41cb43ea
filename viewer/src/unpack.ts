// Numbers as src/report/pack.h packs them: differences from predictions, in planes of bytes, deflated.

/** How a channel is predicted: the order of an extrapolation, or [channel, times, plus]. */
export type Code = number | [like: number, times: number, plus: number];

/** zlib's format. The browser's own, which needs no second program. */
export async function inflate(bytes: ArrayBuffer): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** -(-1)^j (n over j) */
function weights(order: number): number[] {
  const w = [-1];
  for (let j = 1; j <= order; j++) w.push((-w[j - 1] * (order - j + 1)) / j);
  return w;
}

const TURNED = 0x7fffffff;

/** One channel of `rows` numbers, from its eight planes. `like` has the numbers of the channel that the code names. */
export function unpack(planes: Uint8Array, rows: number, code: Code, like: Float64Array | null): Float64Array {
  const x = new Float64Array(rows);
  const bits = new Int32Array(x.buffer); // low, high
  const guess = new Float64Array(1);
  const guessed = new Int32Array(guess.buffer);
  const most = typeof code === "number" ? code : 0;
  let w = weights(0);
  for (let i = 0; i < rows; i++) {
    const order = Math.min(i, most);
    if (w.length !== order + 1) w = weights(order);
    let p = 0;
    if (typeof code !== "number") p = code[1] * (like as Float64Array)[i] + code[2];
    else if (order) {
      p = w[1] * x[i - 1];
      for (let j = 2; j <= order; j++) p += w[j] * x[i - j];
    }
    guess[0] = Number.isFinite(p) ? p : 0;
    let [low, high] = [guessed[0], guessed[1]];
    if (high < 0) [low, high] = [~low, high ^ TURNED];
    // the difference: twice its size, odd where it is negative
    const dl = planes[i] | (planes[rows + i] << 8) | (planes[2 * rows + i] << 16) | (planes[3 * rows + i] << 24);
    const dh = planes[4 * rows + i] | (planes[5 * rows + i] << 8) | (planes[6 * rows + i] << 16) | (planes[7 * rows + i] << 24);
    const sign = -(dl & 1);
    const [rl, rh] = [((dl >>> 1) | (dh << 31)) ^ sign, (dh >>> 1) ^ sign];
    const sum = (low >>> 0) + (rl >>> 0);
    high = (high + rh + (sum > 0xffffffff ? 1 : 0)) | 0;
    low = sum | 0;
    if (high < 0) [low, high] = [~low, high ^ TURNED];
    bits[2 * i] = low;
    bits[2 * i + 1] = high;
  }
  return x;
}
