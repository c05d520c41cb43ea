// The page of a run: what it is about is seen at once, the rest when the numbers are there.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Run } from "./data";
import { el } from "./dom";
import { opening } from "./head";
import { startTheme } from "./theme";
import { build } from "./whole";

/** Ends when the browser has drawn, or where it does not (a page in the background), soon. */
const drawn = () => new Promise<void>((done) => {
  const late = setTimeout(done, 100);
  requestAnimationFrame(() => setTimeout(() => { clearTimeout(late); done(); }));
});

startTheme();
const run = new Run();
const head = document.getElementById("head") as HTMLElement;
document.title = `${run.header.title} \u2013 Taut`;
head.append(...opening(run));
drawn()
  .then(() => run.load())
  .then(() => build(run), () => head.append(el("p", { class: "warning", role: "status" }, "The numbers of this page cannot be read: a browser of 2023 or later can (DecompressionStream).")));
