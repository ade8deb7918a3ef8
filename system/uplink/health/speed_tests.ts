import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { conflict, invalid, notFound, Problem, sentence } from "../../core/errors/problem.ts";
import type { SpeedReport, SpeedTestRequest } from "../plan_schema.ts";
import type { UplinkHistory } from "./history.ts";
import type { SpeedTestResult } from "../status_schema.ts";

/** Timeout of a test, longer than uplinkd's own timeout. */
const TEST_TIMEOUT_MS = 45_000;
/** Shortest duration from which a speed is computed. */
const MIN_SECONDS = 0.001;

/** Dependencies of {@link SpeedTests}. */
export interface SpeedTestsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired" | "network">;
  readonly bus: Pick<Bus, "publish">;
  readonly history: UplinkHistory;
  readonly now: () => number;
  /** Milliseconds; default {@link TEST_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
}

interface Running {
  readonly request: SpeedTestRequest;
  readonly done: (report: SpeedReport) => void;
}

/** Runs speed tests, one at a time. */
export class SpeedTests {
  readonly #deps: SpeedTestsDeps;
  #running: Running | null = null;

  constructor(deps: SpeedTestsDeps) {
    this.#deps = deps;
  }

  /** The requested test. */
  get requested(): SpeedTestRequest | null {
    return this.#running?.request ?? null;
  }

  /** Takes the report of uplinkd. */
  report(report: SpeedReport): void {
    if (this.#running?.request.id === report.id) this.#running.done(report);
  }

  /**
   * Downloads the configured URL through one uplink. Throws Problem: 404 for no uplink, 400 without a
   * URL, 409 while another test runs or the uplink is down, 503 when uplinkd does not run it.
   */
  async run(name: string): Promise<SpeedTestResult> {
    const { engine, history, bus, now, timeoutMs = TEST_TIMEOUT_MS } = this.#deps;
    const { SpeedTestURL: url } = engine.config.wan;
    const known = engine.config.interfaces.some((one) =>
      one.Name === name && one.Type === "Uplink" && one.Enabled
    );
    if (!known) throw notFound(sentence("There is no enabled uplink {name}", { name }));
    if (url === "") {
      throw invalid("/SpeedTestURL", "Set the speed test's URL in the uplink settings first");
    }
    if (engine.network.state !== "applied") {
      throw new Problem(503, "The network is not applied, so a speed test is not possible");
    }
    const path = engine.desired.facts?.uplinks?.find((one) => one.name === name);
    if (!path?.hasGateway || !path.running) {
      throw conflict(sentence("The uplink {name} is down", { name }));
    }
    if (this.#running !== null) throw conflict("A speed test is running already");
    const { promise, resolve } = Promise.withResolvers<SpeedReport | null>();
    const late = setTimeout(() => resolve(null), timeoutMs);
    const id = crypto.randomUUID();
    this.#running = { request: { id, link: path.link, url }, done: resolve };
    bus.publish("wan:speedtest:start", { Iface: name });
    const report = await promise;
    clearTimeout(late);
    this.#running = null;
    if (report === null) {
      throw new Problem(503, "uplinkd did not run the speed test; check that it is running");
    }
    const { bytes, seconds, error } = report;
    const result: SpeedTestResult = {
      Iface: name,
      Time: Math.floor(now() / 1000),
      DownMbps: seconds > 0
        ? Math.round(bytes * 8 / Math.max(seconds, MIN_SECONDS) / 1e4) / 100
        : 0,
      Seconds: Math.round(seconds * 100) / 100,
      Bytes: Math.round(bytes),
      URL: url,
      ...(error === "" ? {} : { Error: error }),
    };
    history.addSpeedTest(result);
    bus.publish("wan:speedtest", result);
    return result;
  }
}
