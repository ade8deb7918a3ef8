import type { Config } from "../../config.ts";
import { invalid } from "../../core/errors/problem.ts";
import {
  type Admission,
  type AdmissionRequest,
  type Admissions,
  MOST_OPEN,
  OPEN_MINUTES,
} from "./admission_schema.ts";

/**
 * True while a link is open; `now` is unix milliseconds. What ends further ahead than any may was
 * decided under another clock, and counts for nothing.
 */
export function isOpen({ Open }: Admissions, link: string, now: number): boolean {
  return Open.some((one) => one.Link === link && holds(one, now));
}

/** Links that are open, with when each ends. */
export function openLinks({ Open }: Admissions, now: number): readonly Admission[] {
  return Open.filter((one) => holds(one, now));
}

/**
 * Opens a link to unknown devices from `now`, unix milliseconds, or closes it; what is over is left out
 * on the way. The same configuration where nothing differs. Throws Problem 400.
 */
export function admit(
  config: Config,
  { Link, Minutes }: AdmissionRequest,
  now: number,
): [Config, Admissions] {
  const known = config.interfaces.some(({ Name }) => Link === Name || Link.startsWith(`${Name}.`));
  if (!known && Minutes > 0) throw invalid("/Link", `There is no link ${Link}`);
  const others = openLinks(config.newcomers, now).filter((one) => one.Link !== Link);
  const opened = Minutes === 0
    ? others
    : [...others, { Link, Until: Math.floor(now / 1000) + Minutes * 60 }];
  if (opened.length > MOST_OPEN) {
    throw invalid("/Link", `At most ${MOST_OPEN} links can be open at the same time`);
  }
  const next = { Open: opened };
  const same = JSON.stringify(next) === JSON.stringify(config.newcomers);
  return same ? [config, config.newcomers] : [{ ...config, newcomers: next }, next];
}

function holds({ Until }: Admission, now: number): boolean {
  const left = Until * 1000 - now;
  return left > 0 && left <= OPEN_MINUTES.most * 60_000;
}
