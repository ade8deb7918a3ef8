import type { VNode } from "preact";
import { type Series, valueText } from "./series.ts";
import { t } from "../../text/language.ts";

/** The facts of a chart as a table; the latest first. */
export function ChartTable(
  { times, series, format, momentText, onChoose }: {
    times: readonly number[];
    series: readonly Series[];
    format: (value: number) => string;
    momentText: (time: number) => string;
    onChoose?: (time: number) => void;
  },
): VNode {
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label={t("Values")}>
      <table class="tbl free">
        <thead>
          <tr>
            <th scope="col">{t("Time")}</th>
            {series.map(({ word }) => <th key={word} scope="col" class="num">{word}</th>)}
          </tr>
        </thead>
        <tbody>
          {times.map((_, index) => times.length - 1 - index).map((at) => (
            <tr key={at}>
              <th scope="row">
                {onChoose === undefined ? momentText(times[at] as number) : (
                  <button
                    type="button"
                    class="link"
                    onClick={() => onChoose(times[at] as number)}
                  >
                    {momentText(times[at] as number)}
                  </button>
                )}
              </th>
              {series.map(({ word, values }) => (
                <td key={word} class="num">{valueText(values[at], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
