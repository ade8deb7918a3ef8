import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { clock, day } from "../../text/time.ts";
import { lazyPart } from "../load/lazy.tsx";
import {
  areaPath,
  linePath,
  momentTarget,
  peakAt,
  roundMost,
  type Series,
  sumsOf,
  timeTicks,
  valueText,
  xOf,
} from "./series.ts";
import { t } from "../../text/language.ts";
import "../../styles/parts/chart.css";

const ChartTable = lazyPart(async () => (await import("./chart_table.tsx")).ChartTable);

const WIDTH = 1000;
const HEIGHT = 100;
const TICKS = 6;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/**
 * Lines over time with their axes, or stacked bars. The pointer, or the arrow keys once it has the focus, read the
 * values of a moment; the same facts stand in a table.
 */
export function Chart(
  { label, times, series, format, stacked, onChoose }: {
    /** One sentence that says what is to be seen. */
    label: string;
    /** The moments, in order, unix milliseconds. */
    times: readonly number[];
    series: readonly Series[];
    /** A value with its unit. */
    format: (value: number) => string;
    /** Draws a bar for each moment, which is the begin of a period, its parts on top of each other. */
    stacked?: boolean;
    /** Called with the moment that is clicked, or for which Enter is pressed. */
    onChoose?: (time: number) => void;
  },
): VNode {
  const [read, setRead] = useState<number | null>(null);
  const [open, setOpen] = useState(false);
  const id = useId();
  const at = Math.min(read ?? times.length - 1, times.length - 1);
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined) {
    return <p class="s quiet">{t("No data yet.")}</p>;
  }
  const sums = stacked ? sumsOf(series, times.length) : null;
  const most = roundMost(sums ?? series.flatMap(({ values }) => values));
  const mirrored = series.some(({ below }) => below);
  const height = mirrored ? 2 * HEIGHT : HEIGHT;
  // The last bar stands for a period as well.
  const end = stacked && times.length > 1 ? last + (last - first) / (times.length - 1) : last;
  const long = last - first > DAY;
  const momentText = (time: number): string => long ? `${day(time)}, ${clock(time)}` : clock(time);
  const words = series.map(({ word, values }) => `${word} ${valueText(values[at], format)}`);
  const offset = new Date(last).getTimezoneOffset();
  const { moments, days } = timeTicks(first, end, { most: TICKS, offset });

  const cursorAt = (place: number): number =>
    stacked ? (place + 0.5) * WIDTH / times.length : xOf(place, times.length, WIDTH);

  function momentAt(event: MouseEvent & { readonly currentTarget: HTMLElement }): number {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(1, box.width);
    const place = stacked
      ? Math.floor(share * times.length)
      : Math.round(share * (times.length - 1));
    return Math.max(0, Math.min(times.length - 1, place));
  }

  return (
    <figure class="chart">
      <figcaption id={id}>
        <b>{momentText(times[at] as number)}</b>
        {series.map(({ word, values }, index) => (
          <span key={word} class={`s${index + 1}`}>
            {series.length > 1 && <i aria-hidden="true" />}
            {word} <b>{valueText(values[at], format)}</b>
          </span>
        ))}
      </figcaption>
      <div
        class={`plot${mirrored ? " mirrored" : ""}${onChoose ? " choice" : ""}`}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={times.length - 1}
        aria-valuenow={at}
        aria-valuetext={`${momentText(times[at] as number)}: ${words.join(", ")}`}
        onPointerMove={(event) => setRead(momentAt(event))}
        onPointerDown={(event) => setRead(momentAt(event))}
        onPointerLeave={() => setRead(null)}
        onClick={(event) => onChoose?.(times[momentAt(event)] as number)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onChoose?.(times[at] as number);
          const to = momentTarget(event.key, at, times.length);
          if (to === null) return;
          event.preventDefault();
          setRead(to);
        }}
      >
        <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="rule" d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}`} />
          {mirrored && (
            <path class="rule" d={`M0 ${1.5 * HEIGHT}H${WIDTH}M0 ${2 * HEIGHT}H${WIDTH}`} />
          )}
          {stacked
            ? <Bars series={series} most={most} count={times.length} />
            : series.map((one, index) => (
              <Line
                key={one.word}
                series={one}
                most={most}
                at={index}
              />
            ))}
          <path class="zero" d={`M0 ${HEIGHT}H${WIDTH}`} />
          {read !== null && <path class="cursor" d={`M${cursorAt(at)} 0V${height}`} />}
        </svg>
        <Peak
          values={sums ?? series[0]?.values ?? []}
          most={most}
          format={format}
          share={mirrored ? 50 : 100}
        />
        <Scale most={most} mirrored={mirrored} format={format} />
        <div class="times" aria-hidden="true">
          {moments.map((moment) => (
            <span key={moment} style={{ left: `${(moment - first) / (end - first) * 100}%` }}>
              {days ? day(moment).replace(/ \d+$/, "") : clock(moment)}
            </span>
          ))}
        </div>
      </div>
      <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t("Show as table")}</summary>
        {open && (
          <ChartTable
            times={times}
            series={series}
            format={format}
            momentText={momentText}
            {...(onChoose ? { onChoose } : {})}
          />
        )}
      </details>
    </figure>
  );
}

/** Bars from the zero line up, the first series lowest. */
function Bars(
  { series, most, count }: { series: readonly Series[]; most: number; count: number },
): VNode {
  const width = WIDTH / count;
  const ground: number[] = Array(count).fill(0);
  return (
    <>
      {series.map(({ word, values }, index) => {
        const d = values.map((value, at) => {
          const low = ground[at]!, high = low + (value ?? 0);
          ground[at] = high;
          if (high === low) return "";
          const [top, foot] = [high, low].map((one) => HEIGHT * (1 - one / most));
          return `M${(at + 0.1) * width} ${foot}V${top}H${(at + 0.9) * width}V${foot}Z`;
        }).join("");
        return (
          <g key={word} class={`s${index + 1}`}>
            <path class="bar" d={d} />
          </g>
        );
      })}
    </>
  );
}

function Line({ series, most, at }: { series: Series; most: number; at: number }): VNode {
  const box = { width: WIDTH, height: HEIGHT, most };
  return (
    <g
      class={`s${at + 1}`}
      transform={series.below ? `matrix(1 0 0 -1 0 ${2 * HEIGHT})` : undefined}
    >
      <path class="area" d={areaPath(series.values, box)} />
      <path class="line" d={linePath(series.values, box)} />
    </g>
  );
}

/** The words of the largest value, at it. */
function Peak(
  { values, most, format, share }: {
    values: Series["values"];
    most: number;
    format: (value: number) => string;
    /** Per cent of the height that is above zero. */
    share: number;
  },
): VNode | null {
  const at = peakAt(values);
  const value = values[at];
  if (value === null || value === undefined || value <= 0) return null;
  const left = xOf(at, values.length, 100);
  return (
    <span
      class={left > 50 ? "peak end" : "peak"}
      aria-hidden="true"
      style={{ left: `${left}%`, top: `${(1 - value / most) * share}%` }}
    >
      {format(value)}
    </span>
  );
}

function Scale(
  { most, mirrored, format }: {
    most: number;
    mirrored: boolean;
    format: (value: number) => string;
  },
): VNode {
  const steps = mirrored ? [most, 0, most] : [most, most / 2, 0];
  return (
    <div class="scale" aria-hidden="true">
      {steps.map((value, index) => <span key={index}>{format(value)}</span>)}
    </div>
  );
}
