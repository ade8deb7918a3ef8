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
    bus.publish("log:api", { level, msg: message, time, func: event, file: "" }, { kept: false });
  };
  return { debug: log.debug, info: at("info"), warn: at("warn"), error: at("error") };
}
