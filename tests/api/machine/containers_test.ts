import assert from "node:assert/strict";
import { netdApp } from "../../../routes/services/netd.ts";
import { parseVirtualMachines } from "../../../system/host/tools/virtual_machines.ts";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";
import { readDocker } from "../../../system/host/containers/docker.ts";
import { linuxMachine } from "../../../system/host/kernel/machine.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { netdMachine } from "../../../system/host/kernel/netd_machine.ts";
import { NO_PACKAGES } from "../../../routes/composition/packages.ts";
import { eventually } from "../../kit/eventually.ts";
import { otpOf } from "../../kit/otp.ts";
import { testRouter } from "../../kit/router.ts";

/** What a container engine says to each question, as one text. */
type Engine = (question: string) => string | null;

/** A stand-in for a container engine; answers what it was asked. */
async function withEngine(
  engine: Engine,
  work: (socket: string, requests: readonly string[]) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-docker-" });
  const socket = `${folder}/docker.sock`;
  const listener = Deno.listen({ transport: "unix", path: socket });
  const requests: string[] = [];
  const open = new Set<Deno.Conn>();
  const serving = (async () => {
    for await (const connection of listener) {
      open.add(connection);
      const piece = new Uint8Array(4096);
      const length = await connection.read(piece).catch(() => null);
      if (length === null) continue;
      const question = new TextDecoder().decode(piece.subarray(0, length));
      requests.push(question.split("\r\n")[0]!);
      const answer = engine(question);
      if (answer === null) continue;
      await new Response(answer).body!.pipeTo(connection.writable).catch(() => {});
    }
  })();
  try {
    await work(socket, requests);
  } finally {
    listener.close();
    for (const connection of open) {
      try {
        connection.close();
      } catch {
        // It is closed already.
      }
    }
    await serving;
    await Deno.remove(folder, { recursive: true });
  }
}

function ok(value: unknown): string {
  return `HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}`;
}

const WEB = {
  Id: "f".repeat(64),
  Names: ["/web"],
  Image: "nginx:1",
  State: "exited",
  Status: "Exited (0)",
  Created: 1_700_000_000,
  Labels: { token: "hunter22" },
  NetworkSettings: {
    Networks: { bridge: { IPAddress: "172.17.0.2", MacAddress: "02:42:ac:11:00:02" } },
  },
};
const BRIDGE = {
  Id: "a".repeat(64),
  Name: "bridge",
  Driver: "bridge",
  Scope: "local",
  IPAM: { Driver: "default", Config: [{ Subnet: "172.17.0.0/16", Gateway: "172.17.0.1" }] },
  Options: { "com.docker.network.bridge.name": "docker0" },
};

Deno.test("containers and their networks are read through netd with the two allowed requests", async () => {
  const engine: Engine = (question) =>
    ok(
      question.startsWith("GET /networks ")
        ? [BRIDGE, { ...BRIDGE, IPAM: { Config: null } }]
        : [WEB],
    );
  await withEngine(engine, async (socket, requests) => {
    const path = `${socket}.netd`;
    const machines = parseVirtualMachines("7 firecracker firecracker --id micro");
    const app = netdApp(memoryHost(), {
      machine: {
        ...linuxMachine({ home: "/nowhere", socket }),
        virtualMachines: () => Promise.resolve(machines),
      },
    });
    const server = await serveUnix(path, (request) => app.fetch(request));
    try {
      const machine = netdMachine(path);
      const { Labels: _, ...shown } = WEB;
      assert.deepEqual(await machine.containers(), [shown], "labels may hold secrets");
      const networks = await machine.networks();
      const { Driver: __, ...IPAM } = BRIDGE.IPAM;
      assert.deepEqual(networks[0], { ...BRIDGE, IPAM, Internal: false });
      assert.deepEqual(networks[1]!.IPAM.Config, []);
      assert.deepEqual(await machine.virtualMachines(), machines);
      assert.deepEqual(requests, ["GET /containers/json?all=1 HTTP/1.0", "GET /networks HTTP/1.0"]);
    } finally {
      await server.shutdown();
    }
  });
});

/** Waits until the engine was asked for exactly these acts, in any order. */
async function asked(requests: readonly string[], acts: readonly string[]): Promise<void> {
  await eventually("the engine gets the requests", () => {
    const posts = requests.filter((one) => one.startsWith("POST "));
    assert.deepEqual(posts.toSorted(), acts.map((one) => `POST ${one} HTTP/1.0`).toSorted());
  });
}

Deno.test("containers of a plugin start and stop with it, restart, and those of others do not", async () => {
  const label = (path: string, plugin = "sample") => ({
    "com.docker.compose.project.config_files": path,
    "sluice.plugin": plugin,
  });
  const [one, two, other] = ["1".repeat(64), "2".repeat(64), "3".repeat(64)];
  const file = "plugins/user/sample/docker-compose.yml";
  const containers = [
    { ...WEB, Id: one, Labels: label(`/nowhere/configs/compose/${file}`) },
    { ...WEB, Id: two, Labels: label(`/nowhere/configs/compose/${file}`) },
    { ...WEB, Id: other, Labels: label(`/nowhere/configs/compose/${file}`, "other") },
    { ...WEB, Id: "4".repeat(64), Labels: null },
  ];
  let refusal: string | null = null;
  const engine: Engine = (question) =>
    question.startsWith("GET ") ? ok(containers) : refusal ?? "HTTP/1.0 204 No Content\r\n\r\n";
  await withEngine(engine, async (socket, requests) => {
    const path = `${socket}.netd`;
    const app = netdApp(memoryHost(), { machine: linuxMachine({ home: "/nowhere", socket }) });
    const server = await serveUnix(path, (request) => app.fetch(request));
    const host = Object.defineProperty(memoryHost(), "kind", { value: "linux" });
    await using router = await testRouter({
      host,
      machine: {
        ...{ root: "/nowhere", features: [], packages: NO_PACKAGES },
        programs: { list: () => Promise.resolve([]), restart: () => Promise.resolve() },
        machine: netdMachine(path),
        journal: () => Promise.resolve(null),
        serveTls: () => Promise.resolve(),
      },
      files: { "base/custom_compose_paths.json": [file] },
    });
    try {
      const headers = await otpOf(router);
      const put = (Enabled: boolean) =>
        router.json("PUT", "/plugins_api/sample", {
          body: { Name: "sample", Enabled, ComposeFilePath: file },
          headers,
        });
      const restart = async () => (await router.ask("PUT", "/plugins_api/sample/restart")).status;
      await put(true);
      const started = [one, two].map((id) => `/containers/${id}/start`);
      await asked(requests, started);
      assert.equal(await restart(), 200);
      const restarted = [one, two].map((id) => `/containers/${id}/restart?t=5`);
      await asked(requests, [...started, ...restarted]);
      await put(false);
      const stopped = [one, two].map((id) => `/containers/${id}/stop?t=5`);
      await asked(requests, [...started, ...restarted, ...stopped]);
      assert.equal(await restart(), 404, "it is off");
      await put(true);
      refusal = "HTTP/1.0 500 Internal Server Error\r\n\r\n" +
        JSON.stringify({ cause: "x", message: "no room for it", response: 500 });
      const refused = await router.ask("PUT", "/plugins_api/sample/restart");
      assert.equal(refused.status, 502);
      assert.match((await refused.json()).detail, /500: no room for it/);
      containers.splice(0);
      assert.equal(await restart(), 404, "there are none, and no file to make them of");
    } finally {
      await server.shutdown();
    }
  });
  assert.equal(
    await linuxMachine({ home: "/nowhere", socket: "/nowhere" }).actOnContainers("stop", {
      ...{ plugin: "sample", composeFile: file },
    }),
    null,
  );
});

Deno.test("without a container engine the lists are empty; an invalid response names it", async () => {
  assert.equal(await readDocker("containers", { socket: "/nowhere/docker.sock" }), null);
  assert.deepEqual(
    await linuxMachine({ home: "/nowhere", socket: "/nowhere/docker.sock" }).networks(),
    [],
  );
  const plain = await Deno.makeTempFile();
  assert.equal(await readDocker("networks", { socket: plain }), null, "nobody listens there");
  await Deno.remove(plain);
  for (
    const [answer, text] of [
      ["HTTP/1.0 500 Oh\r\n\r\n{}", /answered 500/],
      ["HTTP/1.0 200 OK\r\n\r\nnot json", /no JSON/],
      ["SSH-2.0-x\r\n", /no HTTP/],
      ["", /no HTTP/],
      [null, /does not answer/],
    ] as const
  ) {
    await withEngine(() => answer, async (socket) => {
      await assert.rejects(readDocker("containers", { socket, timeoutMs: 200 }), text);
    });
  }
  const odd = [7, null, { Id: 1 }, WEB, { ...WEB, Names: ["x".repeat(600)] }];
  await withEngine(() => ok(odd), async (socket) => {
    assert.equal((await linuxMachine({ home: "/nowhere", socket }).containers()).length, 1);
  });
  await withEngine(() => ok({ message: "no list" }), async (socket) => {
    assert.deepEqual(await linuxMachine({ home: "/nowhere", socket }).containers(), []);
  });
  await withEngine(() => ok("x".repeat(9 * 1024 * 1024)), async (socket) => {
    await assert.rejects(readDocker("networks", { socket }), /more than fits/);
  });
});

Deno.test("virtual machines are recognised by their processes, without exposing their arguments", () => {
  const text = [
    "    1 systemd         /sbin/init",
    "  812 qemu-system-x86 /usr/bin/qemu-system-x86_64 -name guest=box,debug-threads=on -m size=2097152k " +
    "-smp 2,sockets=1 -accel kvm -object secret,id=s,data=hunter22",
    "  900 qemu-system-aar qemu-system-aarch64 -m 1G -smp cpus=4",
    "  77 firecracker     /usr/bin/firecracker --id micro --api-sock /run/a.sock",
    "  12 grep            grep qemu-system-x86_64 -name nobody",
    "garbage",
  ].join("\n");
  const found = parseVirtualMachines(text);
  assert.deepEqual(found, {
    ...{ Discovery: "processes", KVMAvailable: true, ContainerMetadataAvailable: false },
    VirtualMachines: [
      {
        ...{ ID: "812", PID: 812, Name: "box", State: "running", Runtime: "qemu-system-x86" },
        ...{ CPUs: 2, MemoryMiB: 2048 },
      },
      { ID: "77", PID: 77, Name: "micro", State: "running", Runtime: "firecracker" },
      {
        ...{ ID: "900", PID: 900, Name: "qemu-system-aar-900", State: "running" },
        ...{ Runtime: "qemu-system-aar", CPUs: 4, MemoryMiB: 1024 },
      },
    ],
  });
  assert.deepEqual(parseVirtualMachines("").VirtualMachines, []);
});

Deno.test("in demo mode there is no container engine; processes are found by current and older names", async () => {
  await using router = await testRouter();
  assert.deepEqual(await router.json("GET", "/info/dockernetworks"), []);
  const machines = await router.json<{ VirtualMachines: unknown[] }>("GET", "/info/vms");
  assert.deepEqual(machines.VirtualMachines, []);
  const ask = (query: string) => router.ask("GET", `/dockerPS${query}`);
  const own = await ask("?service=api&compose_file=docker-compose.yml");
  assert.deepEqual(JSON.parse(await own.json()), { Name: "api", Service: "api", State: "running" });
  for (const service of ["dns", "nobody", "__proto__", "constructor"]) {
    const answer = await ask(`?service=${service}`);
    await answer.body?.cancel();
    assert.equal(answer.status, 404, service);
  }
});
