/** Reads a compose file as the api does, with the permissions that this process has; prints its plan. */
import { readCompose } from "../../../system/plugins/compose/compose_file.ts";

const [text = ""] = Deno.args;
const plan = await readCompose(text, { Name: "sample", ComposeFilePath: "sample.yml" });
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(plan)));
