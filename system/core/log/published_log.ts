import type { Bus } from "../events/bus.ts";
import type { Level, Log, LogMethod } from "./log.ts";

/**
 * A log whose lines are published as `log:api` as well, without their fields, which are for who reads
 * the log itself; nothing of the level `debug`.
 */
export function publishedLog(log: Log, bus: Pick<Bus, "publish">, now: () => number): Log {
  const at = (level: Level): LogMethod => (event, message, fields) => {
    log[level](event, message, fields);
    const time = new Date(now()).toISOString();
    const line = { level, msg: message, time, func: event, file: callerPlace() };
    bus.publish("log:api", line, { kept: false });
  };
  return { debug: log.debug, info: at("info"), warn: at("warn"), error: at("error") };
}

/** Folder of the program, as V8 writes it. */
const ROOT = new URL("../../../", import.meta.url).href;
/** Lines of a stack before that of the caller of a {@link LogMethod}: its message, and two of ours. */
const OWN_LINES = 3;

/** Where a line is logged, as `system/access/open.ts:291`; "" where V8 does not say. */
function callerPlace(): string {
  const place = new Error().stack?.split("\n")[OWN_LINES]?.split(ROOT)[1] ?? "";
  return /^[^:]+:\d+/.exec(place)?.[0] ?? "";
}
