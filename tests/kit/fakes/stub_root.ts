import { join } from "node:path";
import { ROOT } from "../process.ts";

/** An api that only listens and tells what it was told, so that the launcher is tested alone. */
const API = `
import { Problem } from "../../system/core/errors/problem.ts";
export function start(settings) {
  let server;
  try {
    server = Deno.serve({ ...settings.http, onListen() {} }, () => Response.json({
      pid: Deno.pid,
      parent: Deno.ppid,
      password: settings.secrets.adminPassword,
      environment: Deno.env.get("SLUICE_ADMIN_PASSWORD") ?? null,
    }));
  } catch (error) {
    throw new Problem(503, "May not listen: set SLUICE_HTTP (" + error.message + ")");
  }
  return Promise.resolve({ stop: () => server.shutdown() });
}
`;

/** Makes a folder of the program below `folder` whose api is a stub. */
export async function stubRoot(folder: string): Promise<string> {
  const root = join(folder, "program");
  await Deno.mkdir(join(root, "routes/services"), { recursive: true });
  await Deno.writeTextFile(join(root, "routes/services/api.ts"), API);
  for (const name of ["main.ts", "program.ts", "deno.json", "deno.lock"]) {
    await Deno.copyFile(join(ROOT, name), join(root, name));
  }
  for (const name of ["system", "configs", "node_modules"]) {
    await Deno.symlink(join(ROOT, name), join(root, name));
  }
  return root;
}
