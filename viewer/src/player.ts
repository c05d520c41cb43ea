// The time cursor: one row of the table, that everything on the page shows.
import type { Run } from "./data";

export class Player {
  row = 0;
  playing = false;
  speed = 1; // units of the run's time per second
  private time = 0;
  private before = 0;
  private listeners: (() => void)[] = [];

  constructor(readonly run: Run) {}

  get last(): number {
    return Math.max(0, this.run.header.rows - 1);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  seek(row: number): void {
    this.row = Math.max(0, Math.min(this.last, Math.round(row)));
    this.time = this.run.times[this.row] ?? 0;
    this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.row >= this.last) this.seek(0);
    this.playing = true;
    this.time = this.run.times[this.row] ?? 0;
    this.before = performance.now();
    requestAnimationFrame(this.tick);
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  private tick = (now: number): void => {
    if (!this.playing) return;
    this.time += Math.max(0, Math.min(0.25, (now - this.before) / 1000)) * this.speed;
    this.before = now;
    const row = this.run.rowAt(this.time);
    if (row >= this.last) this.playing = false;
    if (row !== this.row || !this.playing) {
      this.row = row;
      this.changed();
    }
    if (this.playing) requestAnimationFrame(this.tick);
  };
}
