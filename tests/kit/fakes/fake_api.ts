import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type {
  Change,
  ChangeDetail,
  Device,
  Group,
  Network,
  Notice,
  Preview,
} from "../../../ui/wire.ts";
import { FakeAccess, problem } from "./fake_access.ts";
import { fakePreview } from "./fake_preview.ts";
import { servePage } from "../browser/fake_page.ts";

/** What the pages show of a notice. */
type FakeNotice = Pick<Notice, "id" | "kind" | "at" | "detail">;

export interface FakeOptions {
  readonly devices: Readonly<Record<string, Device>>;
  readonly groups?: readonly Group[];
  readonly network?: Network;
  readonly notices?: readonly FakeNotice[];
  /** Identity of the device that the browser is, for the lock-out guard. */
  readonly self?: string;
  /** True when the account asks for a code at every sign-in. */
  readonly alwaysOn?: boolean;
  readonly otp?: boolean;
}

interface State {
  readonly devices: Record<string, Device>;
  readonly groups: Group[];
}

/** The router's API over plain objects, for tests of the pages: the real shapes, none of the effects. */
export class FakeApi {
  readonly access: FakeAccess;
  readonly requests: string[] = [];
  state: State;
  network: Network;
  notices: FakeNotice[];
  window: { id: string; until: number; summary: string; before: State } | null = null;
  readonly #changes: ChangeDetail[] = [];
  readonly #befores = new Map<string, State>();
  readonly #listeners = new Set<(topic: string) => void>();
  readonly #self: string | undefined;
  #last = 0;

  constructor(options: FakeOptions) {
    this.state = structuredClone({
      devices: { ...options.devices },
      groups: [...options.groups ?? []],
    });
    this.network = options.network ?? { state: "applied", detail: null };
    this.notices = [...options.notices ?? []];
    this.#self = options.self;
    this.access = new FakeAccess({
      alwaysOn: options.alwaysOn ?? false,
      otp: options.otp ?? options.alwaysOn ?? false,
    });
  }

  /** Tells every open page that something of this topic happened. */
  publish(topic: string): void {
    for (const listener of this.#listeners) listener(topic);
  }

  /** Ends every event stream, as a restart of the router would. */
  drop(): void {
    this.publish("");
  }

  /** Changes a device as somebody else would, and tells. */
  touch(identity: string, part: Partial<Device>): void {
    const device = this.state.devices[identity];
    if (device === undefined) throw new Error(`There is no device ${identity}`);
    this.state.devices[identity] = { ...device, ...part };
    this.publish("devices");
  }

  app(): Hono {
    const app = new Hono();
    app.use(async (c, next) => {
      this.requests.push(`${c.req.method} ${new URL(c.req.url).pathname}`);
      await next();
    });
    servePage(app);
    this.access.mount(app);
    app.get("/batch", async (c) =>
      c.json(
        await Promise.all((c.req.queries("path") ?? []).map(async (path) => {
          const answer = await app.request(path, { headers: c.req.raw.headers });
          const { status, headers } = answer;
          const body = await answer.json().catch(() => null);
          return { path, status, etag: headers.get("etag"), body };
        })),
      ));
    app.get("/devices", (c) => c.json(this.state.devices));
    app.get("/groups", (c) => c.json(this.state.groups));
    app.get("/wifi/clients", (c) => c.json({ items: [] }));
    app.get("/wifi/networks", (c) => c.json({ items: [] }));
    app.get("/network", (c) => c.json(this.network));
    app.get("/notices", (c) => c.json({ items: this.notices, next: null }));
    app.put("/notices/:id/resolve", (c) => {
      this.notices = this.notices.filter((notice) => notice.id !== c.req.param("id"));
      this.publish("notices");
      return c.body(null);
    });
    app.get("/device", (c) => {
      const identity = c.req.query("identity") ?? "";
      return c.json(this.state.devices[identity], 200, { ETag: this.#etag(identity) });
    });
    app.put("/device", (c) => this.#putDevice(c));
    app.delete("/device", (c) => {
      const identity = c.req.query("identity") ?? "";
      const { [identity]: gone, ...devices } = this.state.devices;
      return this.#write(c, `Deleted ${gone?.Name}`, { ...this.state, devices });
    });
    app.put("/groups", async (c) => {
      const group = await c.req.json() as Group;
      if (group.Name.includes("!")) {
        return problem(c, 400, "The name is not usable", {
          errors: [{ pointer: "/Name", message: "Use no exclamation mark" }],
        });
      }
      const others = this.state.groups.filter(({ Name }) => Name !== group.Name);
      return this.#write(c, `Changed group ${group.Name}`, {
        ...this.state,
        groups: [...others, group],
      });
    });
    app.delete("/groups", async (c) => {
      const { Name } = await c.req.json() as Group;
      const devices = Object.fromEntries(
        Object.entries(this.state.devices).map(([identity, device]) => [identity, {
          ...device,
          Groups: device.Groups.filter((group) => group !== Name),
        }]),
      );
      const groups = this.state.groups.filter((group) => group.Name !== Name);
      return this.#write(c, `Deleted group ${Name}`, { devices, groups });
    });
    this.#mountChanges(app);
    app.get("/events", (c) => this.#stream(c));
    return app;
  }

  #etag(identity: string): string {
    return `"${
      btoa(encodeURIComponent(JSON.stringify(this.state.devices[identity] ?? null))).slice(-60)
    }-${JSON.stringify(this.state.devices[identity] ?? null).length}"`;
  }

  async #putDevice(c: Context): Promise<Response> {
    const identity = c.req.query("identity") ?? "";
    const device = this.state.devices[identity];
    if (device === undefined) return problem(c, 404, "There is no such device");
    const match = c.req.header("If-Match");
    if (match !== undefined && match !== this.#etag(identity)) {
      return problem(c, 412, "The device has changed since it was read");
    }
    const part = await c.req.json() as Partial<Device>;
    if (part.Name !== undefined && part.Name.length > 40) {
      return problem(c, 400, "Use at most 40 characters", {
        errors: [{ pointer: "/Name", message: "Use at most 40 characters" }],
      });
    }
    const next = { ...device, ...part };
    const devices = { ...this.state.devices, [identity]: next };
    return this.#write(c, `Changed ${device.Name}`, { ...this.state, devices });
  }

  /** Previews or takes a change, with the guard, the window and the record of the real engine. */
  #write(c: Context, summary: string, next: State, undoes: string | null = null): Response {
    const preview = fakePreview(this.state, next, this.#self);
    const waits = this.window !== null && undoes !== this.window.id
      ? {
        detail: `The change ${this.window.id} waits to be confirmed; confirm or undo it first`,
        members: { refusal: "window", change: this.window.id },
      }
      : null;
    if (c.req.query("dryRun") === "true") {
      const refusals: Preview["refusals"] = waits === null ? [] : [{ kind: "window", ...waits }];
      return c.json({ ...preview, refusals: [...refusals, ...preview.refusals] });
    }
    if (waits !== null) return problem(c, 409, waits.detail, waits.members);
    const within = Number(c.req.header("Confirm-Within") ?? 0);
    if (within === 0 && preview.reach.own?.after.verdict === "drop") {
      return problem(c, 409, "This would lock you out: your own connection would be refused", {
        refusal: "lockout",
        rule: preview.reach.own.after.steps[0]?.comment ?? null,
      });
    }
    const id = this.#record(summary, preview, undoes);
    if (within > 0) {
      this.window = { id, until: Date.now() + within * 1000, summary, before: this.state };
      c.header("Confirm-Token", "single-use");
      c.header("Confirm-Until", String(this.window.until));
    }
    this.state = next;
    this.publish("devices");
    this.publish("groups");
    this.publish("changes");
    c.header("Change-Id", id);
    return c.body(null);
  }

  #record(summary: string, preview: Preview, undoes: string | null): string {
    const id = `c${++this.#last}`;
    const before = this.#changes.findIndex((change) => change.id === undoes);
    const undone = this.#changes[before];
    if (undone !== undefined) this.#changes[before] = { ...undone, undoneBy: id };
    this.#befores.set(id, this.state);
    this.#changes.push({
      id,
      at: Date.now(),
      by: "admin",
      from: "192.168.2.6",
      kind: "device.update",
      summary,
      state: "committed",
      undoes,
      undoneBy: null,
      patch: preview.config,
      system: preview.system,
    });
    return id;
  }

  #mountChanges(app: Hono): void {
    const short = ({ patch: _, system: __, ...change }: ChangeDetail): Change => change;
    app.get(
      "/changes",
      (c) => c.json({ items: this.#changes.toReversed().map(short), next: null }),
    );
    app.get("/changes/window", (c) => {
      if (this.window === null) return c.json({ window: null });
      const { id, until, summary } = this.window;
      const secondsLeft = Math.max(0, (until - Date.now()) / 1000);
      return c.json({ window: { id, until, secondsLeft, summary } });
    });
    app.get("/changes/:id", (c) => {
      const change = this.#changes.find(({ id }) => id === c.req.param("id"));
      return change === undefined ? problem(c, 404, "There is no such change") : c.json(change);
    });
    app.put("/changes/:id/confirm", (c) => {
      this.window = null;
      this.publish("changes");
      return c.body(null);
    });
    app.put("/changes/:id/undo", (c) => {
      const id = c.req.param("id");
      const before = this.#befores.get(id);
      if (before === undefined) return problem(c, 404, "There is no such change");
      const later = this.#changes.findLast((change) => change.undoes === null);
      if (later !== undefined && later.id !== id) {
        return problem(c, 409, `${later.summary} changed the same value later; undo that first`, {
          change: later.id,
        });
      }
      const response = this.#write(c, "Undo", before, id);
      if (c.req.query("dryRun") !== "true") this.window = null;
      return response;
    });
  }

  #stream(c: Context): Response {
    return streamSSE(c, async (stream) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const listener = (topic: string) => {
        if (topic === "") resolve();
        else void stream.writeSSE({ event: topic, data: "{}" });
      };
      this.#listeners.add(listener);
      stream.onAbort(resolve);
      await stream.writeSSE({ data: "hello" });
      await promise;
      this.#listeners.delete(listener);
    });
  }
}
