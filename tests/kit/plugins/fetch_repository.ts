/**
 * Fetches a git repository as plugind does: `fetch_repository.ts <url> <folder>`. Prints what went
 * wrong as JSON, null for nothing.
 */
import { fetchRepository } from "../../../system/host/tools/plugin_program.ts";

const [url = "", folder = ""] = Deno.args;
const fault = await fetchRepository(url, folder);
Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(fault)}\n`));
