// What the tests know of a recording without the module, and the colours that the page's time line has at ticks.
"use strict";

const HEADER_BYTES = 192, KEYFRAME = 1, TICKS = [2, 3, 6];

/** The records of an undamaged log: where each begins and ends, and its first and last tick. */
function recordsOf(log) {
  const records = [];
  for (let at = HEADER_BYTES; at + 28 <= log.length;) {
    const type = log.readUInt16LE(at + 8), first = log.readUInt32LE(at + 12);
    const last = TICKS.includes(type) ? first + log.readUInt32LE(at + 16) - 1 : first;
    const end = at + 28 + log.readUInt32LE(at + 4);
    records.push({ at, end, isKeyframe: type === KEYFRAME, hasTicks: TICKS.includes(type), first, last });
    at = end;
  }
  return records;
}

/** The ticks of a log that can be compared once the records at some offsets are damaged: all but those from the damage to
 *  the next keyframe. A keyframe's tick is stepped in the segment before it. */
function provenTicks(log, offsets) {
  const proven = new Set();
  let isWhole = true;
  for (const record of recordsOf(log)) {
    const isDamaged = offsets.some((offset) => record.at <= offset && offset < record.end);
    isWhole = !isDamaged && (isWhole || record.isKeyframe);
    if (isWhole && record.hasTicks) for (let tick = record.first; tick <= record.last; ++tick) proven.add(tick);
  }
  return proven;
}

/** The colours of the time line at ticks, by their names. Where the shown tick is, its own mark covers it. */
const stretchesAt = (page, ticks) => page.evaluate(`(() => {
  const time = document.getElementById("time"), row = Math.round(time.height * 0.6), { first, last } = viewer.match;
  const { data } = time.getContext("2d").getImageData(0, row, time.width, 1);
  const names = ["good", "bad", "lost", "wait"].map((name) => [name, look.palette[name].match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16))]);
  const pad = PAD * devicePixelRatio;
  return ${JSON.stringify(ticks)}.map((tick) => {
    const x = Math.min(time.width - pad - 1, Math.floor(pad + (tick - first) / (last - first) * (time.width - 2 * pad)));
    const away = ([, colour]) => Math.hypot(...colour.map((part, i) => part - data[4 * x + i]));
    return names.reduce((best, each) => (away(each) < away(best) ? each : best))[0];
  });
})()`);

module.exports = { recordsOf, provenTicks, stretchesAt };
