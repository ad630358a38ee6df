// Joint angles, heights and uncertainty over time, all under one cursor.

import { byId, element } from "./elements.js";
import { frameOf } from "./places.js";

const SIDES = { left: "L", right: "R" };
/** "left_knee_flexion" and "knee_flexion_left" as ["left", "knee flexion"]. */
function sideOf(name) {
  const found = /^(left|right)_|_(left|right|l|r)$/.exec(name);
  const side = found && { l: "left", r: "right" }[found[2]] || found && (found[1] ?? found[2]);
  return [side || "", name.replace(/^(left|right)_|_(left|right|l|r)$/, "").replaceAll("_", " ")];
}

/** The charts of a person: title, tab, unit, and a series for each side. */
function chartsOf(person, world) {
  const charts = new Map();
  const add = (tab, name, unit, digits, value, radius) => {
    const [side, title] = sideOf(name), key = tab + title;
    if (!charts.has(key)) charts.set(key, { tab, title, unit, digits, series: [] });
    charts.get(key).series.push({ side, value, radius });
  };
  const angles = person.angles.length, joints = person.names.length;
  person.angles.forEach((name, i) => add("Angles", name, "°", 1, (frame) => person.degrees[frame * angles + i]));
  for (const name of ["head_top", "pelvis", "left_wrist", "right_wrist", "left_knee", "right_knee", "left_ankle",
    "right_ankle", "left_big_toe", "right_big_toe"]) {
    const joint = person.names.indexOf(name);
    if (joint >= 0) add("Heights", name, "m", 2, (frame) => person.places[3 * (frame * joints + joint) + 1],
      person.uncertainty && ((frame) => person.uncertainty[frame * joints + joint]));
  }
  if (person.uncertainty) for (const name of ["head_top", "left_wrist", "right_wrist", "left_elbow", "right_elbow",
    "left_knee", "right_knee", "left_ankle", "right_ankle"]) {
    const joint = person.names.indexOf(name);
    if (joint >= 0) add("Uncertainty", name, "cm", 1, (frame) => 100 * person.uncertainty[frame * joints + joint]);
  }
  return [...charts.values()];
}

/** A number that reads well, at least as far apart as the labels need. */
function niceStep(span) {
  const rough = span / 4, power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

/** Room for the numbers of the axis, pixels; the style knows it too. */
const GUTTER = 30;

export class Charts {
  constructor(state, seek) {
    Object.assign(this, { state, seek, tab: null, shown: [] });
    this.sizes = new ResizeObserver((entries) => {
      for (const entry of entries) this.shown.find((chart) => chart.plot === entry.target)?.draw();
    });
  }

  show(content) {
    const { times } = this.content = content;
    this.start = times[0];
    this.span = Math.max(times[times.length - 1] - times[0], 1e-3);
    this.build();
  }

  /** Builds the tabs and the charts of the chosen person. */
  build() {
    const person = this.content.people[this.state.person], all = chartsOf(person, this.content.world);
    const tabs = [...new Set(all.map((chart) => chart.tab))];
    if (!tabs.includes(this.tab)) this.tab = tabs[0];
    byId("tabs").replaceChildren(...tabs.map((tab) => {
      const button = element("button", { "aria-pressed": tab === this.tab }, tab);
      button.onclick = () => { this.tab = tab; this.build(); this.move(this.time); byId("tabs").querySelector("[aria-pressed=true]").focus(); };
      return button;
    }));
    this.sizes.disconnect();
    this.person = person;
    this.shown = all.filter((chart) => chart.tab === this.tab).map((chart) => this.figure(chart));
    byId("charts").replaceChildren(...this.shown.map((chart) => chart.figure));
    for (const chart of this.shown) this.sizes.observe(chart.plot);
  }

  figure(chart) {
    const title = chart.title[0].toUpperCase() + chart.title.slice(1);
    const caption = element("figcaption", {}, element("b", {}, title));
    const outputs = chart.series.map(({ side }) => {
      const output = element("span", { style: `color: var(--${side || "ink"})` });
      caption.append(output);
      return output;
    });
    const canvas = element("canvas", { role: "img", "aria-label": `${title} over time` });
    const cursor = element("div", { class: "cursor" });
    const plot = element("div", { class: "plot" }, canvas, cursor);
    const drag = (event) => {
      const box = plot.getBoundingClientRect();
      this.seek(this.start + this.span * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
    };
    plot.onpointerdown = (event) => { plot.setPointerCapture(event.pointerId); drag(event); };
    plot.onpointermove = (event) => { if (plot.hasPointerCapture(event.pointerId)) drag(event); };
    return { ...chart, figure: element("figure", {}, caption, plot), plot, canvas, cursor, outputs,
      draw: () => this.draw(chart, canvas) };
  }

  draw(chart, canvas) {
    const ratio = Math.min(devicePixelRatio || 1, 2), { person } = this;
    const wide = canvas.width = Math.round(canvas.clientWidth * ratio), high = canvas.height = Math.round(canvas.clientHeight * ratio);
    if (!wide) return;
    const pen = canvas.getContext("2d"), theme = getComputedStyle(document.documentElement);
    const color = (name) => theme.getPropertyValue(`--${name}`);
    let low = Infinity, top = -Infinity;
    for (const { value } of chart.series) for (let frame = 0; frame < person.times.length; frame++) {
      const v = value(frame);
      if (v < low) low = v;
      if (v > top) top = v;
    }
    if (low > top) [low, top] = [0, 1];
    const least = { "°": 10, m: .2, cm: 2 }[chart.unit], pad = Math.max((top - low) * .08, (least - (top - low)) / 2);
    low -= pad; top += pad;
    const left = GUTTER * ratio, x = (time) => left + (time - this.start) / this.span * (wide - left), y = (v) => high - 2 - (v - low) / (top - low) * (high - 4);
    pen.fillStyle = color("shade");
    this.runs((frame) => person.gap[frame], (from, to) =>
      pen.fillRect(x(person.times[from]), 0, x(person.times[to - 1]) - x(person.times[from]), high));
    pen.font = `${11 * ratio}px system-ui, sans-serif`;
    pen.textAlign = "right"; pen.textBaseline = "middle"; pen.lineWidth = ratio;
    const step = niceStep(top - low);
    for (let v = Math.ceil(low / step) * step; v < top; v += step) {
      const line = Math.round(y(v)) + .5;
      pen.strokeStyle = color("rule");
      pen.beginPath(); pen.moveTo(left, line); pen.lineTo(wide, line); pen.stroke();
      pen.fillStyle = color("soft");
      pen.fillText(`${+v.toFixed(4)}`.replace("-", "−"), left - 6 * ratio, Math.max(line, 6 * ratio));
    }
    pen.lineJoin = "round";
    for (const { side, value, radius } of chart.series) {
      pen.strokeStyle = pen.fillStyle = color(side || "ink");
      this.runs((frame) => !Number.isNaN(value(frame)), (from, to) => {
        if (radius && this.state.show.uncertainty) {
          pen.globalAlpha = .14;
          const band = this.columns(from, to, x, (k) => value(k) - radius(k), (k) => value(k) + radius(k));
          pen.beginPath();
          for (const [at, , most] of band) pen.lineTo(at, y(most));
          for (const [at, least] of band.reverse()) pen.lineTo(at, y(least));
          pen.fill();
          pen.globalAlpha = 1;
        }
        pen.lineWidth = 1.7 * ratio;
        pen.beginPath();
        for (const [at, least, most] of this.columns(from, to, x, value, value)) {
          pen.lineTo(at, y(least));
          if (most > least) pen.lineTo(at, y(most));
        }
        pen.stroke();
      });
    }
  }

  /** Places a pixel or more apart, each with the least and the most of its frames: ten minutes are 30 frames a pixel. */
  columns(from, to, x, low, high) {
    const { times } = this.person, columns = [];
    let column = [-Infinity];
    for (let k = from; k < to; k++) {
      const at = x(times[k]), least = low(k), most = high(k);
      if (at - column[0] >= 1) columns.push(column = [at, least, most]);
      else { if (least < column[1]) column[1] = least; if (most > column[2]) column[2] = most; }
    }
    return columns;
  }

  /** Calls back with the first and past the last frame of each run for which a condition holds. */
  runs(holds, call) {
    const count = this.person.times.length;
    for (let from = 0, k = 0; k <= count; k++) {
      const good = k < count && holds(k);
      if (!good) { if (k > from) call(from, k); from = k + 1; }
    }
  }

  redraw() { for (const chart of this.shown) chart.draw(); }

  /** Puts the cursor at a time, and shows the numbers there. */
  move(time) {
    this.time = time;
    const frame = frameOf(this.person, time), share = (time - this.start) / this.span;
    for (const { outputs, series, cursor, unit, digits } of this.shown) {
      cursor.style.left = `${100 * share}%`;
      series.forEach(({ side, value, radius }, i) => {
        const v = frame < 0 ? NaN : value(frame), r = frame >= 0 && radius ? radius(frame) : NaN;
        const space = unit === "°" ? "" : " ", label = SIDES[side] ? `${SIDES[side]} ` : "";
        outputs[i].textContent = label + (Number.isNaN(v) ? "–" : v.toFixed(digits).replace("-", "−") +
          (this.state.show.uncertainty && r > 0 ? ` ± ${r.toFixed(digits)}` : "") + space + unit);
      });
    }
  }
}
