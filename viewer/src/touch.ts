// Fingers on a plot: one goes along, two pinch. (The mouse has uPlot's own ways.)
export interface Fingers {
  along(x: number): void; // one finger, at this pixel of the element
  pinch(factor: number, x: number, y: number, dx: number, dy: number): void; // about this pixel, whose place moved by so many
}

export function onFingers(element: HTMLElement, act: Fingers): void {
  const held = new Map<number, { x: number; y: number }>();
  const at = (e: PointerEvent) => {
    const box = element.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  element.style.touchAction = "pan-y";
  element.addEventListener("pointerdown", (e) => {
    if (e.pointerType !== "touch") return;
    held.set(e.pointerId, at(e));
  });
  const release = (e: PointerEvent) => held.delete(e.pointerId);
  for (const end of ["pointerup", "pointercancel", "pointerleave"] as const) element.addEventListener(end, release);
  element.addEventListener("pointermove", (e) => {
    const before = held.get(e.pointerId);
    if (!before) return;
    const now = at(e);
    const other = [...held.entries()].find(([id]) => id !== e.pointerId)?.[1];
    if (other) {
      const far = (p: { x: number; y: number }) => Math.max(20, Math.hypot(p.x - other.x, p.y - other.y));
      act.pinch(far(before) / far(now), (now.x + other.x) / 2, (now.y + other.y) / 2, (now.x - before.x) / 2, (now.y - before.y) / 2);
    } else if (Math.abs(now.x - before.x) > 0.5) act.along(now.x);
    held.set(e.pointerId, now);
  });
}
