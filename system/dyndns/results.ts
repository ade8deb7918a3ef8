import type { Config } from "../config.ts";
import { memo } from "../core/config/memo.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import type { Bus } from "../core/events/bus.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { type FeedDeps, type Poll, publishFeed, waitForNews } from "../core/ipc/feed.ts";
import { fingerprint } from "../multicast/relay_plan.ts";
import { hasPlan } from "../network/has_plan.ts";
import { isPublic } from "../core/net/public_address.ts";
import { hostsOf } from "./rules.ts";
import type { DyndnsPlan, DyndnsReport, DyndnsResult, DyndnsStatus } from "./schema.ts";

/** Kind of the notice of a name that could not be updated. */
const KIND = "dyndns-failed";
/** Milliseconds that a request to update at once waits for its result. */
const REFRESH_TIMEOUT_MS = 20_000;

/** What {@link DyndnsResults} needs. */
export interface DyndnsResultsDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired" | "network">;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly notices: NoticeBoard;
}

/** The api's side of dynamic DNS: what uplinkd works from, and what came of it. In memory only. */
export class DyndnsResults {
  readonly #deps: DyndnsResultsDeps;
  #report: DyndnsReport = { items: [], address: "", refresh: 0 };
  #refresh = 0;
  readonly plan: Poll<DyndnsPlan>;

  constructor(deps: DyndnsResultsDeps) {
    this.#deps = deps;
    const compute = memo((..._inputs: readonly unknown[]) => this.#plan());
    this.plan = publishFeed(deps, () => {
      const { config, desired, network } = deps.engine;
      return compute(config.dyndns, desired.facts?.uplinks, network.state, this.#refresh);
    });
  }

  /** How all names stand; before the first report, as not yet tried. */
  status(): DyndnsStatus {
    const { dyndns } = this.#deps.engine.config;
    const known = new Map(this.#report.items.map((item) => [item.Host, item]));
    const hosts = dyndns.provider === "" ? [] : hostsOf(dyndns);
    return {
      Items: hosts.map(({ host }) =>
        known.get(host) ?? { Host: host, Address: "", Time: 0, OK: false, Message: "Not yet tried" }
      ),
      Address: this.#report.address || this.#address(),
    };
  }

  /** Takes in what uplinkd reports: publishes and notes what is new. */
  async take(report: DyndnsReport): Promise<void> {
    const { bus, notices } = this.#deps;
    const before = new Map(this.#report.items.map((item) => [item.Host, item]));
    this.#report = report;
    for (const item of report.items) {
      const old = before.get(item.Host);
      if (old !== undefined && JSON.stringify(old) === JSON.stringify(item)) continue;
      bus.publish("dyndns:update", { Host: item.Host, Address: item.Address, OK: item.OK });
      await this.#note(item);
    }
    for (const host of before.keys()) {
      if (!report.items.some(({ Host }) => Host === host)) await notices.settle(KIND, host);
    }
  }

  async #note({ Host, OK, Message }: DyndnsResult): Promise<void> {
    const { notices } = this.#deps;
    if (OK) return await notices.settle(KIND, Host);
    await notices.open(KIND, `${Host} does not follow the router's address: ${Message}`, {
      subject: Host,
    });
  }

  /** Has every name updated at once, and waits a while for what comes of it. */
  async refresh(): Promise<void> {
    const wanted = ++this.#refresh;
    const { bus, ending } = this.#deps;
    await waitForNews(
      { bus, ending },
      (waited) => this.#report.refresh >= wanted || waited >= REFRESH_TIMEOUT_MS,
    );
  }

  #address(): string {
    const uplinks = this.#deps.engine.desired.facts?.uplinks ?? [];
    return uplinks.flatMap(({ address }) => address?.split("/")[0] ?? []).find(isPublic) ?? "";
  }

  #plan(): DyndnsPlan {
    const { config: { dyndns }, network } = this.#deps.engine;
    const none = { settings: null, address: "", refresh: this.#refresh };
    if (!hasPlan(network)) return { tag: "undecided", decided: false, ...none };
    const { provider, domains: _, ip_type: __, ...account } = dyndns;
    const plan = network.state !== "applied" || provider === "" ? none : {
      settings: { ...account, provider, hosts: [...hostsOf(dyndns)] },
      address: this.#address(),
      refresh: this.#refresh,
    };
    // The tag stands in a query, so that it is a digest, and says nothing of the account.
    return { tag: fingerprint(JSON.stringify(plan)), decided: true, ...plan };
  }
}
