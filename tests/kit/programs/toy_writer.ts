import { ADMIN, putDevice, ToyHome } from "../fakes/toy_engine.ts";

/*
 * A process that changes the toy configuration of a home (its argument) for as long as it lives, and
 * writes the number of each change to its standard output once it was answered. A test kills it.
 */
const home = ToyHome.at(Deno.args[0]!);
const engine = await home.open({ bootClock: () => performance.now() / 1000 });
const encoder = new TextEncoder();
for (let number = 0;; number += 3) {
  await Promise.all([0, 1, 2].map(async (offset) => {
    await engine.change(putDevice(`d${number + offset}`, { Name: String(Deno.pid), Open: true }), {
      caller: ADMIN,
    });
    await Deno.stdout.write(encoder.encode(`${number + offset}\n`));
  }));
}
