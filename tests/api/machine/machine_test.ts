import assert from "node:assert/strict";
import { join } from "node:path";
import { Bus } from "../../../system/core/events/bus.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { serveEvents } from "../../../system/events/socket.ts";
import type { MachineOptions } from "../../../routes/composition/machine.ts";
import { NO_PACKAGES } from "../../../routes/composition/packages.ts";
import { answered, inFolder, startProgram, until } from "../../kit/process.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";

const none = () => Promise.resolve([]), absent = () => Promise.resolve(null);
const unknown = () => Promise.reject(new Error("not on a model")), done = () => Promise.resolve();
const BOX: MachineOptions = {
  ...{ root: "/nowhere", features: ["dns", "wifi"] },
  programs: {
    list: () => Promise.resolve([{ name: "api", state: "running", pid: 7, since: 5000 }]),
    restart: () => Promise.reject(new Problem(503, "Nobody can")),
  },
  packages: NO_PACKAGES,
  machine: {
    ...{ ping: unknown, virtualMachines: unknown, checkRegistryLogin: absent },
    ...{ sockets: none, containers: none, networks: none },
    ...{ actOnContainers: absent, deployContainers: absent, removeContainers: absent },
    ...{ syncTime: done, setClock: done, isClockSynchronised: () => Promise.resolve(false) },
  },
  journal: absent,
  serveTls: () => Promise.resolve(),
};

async function status(router: TestRouter, method: string, path: string, body?: unknown) {
  const answer = await router.ask(method, path, body === undefined ? {} : { body });
  return {
    status: answer.status,
    text: await answer.text(),
    type: answer.headers.get("content-type"),
  };
}

Deno.test("GET /version takes either parameter, several components as an object", async () => {
  await using router = await testRouter({ machine: BOX });
  const version = (query: string) => router.json("GET", `/version${query}`);
  assert.equal(await version(""), "v0.0.0");
  assert.equal(await version("?container=dns"), "v0.0.0");
  assert.equal(await version("?plugin=api"), "v0.0.0");
  assert.deepEqual(await version("?plugin=api&plugin=nobody&container=dns"), {
    api: "v0.0.0",
    nobody: "",
    dns: "v0.0.0",
  });
  assert.equal((await status(router, "GET", "/version?container=nobody")).status, 404);
  const many = Array.from({ length: 65 }, () => "plugin=a").join("&");
  assert.equal((await status(router, "GET", `/version?${many}`)).status, 400);
});

Deno.test("the supervisor's socket returns versions without credentials", async () => {
  await using router = await testRouter({ machine: BOX });
  const ask = async (path: string) => await (await router.inside("superd", "GET", path)).text();
  assert.equal(await ask("/git_version"), '"v0.0.0"\n');
  assert.equal(await ask("/git_version?plugin="), '"v0.0.0"\n');
  assert.equal(await ask("/container_version?container=wifid"), '"v0.0.0"\n');
  assert.equal((await router.inside("superd", "GET", "/git_version?plugin=x")).status, 404);
});

Deno.test("selecting a release needs a second factor, persists, and is undone", async () => {
  await using router = await testRouter({ machine: BOX });
  const body = { CustomChannel: "-dev", CustomVersion: "v1.2.3" };
  assert.equal((await status(router, "PUT", "/releaseSet", body)).status, 403);
  assert.deepEqual(await router.json("GET", "/release"), {
    CustomChannel: "",
    CustomVersion: "",
    Current: "v0.0.0",
  });
  assert.deepEqual(await router.json("GET", "/releaseChannels"), ["main", "-dev", "v0.0.0"]);
  for (const path of ["/releasesAvailable", "/releaseChannels/x", "/releaseChannels?container=x"]) {
    assert.deepEqual(await router.json("GET", path), ["v0.0.0"]);
  }
});

Deno.test("update settings are changes: stored, undone, and with an ETag", async () => {
  await using router = await testRouter({ machine: BOX });
  const on = await router.ask("PUT", "/autoupdate");
  assert.deepEqual([on.status, on.headers.get("content-type")], [200, null]);
  const id = on.headers.get("change-id");
  assert.equal(await router.json("GET", "/autoupdate"), true);
  assert.equal((await status(router, "PUT", `/changes/${id}/undo`)).status, 200);
  assert.equal(await router.json("GET", "/autoupdate"), false);
  await status(router, "DELETE", "/checkupdates");
  const again = await router.reopen();
  assert.equal(await again.json("GET", "/checkupdates"), false);
  await again.close();
});

Deno.test("feature flags keep their order without duplicates; unknown ones are refused", async () => {
  await using router = await testRouter({ machine: BOX });
  const body = ["webllm", "rustap", "webllm"];
  assert.deepEqual(await router.json("PUT", "/featureFlags", { body }), ["rustap", "webllm"]);
  assert.equal((await status(router, "PUT", "/featureFlags", ["warp"])).status, 400);
  assert.deepEqual(await router.json("GET", "/featureFlags"), ["rustap", "webllm"]);
});

Deno.test("themes are replaced as a whole, and an invalid one changes nothing", async () => {
  await using router = await testRouter({ machine: BOX });
  const spec = {
    colorMode: "dark",
    accent: "#112233",
    background: "#000000",
    card: "#0a0a0a",
    text: "#ffffff",
    font: "Inter",
  };
  const theme = { id: "custom-one", name: "One", spec };
  assert.deepEqual(await router.json("PUT", "/customThemes", { body: [theme] }), [theme]);
  const bad = [
    [theme, theme],
    [{ ...theme, id: "one" }],
    [{ ...theme, name: "a\nb" }],
    [{ ...theme, spec: { ...spec, accent: "red" } }],
    [{ ...theme, spec: { ...spec, font: "x; } body { background: red" } }],
    [{ ...theme, spec: { ...spec, font: "url(//elsewhere.example)" } }],
    [{ ...theme, spec: { ...spec, font: "a\\62" } }],
    Array.from({ length: 33 }, (_, n) => ({ ...theme, id: `custom-${n}` })),
  ];
  for (const body of bad) {
    assert.equal((await status(router, "PUT", "/customThemes", body)).status, 400);
  }
  assert.deepEqual(await router.json("GET", "/customThemes"), [theme]);
  const fonts = { ...theme, spec: { ...spec, font: `"Noto Sans", 'Ünï-code', sans-serif` } };
  assert.deepEqual(await router.json("PUT", "/customThemes", { body: [fonts] }), [fonts]);
});

Deno.test("the router's host name is set and stored in the existing file format", async () => {
  await using router = await testRouter({ machine: BOX, files: { "base/hostname": '"old"' } });
  assert.equal(await router.json("GET", "/info/hostname"), "old");
  assert.equal((await status(router, "PUT", "/info/hostname", "my-router")).status, 200);
  assert.equal(
    await Deno.readTextFile(join(router.home, "configs/base/hostname")),
    '"my-router"\n',
  );
  for (const bad of ["", "a b", "-a", "a.b", "ä", "x".repeat(64), 7]) {
    assert.equal((await status(router, "PUT", "/info/hostname", bad)).status, 400, String(bad));
  }
  assert.equal(await router.json("GET", "/info/hostname"), "my-router");
});

Deno.test("the host name that the caller uses is only changed with force", async () => {
  await using router = await testRouter({
    machine: BOX,
    app: {
      ui: new Map(),
      versions: { api: "0.3.0", program: "0.0.0" },
      names: () => new Set(["old.lan", "new.lan"]),
    },
  });
  const rename = async (body: string, host: string, query = "") => {
    const answer = await router.ask("PUT", `/info/hostname${query}`, { body, headers: { host } });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await rename("old", "192.168.2.1"), 200);
  assert.equal(await rename("new", "old.lan:8080"), 409);
  assert.equal(await rename("new", "old.lan", "?dryRun=true"), 200);
  assert.equal(await router.json("GET", "/info/hostname"), "old");
  assert.equal(await rename("new", "old.lan", "?force=true"), 200);
  assert.equal(await rename("other", "192.168.2.1"), 200);
});

Deno.test("system information has the format that existing clients read", async () => {
  await using router = await testRouter({ machine: BOX, now: () => 1_800_000_000_500 });
  assert.deepEqual(await router.json("GET", "/time"), { unix: 1_800_000_000 });
  assert.deepEqual(await router.json("GET", "/features"), ["dns", "wifi"]);
  const [container] = await router.json<Record<string, unknown>[]>("GET", "/info/docker");
  assert.deepEqual(container, {
    Id: "api-7",
    Names: ["/api"],
    Image: "sluice:v0.0.0",
    State: "running",
    Status: "running",
    Created: 5,
    NetworkSettings: { Networks: {} },
  });
  assert.equal(
    typeof (await router.json<Record<string, unknown>>("GET", "/info/uptime")).uptime,
    "string",
  );
  assert.deepEqual(await router.json("GET", "/info/ss"), []);
  assert.equal((await status(router, "GET", "/info/nothing")).status, 404);
  assert.equal((await status(router, "PUT", "/restart")).status, 503);
  assert.equal((await status(router, "PUT", "/time/sync")).status, 503, "a model has no clock");
});

Deno.test("in demo mode own addresses answer pings; names and invalid interfaces are refused", async () => {
  await using router = await testRouter({ machine: BOX });
  const own = await router.json<string[]>("PUT", "/ping/lo/127.0.0.1");
  assert.equal(own.length, 4);
  for (const time of own) assert.match(time, /^[\d.]+(ns|µs|ms)$/);
  assert.deepEqual(await router.json("PUT", "/ping/lan0/192.0.2.9"), Array(4).fill("timeout"));
  assert.deepEqual(
    await router.json("PUT", "/ping/lan0/192.0.2.9:53/udp"),
    Array(4).fill("timeout"),
  );
  const bad = [
    "/ping/nope/192.0.2.9",
    "/ping/-I/192.0.2.9",
    "/ping/lan0/router.lan",
    "/ping/lan0/224.0.0.1",
    "/ping/lan0/192.0.2.9:0/udp",
    "/ping/lan0/192.0.2.9:65536/udp",
    "/ping/lan0/router.lan:53/udp",
    "/ping/lan0/192.0.2.9/udp",
    "/ping/lan%3Breboot/192.0.2.9",
  ];
  for (const path of bad) assert.equal((await status(router, "PUT", path)).status, 400, path);
});

Deno.test("a speed test sends the requested number of bytes and accepts uploads up to the limit", async () => {
  await using router = await testRouter({ machine: BOX });
  const down = await status(router, "GET", "/speedtest/7-131090");
  assert.equal(down.text.length, 131_083);
  assert.equal(down.text.slice(0, 5), "78901");
  assert.ok([...down.text].every((digit, at) => digit === String((7 + at) % 10)));
  assert.match(down.type ?? "", /^text\/plain/);
  for (const bad of ["5-5", "6-5", "0-26214400", "a-b", "0", "-1-5", "0-1-2"]) {
    assert.equal((await status(router, "GET", `/speedtest/${bad}`)).status, 400, bad);
  }
  const up = await router.ask("PUT", "/speedtest/0-10", { body: "0123456789" });
  assert.equal(await up.text(), "ok\n");
  const announced = { headers: { "content-length": "26214401" }, body: "x" };
  assert.equal((await router.ask("PUT", "/speedtest/0-10", announced)).status, 413);
});

Deno.test("logs are filtered by plain text, paged and bounded", async () => {
  await using router = await testRouter({ machine: BOX });
  assert.deepEqual(await router.json("GET", "/logs"), []);
  const line = (n: number, level = "info") =>
    JSON.stringify({
      time: new Date(1_700_000_000_000 + n).toISOString(),
      level,
      process: n % 2 ? "api" : "dhcpd",
      event: "test.line",
      message: `Line ${n} (a.*b)`,
    });
  const path = join(router.home, "state/logs/sluice.jsonl");
  await Deno.writeTextFile(path, Array.from({ length: 3000 }, (_, n) => `${line(n)}\n`).join(""));
  type Entry = { MESSAGE: string; CONTAINER_NAME: string; __REALTIME_TIMESTAMP: number };
  const all = await router.json<Entry[]>("GET", "/logs");
  assert.equal(all.length, 2000);
  assert.deepEqual(all[0], {
    CONTAINER_NAME: "api",
    MESSAGE: "Line 2999 (a.*b)",
    __REALTIME_TIMESTAMP: 1_700_000_002_999_000,
    PRIORITY: "6",
    _TRANSPORT: "sluice",
  });
  const before = all.at(-1)!.__REALTIME_TIMESTAMP;
  const next = await router.json<Entry[]>("GET", `/logs?limit=5&before=${before}`);
  assert.equal(next[0]?.MESSAGE, "Line 999 (a.*b)");
  assert.equal(next.length, 5);
  const text = (label: string) => `/logs?text=${encodeURIComponent(label)}`;
  assert.equal((await router.json<Entry[]>("GET", text("line 7 (A.*B)"))).length, 1);
  assert.equal((await router.json<Entry[]>("GET", text("Line .* b"))).length, 0);
  assert.equal((await router.json<Entry[]>("GET", "/logs?process=dhcpd")).length, 1500);
  for (
    const bad of ["limit=0", "limit=2001", "limit=x", "before=-1", "level=loud", "text=a&text=b"]
  ) {
    assert.equal((await status(router, "GET", `/logs?${bad}`)).status, 400, bad);
  }
});

Deno.test("the event bus passes lines on unchanged to subscribers of the topic", async () => {
  await inFolder(async (folder) => {
    const bus = new Bus();
    const published: unknown[] = [];
    bus.subscribe(({ topic, data }) => published.push([topic, data]));
    const path = join(folder, "eventbus.sock");
    const socket = await serveEvents({ path, bus });
    try {
      assert.equal((await Deno.stat(path)).mode! & 0o777, 0o660);
      using reader = await Deno.connect({ transport: "unix", path });
      using writer = await Deno.connect({ transport: "unix", path });
      const send = (to: Deno.UnixConn, text: string) => to.write(new TextEncoder().encode(text));
      await send(reader, '{"topic":"subscribe:dns:","value":""}\n');
      const line = '{"value":"{\\"a\\":  1}",  "topic":"dns:serve:192.0.2.1"}';
      // The subscription stands once an event of ours comes through.
      const received = read(reader);
      await until("the reader is subscribed", () => {
        bus.publish("dns:own", { n: 1 });
        return received.text() !== "";
      });
      await send(writer, 'nonsense\n{"topic":"other","value":"1"}\n');
      await send(writer, `${line}\n`);
      await until("the line arrives", () => received.text().includes(line));
      assert.ok(received.text().startsWith('{"topic":"dns:own","value":"{\\"n\\":1}"}\n'));
      assert.ok(!received.text().includes("other"));
      assert.deepEqual(published.at(-1), ["dns:serve:192.0.2.1", { a: 1 }]);
      await endless(writer);
      await until("a line without an end closes the connection", async () => await ended(writer));
    } finally {
      await socket.close();
    }
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  });
});

Deno.test("a slow reader of the event bus is disconnected, others are not", async () => {
  await inFolder(async (folder) => {
    const bus = new Bus();
    const path = join(folder, "eventbus.sock");
    const socket = await serveEvents({ path, bus });
    try {
      using slow = await Deno.connect({ transport: "unix", path });
      using quick = await Deno.connect({ transport: "unix", path });
      const all = new TextEncoder().encode('{"topic":"subscribe:","value":""}\n');
      await Promise.all([slow.write(all), quick.write(all)]);
      const received = read(quick);
      await until("the quick reader is subscribed", () => {
        bus.publish("first", "");
        return received.text() !== "";
      });
      for (let n = 0; n < 6000; n++) {
        bus.publish("flood", "x".repeat(500));
        if (n % 500 === 0) await new Promise((resolve) => setTimeout(resolve));
      }
      bus.publish("last", "");
      await until("the quick reader has all", () => received.text().includes('"last"'));
      await until("the slow reader is cut off", async () => await ended(slow));
    } finally {
      await socket.close();
    }
  });
});

Deno.test("the program listens on both sockets, keeps its log lines, and restarts on request", async () => {
  await inFolder(async (home) => {
    await using program = startProgram({ home });
    await answered(program);
    const as = { authorization: basic("admin", "correct horse battery") };
    const get = async (path: string) =>
      await (await fetch(program.url + path, { headers: as })).json();
    const client = Deno.createHttpClient({
      proxy: { transport: "unix", path: join(home, "state/plugins/superd/socket") },
    });
    const init: RequestInit & { client: Deno.HttpClient } = { client };
    assert.match(await (await fetch("http://127.0.0.1/git_version", init)).json(), /^v\d/);
    client.close();
    (await Deno.connect({ transport: "unix", path: join(home, "state/api/eventbus.sock") }))
      .close();
    const lines: { MESSAGE: string }[] = await get("/logs?process=api");
    assert.ok(lines.some(({ MESSAGE }) => MESSAGE.startsWith("Listening on ")));
    assert.ok(program.log().includes('"process":"api"'), "and passes them on");
    const before = await get("/info/docker");
    const pid = (list: { Names: string[]; Id: string }[]) =>
      list.find(({ Names }) => Names[0] === "/api")?.Id;
    const answer = await fetch(`${program.url}/restart`, { method: "PUT", headers: as });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    await until("another api answers", async () => {
      const now = await get("/info/docker").catch(() => null);
      return now !== null && pid(now) !== pid(before);
    });
  });
});

function read(connection: Deno.UnixConn): { text(): string } {
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    const chunk = new Uint8Array(65_536);
    try {
      for (;;) {
        const length = await connection.read(chunk);
        if (length === null) return;
        text += decoder.decode(chunk.subarray(0, length));
      }
    } catch {
      // The test is over.
    }
  })();
  return { text: () => text };
}

/** Writes without a line feed until the other side has had enough. */
async function endless(connection: Deno.UnixConn): Promise<void> {
  const chunk = new TextEncoder().encode("x".repeat(64 * 1024));
  try {
    for (let n = 0; n < 64; n++) await connection.write(chunk);
  } catch {
    return;
  }
  throw new Error("Four megabytes without a line feed were taken");
}

async function ended(connection: Deno.UnixConn): Promise<boolean> {
  try {
    const chunk = new Uint8Array(65_536);
    while (await connection.read(chunk) !== null);
    return true;
  } catch {
    return true;
  }
}
