import assert from "node:assert/strict";
import { netdApp } from "../../../routes/services/netd.ts";
import type { Flow, Host, KernelEvent } from "../../../system/core/kernel/host.ts";
import type { KernelStep, RulesetOp } from "../../../system/core/kernel/plan.ts";
import { type MemoryHost, memoryHost } from "../../../system/host/memory/host.ts";
import { netdClient } from "../../../system/host/kernel/netd_client.ts";
import { startNetd } from "../../../system/network/service.ts";
import { inTime } from "../../kit/eventually.ts";
import { pass, smallRuleset } from "../../kit/builders/small_ruleset.ts";

interface Bench {
  readonly model: MemoryHost;
  readonly client: Host;
  readonly path: string;
  start(host?: Host): Promise<{ stop(): Promise<void> }>;
}

async function bench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/netd.sock`;
  const model = memoryHost();
  const client = netdClient(path);
  const running: { stop(): Promise<void> }[] = [];
  try {
    await work({
      ...{ model, client, path },
      start: async (host = model) => {
        const netd = await startNetd({ path, app: netdApp, log: () => {}, host });
        running.push(netd);
        return netd;
      },
    });
  } finally {
    await client.close();
    for (const netd of running) await netd.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** A host that does as another one, except for some of its methods. */
function hostLike(host: Host, changes: Partial<Host>): Host {
  return {
    kind: host.kind,
    facts: () => host.facts(),
    apply: (step) => host.apply(step),
    flows: (addresses) => host.flows(addresses),
    flushFlows: (flows) => host.flushFlows(flows),
    compare: (thorough) => host.compare(thorough),
    routeTo: (address) => host.routeTo(address),
    traffic: (flows) => host.traffic(flows),
    linkBytes: () => host.linkBytes(),
    liveFlows: (query) => host.liveFlows(query),
    block: (ranges) => host.block(ranges),
    blocked: () => host.blocked(),
    countBlocked: () => host.countBlocked(),
    inspect: (what) => host.inspect(what),
    watch: (listener) => host.watch(listener),
    close: () => host.close(),
    ...changes,
  };
}

const FLOW: Flow = {
  protocol: "tcp",
  source: "192.168.2.6",
  destination: "198.51.100.7",
  sport: 40000,
  dport: 80,
  replySource: "198.51.100.7",
  replyDestination: "203.0.113.2",
  replySport: 80,
  replyDport: 40000,
};

Deno.test("netd responds as the host that it serves", () =>
  bench(async ({ model, client, start }) => {
    await start();
    const ruleset = smallRuleset(["192.168.2.6", "lan0"]);
    await client.apply({ kind: "load", ruleset });
    assert.deepEqual(model.ruleset(), ruleset);
    await client.apply({
      kind: "ruleset",
      ops: [{
        op: "add-elements",
        family: "inet",
        table: "small",
        set: "passes",
        elements: [pass("192.168.2.10", "lan1")],
      }],
    });
    assert.equal(model.ruleset().tables[0]?.sets[0]?.elements.size, 2);
    await client.apply({ kind: "ip", ops: [{ op: "set-link", name: "lan0", up: true }] });
    await client.apply({ kind: "forwarding", on: true });
    assert.deepEqual(await client.facts(), await model.facts());
    assert.equal((await client.facts()).forwarding, true);
    model.track(FLOW);
    assert.deepEqual(await client.flows(["192.168.2.6"]), [FLOW]);
    await client.flushFlows([FLOW]);
    assert.deepEqual(model.tracked(), []);
    assert.equal(await client.routeTo("198.51.100.7"), null);
    assert.equal(await client.routeTo("127.0.0.1"), "lo");
  }));

Deno.test("netd lists tables, sets and addresses, and is 404 for what the kernel lacks", () =>
  bench(async ({ model, client, start }) => {
    await start();
    await client.apply({ kind: "load", ruleset: smallRuleset(["192.168.2.6", "lan0"]) });
    const set = { kind: "set", family: "inet", table: "small", name: "passes", map: true } as const;
    for (const what of [{ kind: "addresses" }, set] as const) {
      assert.deepEqual(await client.inspect(what), await model.inspect(what));
    }
    const gone = { kind: "table", family: "inet", name: "nobodys" } as const;
    await assert.rejects(client.inspect(gone), { status: 404 });
    const hostile = { kind: "table", family: "inet", name: "x; flush ruleset" } as const;
    await assert.rejects(client.inspect(hostile), { status: 400 });
  }));

Deno.test("every kind of ruleset operation survives the wire format", () =>
  bench(async ({ client, model, start }) => {
    await start();
    const [table] = smallRuleset(["192.168.2.6", "lan0"]).tables;
    const inTable = { family: "inet", table: "small" } as const;
    const ops: readonly RulesetOp[] = [
      { op: "add-table", table: table! },
      {
        op: "add-set",
        ...inTable,
        set: {
          name: "forwarded",
          key: ["inet_proto", "inet_service"],
          value: ["ipv4_addr", "inet_service"],
          elements: new Map([["tcp . 80", {
            key: ["tcp", "80"],
            value: ["192.168.2.6", "8080"],
          }]]),
        },
      },
      {
        op: "add-chain",
        ...inTable,
        chain: {
          name: "LATER",
          rules: [{ matches: [], action: { kind: "drop" }, comment: 'Not "now"' }],
        },
      },
      { op: "replace-rules", ...inTable, chain: { name: "LATER", rules: [] } },
      { op: "delete-chain", ...inTable, chain: "LATER" },
    ];
    await client.apply({ kind: "ruleset", ops });
    const expected = memoryHost();
    await expected.apply({ kind: "ruleset", ops });
    assert.deepEqual(model.ruleset(), expected.ruleset());
  }));

Deno.test("an error keeps its status and message", () =>
  bench(async ({ client, start }) => {
    await start();
    const op = { op: "set-link", name: "nowhere", up: true } as const;
    await assert.rejects(client.apply({ kind: "ip", ops: [op] }), {
      name: "Problem",
      status: 502,
      message: 'The kernel refused "link set dev nowhere up": Cannot find device "nowhere"',
    });
  }));

Deno.test("a plan is one call that stops at the first failing step", () =>
  bench(async ({ client, model, start }) => {
    await start();
    const link = (name: string): KernelStep => ({
      kind: "ip",
      ops: [{ op: "add-link", name, kind: "bridge" }],
    });
    const steps: readonly KernelStep[] = [
      link("one"),
      { kind: "ip", ops: [{ op: "set-link", name: "nowhere", up: true }] },
      link("two"),
    ];
    await assert.rejects(client.applyAll!(steps), { status: 502, message: /nowhere up/ });
    const names = (await model.facts()).links.map(({ name }) => name);
    assert.deepEqual([names.includes("one"), names.includes("two")], [true, false]);
    await client.applyAll!([link("two"), { kind: "forwarding", on: true }]);
    const facts = await model.facts();
    assert.deepEqual([facts.forwarding, facts.links.some(({ name }) => name === "two")], [
      true,
      true,
    ]);
    await assert.rejects(client.applyAll!([link("three"), link("bad name")]), { status: 400 });
    assert.equal((await model.facts()).links.some(({ name }) => name === "three"), false);
  }));

Deno.test("netd refuses steps that its schema does not allow", () =>
  bench(async ({ client, model, start }) => {
    await start();
    const evil = [
      { kind: "text", text: "flush ruleset" },
      { kind: "ip", ops: [{ op: "set-link", name: "lan0\nlink delete dev lan0", up: true }] },
      { kind: "ip", ops: [{ op: "add-link", name: "x", kind: "veth" }] },
      { kind: "ruleset", ops: [{ op: "delete-table", family: "inet", table: "x; flush ruleset" }] },
      {
        kind: "load",
        ruleset: smallRuleset(["192.168.2.6 : accept } ; flush ruleset", "lan0"]),
      },
    ];
    for (const step of evil) {
      await assert.rejects(client.apply(step as unknown as KernelStep), { status: 400 });
    }
    assert.deepEqual(model.ruleset(), { tables: [] });
  }));

Deno.test("a call that hangs ends with a 502 that says so", () =>
  bench(async ({ path, model, start }) => {
    const stuck = Promise.withResolvers<void>();
    const host = hostLike(model, {
      facts: () => stuck.promise.then(() => model.facts()),
    });
    await start(host);
    const client = netdClient(path, { read: 0.2 });
    await assert.rejects(client.facts(), {
      status: 502,
      message: "netd did not answer /facts within 0.2 seconds",
    });
    stuck.resolve();
    await client.close();
  }));

Deno.test("netd aborts a call that hangs, reports it, and is restarted", () =>
  bench(async ({ client, model, path }) => {
    const stuck = Promise.withResolvers<void>();
    const hanging = hostLike(model, { apply: () => stuck.promise });
    const stuckCalls: string[] = [];
    const netd = await startNetd({
      path,
      log: () => {},
      host: hanging,
      app: (host) =>
        netdApp(host, {
          deadlines: { read: 20, write: 0.2, load: 20 },
          stuck: (call) => stuckCalls.push(call),
        }),
    });
    await assert.rejects(client.apply({ kind: "forwarding", on: true }), {
      status: 502,
      message: "/apply did not finish within 0.2 seconds; netd restarts",
    });
    assert.deepEqual(stuckCalls, ["/apply"]);
    assert.deepEqual(await client.facts(), await model.facts());
    stuck.resolve();
    await netd.stop();
  }));

Deno.test("netd times out each read from a kernel that does not respond", () =>
  bench(async ({ client, model, path }) => {
    const { promise, resolve } = Promise.withResolvers<never>();
    const hang = () => promise;
    const stuckCalls: string[] = [];
    const netd = await startNetd({
      path,
      log: () => {},
      host: hostLike(model, { facts: hang, compare: hang, routeTo: hang, inspect: hang }),
      app: (host) =>
        netdApp(host, {
          deadlines: { read: 0.1, write: 0.1, load: 0.1 },
          stuck: (call) => stuckCalls.push(call),
        }),
    });
    const inspect = client.inspect({ kind: "addresses" });
    const calls = [client.facts(), client.compare(false), client.routeTo("192.0.2.1"), inspect];
    await Promise.allSettled<unknown>(calls);
    for (const one of calls) {
      await assert.rejects(one as Promise<unknown>, { status: 502, message: /netd restarts$/ });
    }
    assert.deepEqual(stuckCalls.sort(), ["/compare", "/facts", "/inspect", "/route"]);
    resolve(undefined as never);
    await netd.stop();
  }));

Deno.test("an unresponsive netd is replaced before the call fails", () =>
  bench(async ({ client: patient, model, path, start }) => {
    const stuck = Promise.withResolvers<void>();
    const first = await start(hostLike(model, { apply: () => stuck.promise }));
    let replaced = 0;
    const client = netdClient(path, {
      write: 0.3,
      replace: async () => {
        replaced++;
        await first.stop();
        await start();
      },
    });
    await assert.rejects(client.apply({ kind: "forwarding", on: true }), {
      status: 502,
      message: "netd did not answer /apply within 0.3 seconds",
    });
    assert.equal(replaced, 1);
    await patient.apply({ kind: "forwarding", on: true });
    assert.equal((await patient.facts()).forwarding, true);
    stuck.resolve();
    await client.close();
  }));

Deno.test("the call fails even when netd cannot be replaced", () =>
  bench(async ({ model, path, start }) => {
    const stuck = Promise.withResolvers<void>();
    await start(hostLike(model, { apply: () => stuck.promise }));
    const client = netdClient(path, {
      write: 0.2,
      replace: () => Promise.reject(new Error("no launcher")),
    });
    await assert.rejects(client.apply({ kind: "forwarding", on: true }), { status: 502 });
    stuck.resolve();
    await client.close();
  }));

Deno.test("a call made while netd starts is answered once it listens", () =>
  bench(async ({ client, model, start }) => {
    const facts = client.facts();
    await start();
    assert.deepEqual(await facts, await model.facts());
  }));

Deno.test("watchers receive events, and one when netd reconnects", () =>
  bench(async ({ client, model, start }) => {
    const events: KernelEvent[] = [];
    let arrived = Promise.withResolvers<void>();
    const next = async (): Promise<KernelEvent | undefined> => {
      if (events.length === 0) await arrived.promise;
      arrived = Promise.withResolvers();
      return events.shift();
    };
    const watched = Promise.withResolvers<void>();
    const host = hostLike(model, {
      watch: (listener) => {
        watched.resolve();
        return model.watch(listener);
      },
    });
    const first = await start(host);
    client.watch((event) => {
      events.push(event);
      arrived.resolve();
    });
    await watched.promise;
    model.emit({ kind: "link", name: "lan0" });
    assert.deepEqual(await next(), { kind: "link", name: "lan0" });
    await first.stop();
    await start(memoryHost());
    assert.deepEqual(await next(), { kind: "reconnected" });
  }));

Deno.test("netd's socket is accessible to its group alone", () =>
  bench(async ({ path, start }) => {
    await start();
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o660);
  }));

Deno.test("netd takes over the socket of a dead netd, never of a running one", () =>
  bench(async ({ path, client, model, start }) => {
    // Closing removes the file under its first name; moved, it stays as after a kill.
    const dead = Deno.listen({ transport: "unix", path: `${path}.dead` });
    await Deno.rename(`${path}.dead`, path);
    dead.close();
    await Deno.stat(path);
    await start();
    await assert.rejects(start(memoryHost()), /Another process answers/);
    assert.deepEqual(await client.facts(), await model.facts());
  }));

Deno.test("netd stops while events are being read, and removes its socket", () =>
  bench(async ({ path, client, start }) => {
    const netd = await start();
    client.watch(() => {});
    await client.facts();
    await inTime("the stop", netd.stop());
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  }));

Deno.test("an unknown path of netd is a 404 with a message", async () => {
  const request = new Request("http://127.0.0.1/nft", { method: "POST" });
  const response = await netdApp(memoryHost()).fetch(request);
  assert.equal(response.status, 404);
  assert.match((await response.json()).detail, /netd has no POST \/nft/);
});

Deno.test("a stalled event reader is disconnected, and its queue bounded", async () => {
  let emit: (event: KernelEvent) => void = () => {};
  let watching = 0;
  const host = hostLike(memoryHost(), {
    watch: (listener) => {
      emit = listener;
      watching++;
      return () => void watching--;
    },
  });
  const answer = await netdApp(host).fetch(new Request("http://127.0.0.1/events"));
  assert.equal(watching, 1);
  for (let left = 20_000; left > 0 && watching > 0; left--) emit({ kind: "link", name: "lan0" });
  assert.equal(watching, 0);
  const { length } = (await answer.text()).split("\n"); // What waited is still sent.
  assert.ok(length > 1000 && length < 5000, String(length));
});
