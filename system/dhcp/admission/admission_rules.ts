import type { Config } from "../../config.ts";
import { invalid, sentence } from "../../core/errors/problem.ts";
import {
  type Admission,
  ADMISSION_MINUTES,
  type AdmissionRequest,
  type Admissions,
  MAX_ADMISSIONS,
} from "./admission_schema.ts";

/**
 * True while an interface admits unknown devices without limit; `now` is unix milliseconds. An admission
 * that ends later than any may was set under a wrong clock and is ignored.
 */
export function isAdmitting({ Open }: Admissions, link: string, now: number): boolean {
  return Open.some((one) => one.Interface === link && isActive(one, now));
}

/** Admissions that have not expired. */
export function activeAdmissions({ Open }: Admissions, now: number): readonly Admission[] {
  return Open.filter((one) => isActive(one, now));
}

/**
 * Lifts the limit on unknown devices of an interface from `now`, unix milliseconds, or restores it;
 * drops expired admissions. Returns the same configuration where nothing differs. Throws Problem 400.
 */
export function setAdmission(
  config: Config,
  { Interface, Minutes }: AdmissionRequest,
  now: number,
): [Config, Admissions] {
  const known = config.interfaces.some(({ Name }) =>
    Interface === Name || Interface.startsWith(`${Name}.`)
  );
  if (!known && Minutes > 0) {
    throw invalid(
      "/Interface",
      sentence("There is no interface {interface}", { interface: Interface }),
    );
  }
  const others = activeAdmissions(config.admissions, now).filter((one) =>
    one.Interface !== Interface
  );
  const opened = Minutes === 0
    ? others
    : [...others, { Interface, Until: Math.floor(now / 1000) + Minutes * 60 }];
  if (opened.length > MAX_ADMISSIONS) {
    throw invalid(
      "/Interface",
      sentence("At most {limit} interfaces can admit unknown devices at the same time", {
        limit: MAX_ADMISSIONS,
      }),
    );
  }
  const next = { Open: opened };
  const same = JSON.stringify(next) === JSON.stringify(config.admissions);
  return same ? [config, config.admissions] : [{ ...config, admissions: next }, next];
}

function isActive({ Until }: Admission, now: number): boolean {
  const left = Until * 1000 - now;
  return left > 0 && left <= ADMISSION_MINUTES.max * 60_000;
}
