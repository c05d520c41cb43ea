// The time cursor: one row of the table, that everything on the page shows.
import type { Run } from "./data";

export class Player {
  row = 0;
  playing = false;
  speed = 1; // units of the run's time per second
  private time = 0;
  private before = 0;
  private stop = 0; // row
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

  seekTime(t: number): void {
    this.seek(this.run.rowAt(t));
  }

  /** Where playing ends: with the frames that have no gaps, when it is among them. */
  private end(): number {
    const p = this.run.header.picture;
    return p.frames && this.run.sparse(p.frames - 1) && p.dense && this.row < this.run.rowOf(p.dense - 1) ? this.run.rowOf(p.dense - 1) : this.last;
  }

  play(): void {
    if (this.row >= this.last) this.seek(0);
    this.stop = this.end();
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
    const p = this.run.pictureFrame(this.row);
    // frames with gaps are shown some twelve a second, not as slowly as the motion between them would be
    const least = this.run.sparse(p) && p > 0 ? 12 * (this.run.times[this.run.rowOf(p)] - this.run.times[this.run.rowOf(p - 1)]) : 0;
    this.time += Math.max(0, Math.min(0.25, (now - this.before) / 1000)) * Math.max(this.speed, least);
    this.before = now;
    const row = Math.min(this.stop, this.run.rowAt(this.time));
    if (row >= this.stop) this.playing = false;
    if (row !== this.row || !this.playing) {
      this.row = row;
      this.changed();
    }
    if (this.playing) requestAnimationFrame(this.tick);
  };
}
