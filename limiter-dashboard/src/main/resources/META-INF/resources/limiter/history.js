// The counts of the last five minutes, collected since the page was opened.

/** In milliseconds. */
export const KEPT = 5 * 60 * 1000;

export const NAMES = ['permitted', 'rejected', 'waiting'];

// rates are averaged over this time, in milliseconds, so that single requests do not make them flicker
const RATE_OVER = 5000;

const same = (a, b) => NAMES.every((name) => a[name] === b[name]);

/** Creates the history of one rule, or of all rules. */
export function history() {
  const points = [];

  /** Returns the count at a time, interpolated between the two nearest points. */
  function countAt(time, name) {
    const next = points.findIndex(({ at }) => at >= time);
    if (next <= 0) {
      return points[0][name];
    }
    const [a, b] = [points[next - 1], points[next]];
    return a[name] + (b[name] - a[name]) * (time - a.at) / (b.at - a.at);
  }

  return {
    /** Adds a point { at, permitted, rejected, waiting }, or moves the last point if no count has changed. */
    add(point) {
      if (points.length > 1 && same(points.at(-2), point) && same(points.at(-1), point)) {
        points.pop();
      }
      points.push(point);
      while (points.length > 2 && points[1].at < point.at - KEPT) {
        points.shift();
      }
    },
    /** Returns the intervals between points, each with its rates per second and the requests waiting at its end. */
    intervals() {
      return points.slice(1).map((b, i) => {
        const seconds = (b.at - points[i].at) / 1000;
        const rate = (name) => Math.max(0, b[name] - points[i][name]) / seconds;
        return { from: points[i].at, to: b.at, permitted: rate('permitted'), rejected: rate('rejected'), waiting: b.waiting };
      });
    },
    /** Returns the current rate per second. */
    rate(name) {
      const last = points.at(-1);
      const from = Math.max(last.at - RATE_OVER, points[0].at);
      return from === last.at ? 0 : Math.max(0, last[name] - countAt(from, name)) * 1000 / (last.at - from);
    },
    waiting: () => points.at(-1).waiting,
    last: () => points.at(-1).at,
  };
}
