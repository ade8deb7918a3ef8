import assert from "node:assert/strict";
import { api, write } from "../kit/systemd/installed_router.ts";
import { eventually } from "../kit/lab/bed.ts";
import { command } from "../kit/lab/command.ts";
import { startEngine } from "../kit/plugins/engine.ts";

const HOME = "/var/lib/sluice";
const FILE = "plugins/user/sample/docker-compose.yml";
const FOLDER = "/state/net/containers/sample";
const IMAGE = "ghcr.io/me/sample:1";

/**
 * A plugin in a container, as far as this machine sees it: its engine is a stand-in, and this process
 * listens where the container would, as root.
 */
export async function containerPluginServes(): Promise<void> {
  // Nobody but root may put another folder in the place of one that the engine mounts.
  for (const user of ["sluice", "sluice-netd"]) {
    for (const path of [`${HOME}/state`, `${HOME}/state/net`]) {
      const moved = await command("runuser", ["-u", user, "--", "mv", path, `${path}-moved`]);
      assert.equal(moved.ok, false, `${user} ${path}`);
    }
  }
  await using engine = startEngine("/run", "docker.sock");
  engine.registry.set(IMAGE, "sha256:one");
  await Deno.chmod(engine.socket, 0o666);
  const compose =
    `services:\n  web:\n    image: ${IMAGE}\n    volumes: ["${FOLDER}:/run/sample"]\n`;
  await edited(`compose/${FILE}`, compose);
  await edited("base/custom_compose_paths.json", JSON.stringify([FILE]));
  const sample = {
    ...{ Name: "sample", URI: "sample", Enabled: true, ComposeFilePath: FILE },
    UnixPath: `${FOLDER}/socket`,
  };
  await edited("base/api.json", JSON.stringify({ Plugins: [sample] }));
  await eventually(
    "its container is made",
    () => Promise.resolve(engine.containers.some(({ running }) => running)),
  );
  const { Mounts } = engine.containers[0]!.body.HostConfig as { Mounts: { Source: string }[] };
  assert.deepEqual(Mounts.map(({ Source }) => Source), [`${HOME}${FOLDER}`]);
  await using _server = Deno.serve(
    { path: `${HOME}${FOLDER}/socket`, onListen() {} },
    ({ url }) => new Response(`container ${new URL(url).pathname}`),
  );
  await Deno.chmod(`${HOME}${FOLDER}/socket`, 0o666);
  const answer = await api("GET", "/plugins/sample/x");
  assert.equal(`${answer.status} ${answer.text}`, "200 container /x");
  await write("DELETE", "/plugins_api/sample");
  await eventually(
    "its container is removed",
    () => Promise.resolve(engine.containers.length === 0),
  );
}

/** Edits a configuration file by hand. */
async function edited(name: string, text: string): Promise<void> {
  const path = `${HOME}/configs/${name}`;
  await Deno.mkdir(path.replace(/\/[^/]*$/, ""), { recursive: true });
  await Deno.writeTextFile(path, text);
}
