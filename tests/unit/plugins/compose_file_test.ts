import assert from "node:assert/strict";
import { Problem } from "../../../system/core/errors/problem.ts";
import { ContainerPlan } from "../../../system/core/machine/container_plan.ts";
import { api } from "../../../system/api/process.ts";
import { grantedPermissions } from "../../../system/core/process/descriptor.ts";
import { parseSettings } from "../../../system/core/process/settings.ts";
import { must } from "../../kit/lab/command.ts";
import { entryFault } from "../../../system/plugins/rules.ts";
import { Plugin } from "../../../system/plugins/schema.ts";
import { readCompose } from "../../../system/plugins/compose/compose_file.ts";

const PLUGIN = { Name: "sample", ComposeFilePath: "plugins/user/sample/docker-compose.yml" };

async function refusal(text: string): Promise<{ readonly pointers: string; readonly why: string }> {
  try {
    await readCompose(text, PLUGIN);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.status, 400);
    const pointers = error.errors.map((one) => one.pointer).join(" ");
    return { pointers, why: error.message };
  }
  throw new Error(`It was taken: ${text}`);
}

Deno.test("a compose file becomes a plan: folders of the plugin, no network unless it asks for one", async () => {
  const plan = await readCompose(
    `version: "3.4"
services:
  web:
    image: ghcr.io/me/sample:1.2@sha256:${"a".repeat(64)}
    container_name: sample
    environment: { LEVEL: 3, DEBUG: true, EMPTY: }
    volumes:
      - \${SUPERDIR}./state/plugins/sample:/state/plugins/sample
  job:
    image: nginx
    environment: [A=b=c]
    network_mode: host
    restart: "no"
    labels: [org.example.part=job, plain]
`,
    PLUGIN,
  );
  assert.deepEqual(plan, {
    plugin: "sample",
    composeFile: PLUGIN.ComposeFilePath,
    containers: [{
      ...{ service: "web", name: "sample", network: "none", restart: "unless-stopped" },
      image: `ghcr.io/me/sample:1.2@sha256:${"a".repeat(64)}`,
      environment: ["LEVEL=3", "DEBUG=true", "EMPTY="],
      mounts: [{
        ...{ source: "state/plugins/sample", target: "/state/plugins/sample", readOnly: false },
      }],
      labels: {},
    }, {
      ...{ service: "job", name: "sample-job", network: "host", restart: "no", image: "nginx" },
      ...{ environment: ["A=b=c"], mounts: [] },
      labels: { "org.example.part": "job", plain: "" },
    }],
  });
  const long = await readCompose(
    "services: {a: {image: x, volumes: [{type: bind, source: /state/plugins/sample/d, target: /d, read_only: true}]}}",
    PLUGIN,
  );
  assert.deepEqual(long.containers[0]!.mounts, [
    { source: "state/plugins/sample/d", target: "/d", readOnly: true },
  ]);
});

Deno.test("what widens the rights of a container is refused, with where it stands", async () => {
  const rows = [
    ...["privileged: true", "pid: host", "ipc: host", "userns_mode: host", "cap_add: [ALL]"],
    ...["devices: [/dev/sda]", "security_opt: [seccomp=unconfined]", "user: root", "build: ."],
    ...["volumes_from: [x]", "env_file: /etc/shadow", "extends: x", "command: [sh]", "tmpfs: /x"],
    ...["cgroup: host", "sysctls: {a: 1}", "secrets: [x]", "networks: [x]", "runtime: x"],
    ...["ports: ['80:80']", "device_cgroup_rules: [a]", "group_add: [x]", "links: [x]"],
  ];
  for (const row of rows) {
    const { pointers, why } = await refusal(`services: {web: {image: nginx, ${row}}}`);
    assert.equal(pointers, `/services/web/${row.split(":")[0]}`);
    assert.match(why, /may not say/, row);
  }
  for (const text of ["networks: {}", "volumes: {}", "include: [x.yml]", "secrets: {}"]) {
    const { pointers } = await refusal(`services: {a: {image: x}}\n${text}`);
    assert.equal(pointers, `/${text.split(":")[0]}`);
  }
});

Deno.test("a container sees no folder but those of its plugin, by whatever way it is written", async () => {
  const sources = [
    ...["/", "/etc", "/run/docker.sock", "~", ".", "..", "./state", "/state/plugins", "data"],
    ...["/state/plugins/other", "/state/plugins/sample/../other", "/state/plugins/sample/./x"],
    ...["/state/plugins/sample//x", "/state/plugins/samples", "${HOME}/x", "$HOME", "${SUPERDIR}/"],
    ...["//state/plugins/sample", "/state/plugins/sample/-x", "/state/plugins/sample/.x", ""],
    ...["C:\\\\x", "/state/plugins/sample/a b", "/STATE/plugins/sample", "/configs/auth"],
  ];
  for (const source of sources) {
    const text = JSON.stringify({
      services: { web: { image: "x", volumes: [{ type: "bind", source, target: "/x" }] } },
    });
    assert.match((await refusal(text)).pointers, /^\/services\/web\/volumes\/0/, source);
  }
  for (const type of ["volume", "npipe", "tmpfs"]) {
    const text = `services: {w: {image: x, volumes: [{type: ${type}, source: a, target: /x}]}}`;
    assert.match((await refusal(text)).pointers, /^\/services\/w\/volumes\/0/);
  }
  for (const target of ["/", "x", "/../etc", "/a/../b", "/a:z", "/a:ro:z"]) {
    const text = `services: {w: {image: x, volumes: ["/state/plugins/sample/a:${target}"]}}`;
    assert.match((await refusal(text)).pointers, /^\/services\/w\/volumes\/0/, target);
  }
  const twice = await refusal(
    "services: {a: {image: x, volumes: ['/state/plugins/sample:/a']}," +
      " b: {image: x, volumes: ['/state/plugins/sample/in:/b']}}",
  );
  assert.match(twice.why, /overlap/);
  assert.equal(twice.pointers, "/services/b/volumes/0");
});

Deno.test("names that would be options or paths, and networks of other containers, are refused", async () => {
  const rows: readonly (readonly [string, string])[] = [
    ["image: --privileged", "image"],
    ["image: ../x", "image"],
    ["image: 'x y'", "image"],
    ["image: 'x?y=z'", "image"],
    ["image: 'x%2f..'", "image"],
    ["image: /var/lib/x.tar", "image"],
    ["image: x, container_name: -x", "container_name"],
    ["image: x, container_name: ../x", "container_name"],
    ["image: x, container_name: 'x&y'", "container_name"],
    ["image: x, network_mode: 'container:other'", "network_mode"],
    ["image: x, network_mode: 'service:other'", "network_mode"],
    ["image: x, network_mode: other", "network_mode"],
    ["image: x, restart: sometimes", "restart"],
    ["image: x, environment: ['-x']", "environment/0"],
    ['image: x, environment: ["A=b\\nC=d"]', "environment/0"],
    ["image: x, labels: {com.docker.compose.project: x}", "labels"],
    ["image: x, labels: [sluice.plugin=other]", "labels"],
  ];
  for (const [row, at] of rows) {
    assert.equal((await refusal(`services: {w: {${row}}}`)).pointers, `/services/w/${at}`, row);
  }
  for (const name of ["-x", "a/b", "'a b'", "__proto__"]) {
    assert.match((await refusal(`services: {${name}: {image: x}}`)).why, /refused at \/services/);
  }
  const same = "services: {a: {image: x, container_name: c}, b: {image: x, container_name: c}}";
  assert.equal((await refusal(same)).pointers, "/services/b/container_name");
});

Deno.test("what is no plain YAML ends with a sentence: anchors, tags, depth, size, doubled keys", async () => {
  const bomb = ["a0: &a0 [x]"];
  for (let n = 1; n < 12; n++) bomb.push(`a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`);
  assert.match((await refusal(`${bomb.join("\n")}\nservices: *a11`)).why, /aliases/);
  assert.match((await refusal("x: &x {image: y}\nservices: {a: *x}")).why, /aliases/);
  assert.match((await refusal("services: {a: {<<: {image: x}}}")).pointers, /<</);
  for (
    const text of [
      "services: !!js/function 'x'",
      "services: {a: {image: !!binary eA==}}",
      "services: {a: {image: x}, a: {image: y}}",
      "[".repeat(60_000),
      "services:\n\t- x",
      "",
      "x",
      "[]",
      "services: []",
      "services: {}",
      "a: 1\n---\nservices: {a: {image: x}}",
      `services: {a: {image: x}} #${" ".repeat(70_000)}`,
    ]
  ) {
    assert.match((await refusal(text)).why, /docker-compose\.yml/, text.slice(0, 60));
  }
});

Deno.test("a plugin with the name of one of the router's own folders gets no containers", async () => {
  for (const Name of ["superd", "Lookup", "mesh"]) {
    await assert.rejects(
      readCompose("services: {a: {image: x}}", { ...PLUGIN, Name }),
      /part of Sluice/,
    );
    const plugin = Plugin.parse({ Name, ComposeFilePath: PLUGIN.ComposeFilePath });
    assert.match(entryFault(plugin, [])!.message, /part of Sluice/);
  }
});

Deno.test("netd takes no plan with a folder of another plugin, or with anything besides", () => {
  const container = {
    ...{ service: "a", name: "a", image: "x", environment: [], network: "none", restart: "no" },
    ...{ labels: {}, mounts: [{ source: "state/plugins/sample", target: "/a", readOnly: false }] },
  };
  const plan = { plugin: "sample", composeFile: "a.yml", containers: [container] };
  assert.equal(ContainerPlan.safeParse(plan).success, true);
  const changed = (more: object) => ({ ...plan, containers: [{ ...container, ...more }] });
  const mount = (source: string) => changed({ mounts: [{ source, target: "/a", readOnly: true }] });
  for (
    const bad of [
      ...[mount("state/plugins/other"), mount("state/plugins/sample/../x"), mount("/etc")],
      ...[changed({ Privileged: true }), changed({ image: "-x" }), { ...plan, home: "/" }],
      ...[mount("state/net/containers/other"), mount("state/net/containers/sample/x")],
      ...[changed({ name: "a.before" }), mount("state/net/containers")],
      ...[{ ...plan, composeFile: "../a.yml" }, { ...plan, plugin: "../x" }],
    ]
  ) assert.equal(ContainerPlan.safeParse(bad).success, false, JSON.stringify(bad));
});

Deno.test("a compose file is read with the permissions that the api has", async () => {
  const root = new URL("../../../", import.meta.url).pathname;
  const settings = parseSettings({ SLUICE_HOME: "/srv/s" }, { root, attached: true, services: [] });
  const { env } = grantedPermissions(api, settings);
  const plan = await must(Deno.execPath(), [
    ...["run", "-q", "--no-prompt", "--no-check", `--config=${root}deno.json`],
    ...[`--allow-read=${root}`, `--allow-env=${env.join()}`, "--ignore-env"],
    ...[`${root}tests/kit/plugins/read_compose.ts`, "services: {web: {image: nginx}}"],
  ]);
  assert.equal(JSON.parse(plan).containers[0].image, "nginx");
});
