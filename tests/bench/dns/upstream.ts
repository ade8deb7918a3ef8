/**
 * Run in the lab's `wan` namespace: a resolver of the Internet that answers every question with one
 * address, quickly enough to measure others by. Argument: its own address.
 */
import { BatchedDatagrams } from "../../../system/host/datagrams/batched_datagrams.ts";
import { print } from "../print.ts";
import { parseQuery, QueryView } from "../../../system/dns/codec/query.ts";
import { ResponseEncoder, udpLimit } from "../../../system/dns/codec/response_encoder.ts";

const ADDRESS = Uint8Array.of(198, 51, 100, 80);
const TTL = 3600;
const view = new QueryView();
const writer = new ResponseEncoder();
const port = new BatchedDatagrams().open(Deno.args[0]!, 53);
print("ready");
await port.receive((query, out) => {
  if (parseQuery(query, view) !== 0) return 0;
  writer.begin(query, view, out);
  writer.answer(1, TTL, ADDRESS);
  return writer.finish(view, { code: 0 }, udpLimit(view));
});
