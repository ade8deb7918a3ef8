import type { VNode } from "preact";
import { linePath, peakAt, roundMost } from "./series.ts";

const WIDTH = 600;
const HEIGHT = 90;

/** One direction of a chart: its word, and a value for each moment. */
export interface Series {
  readonly word: string;
  readonly values: readonly number[];
}

/**
 * Two directions over time: the first above the zero line, the second below it, each with its word at
 * it and one note on the peak. The same facts stand in a table for those who do not see it.
 */
export function Chart(
  { label, unit, times, up, down }: {
    label: string;
    unit: string;
    /** Words of the moments. */
    times: readonly string[];
    up: Series;
    down: Series;
  },
): VNode {
  const most = roundMost([...up.values, ...down.values]);
  const box = { width: WIDTH, height: HEIGHT, most };
  const peak = peakAt(up.values);
  const x = up.values.length > 1 ? peak / (up.values.length - 1) * WIDTH : 0;
  const area = (series: Series) =>
    `${linePath(series.values, box)}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`;
  return (
    <figure class="chart">
      <svg viewBox={`-44 -16 ${WIDTH + 52} ${2 * HEIGHT + 44}`} role="img" aria-label={label}>
        <path class="grid" d={`M0 0H${WIDTH}M0 ${HEIGHT}H${WIDTH}M0 ${2 * HEIGHT}H${WIDTH}`} />
        <g class="s1">
          <path class="area" d={area(up)} />
          <path class="line" d={linePath(up.values, box)} />
          <text x="4" y="12">{up.word}</text>
        </g>
        <g class="s2" transform={`matrix(1 0 0 -1 0 ${2 * HEIGHT})`}>
          <path class="area" d={area(down)} />
          <path class="line" d={linePath(down.values, box)} />
        </g>
        <text class="s2" x="4" y={2 * HEIGHT - 4}>{down.word}</text>
        <text x="-6" y="4" text-anchor="end">{most}</text>
        <text x="-6" y={HEIGHT + 4} text-anchor="end">0</text>
        <text x="-6" y={2 * HEIGHT + 4} text-anchor="end">{most}</text>
        {peak >= 0 && (
          <text
            x={x}
            y="-5"
            text-anchor={x > WIDTH / 2 ? "end" : "start"}
          >
            {up.values[peak]} {unit}
          </text>
        )}
        <text x="0" y={2 * HEIGHT + 20}>{times[0]}</text>
        <text x={WIDTH} y={2 * HEIGHT + 20} text-anchor="end">{times.at(-1)}</text>
      </svg>
      <details class="more">
        <summary>As a table</summary>
        <table class="tbl free">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col" class="num">{up.word}, {unit}</th>
              <th scope="col" class="num">{down.word}, {unit}</th>
            </tr>
          </thead>
          <tbody>
            {times.map((time, at) => (
              <tr key={time}>
                <td>{time}</td>
                <td class="num">{up.values[at]}</td>
                <td class="num">{down.values[at]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
