/**
 * Changes elements of sets in this network namespace by the messages of netd. Reads the changes as JSON
 * from its input; prints "taken", "left to nft", or why the kernel refused them.
 */
import type { RulesetOp } from "../../../system/core/kernel/plan.ts";
import { elementBatch } from "../../../system/host/nft/element_batch.ts";
import { ElementChanges } from "../../../system/host/nft/element_changes.ts";

async function change(ops: readonly RulesetOp[]): Promise<string> {
  const batch = elementBatch(ops);
  if (batch === null) return "left to nft";
  const changes = new ElementChanges();
  try {
    await changes.run(batch);
    return "taken";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await changes.close();
  }
}

const answer = await change(await new Response(Deno.stdin.readable).json());
await Deno.stdout.write(new TextEncoder().encode(`${answer}\n`));
