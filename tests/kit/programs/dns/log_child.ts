import { DEFAULT_LOG_CONFIG } from "../../../../system/dns/log/schema.ts";
import { LogStore } from "../../../../system/dns/log/writer/store.ts";
import { print } from "../../../bench/print.ts";
import { query } from "../../dns/query.ts";

/*
 * A program that is asked once in a hundredth of a second, to be killed in the middle of it: each line
 * is how many queries it has recorded.
 */
const store = await LogStore.open({
  path: Deno.args[0]!,
  config: DEFAULT_LOG_CONFIG,
  log: {
    warn(_, text) {
      throw new Error(text);
    },
  },
});
let recorded = 0;
setInterval(() => {
  store.record(query({ name: `n${recorded++}.example.` }));
  if (recorded % 50 === 0) print(`${recorded}`);
}, 10);
