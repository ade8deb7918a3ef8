/*
 * The text format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats).
 */

/** The content type of the text. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A value of a metric, with what tells it from the others. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** Of a summary: its sum or count. */
  readonly part?: "sum" | "count";
}

/** A metric; its samples differ in their labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "summary";
  readonly samples: readonly Sample[];
}

/** Metrics as text; those without samples are left out. Throws RangeError for a name that is none. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics.filter(({ samples }) => samples.length > 0).map((metric) => {
    const { name, help, type } = metric;
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new RangeError(`No name of a metric: ${name}`);
    const lines = metric.samples.map((sample) => sampleLine(name, sample));
    const about = help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
    return [`# HELP ${name} ${about}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
  }).join("");
}

function sampleLine(name: string, { labels = {}, value, part }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => {
    if (!/^[a-z][a-z0-9_]*$/.test(label)) throw new RangeError(`No name of a label: ${label}`);
    return `${label}="${escaped(text)}"`;
  });
  const full = part === undefined ? name : `${name}_${part}`;
  return `${full}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numberText(value)}`;
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll(
    "\n",
    "\\n",
  );
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
