import { runProgram } from "./program.ts";

// From its sources; `build.ts` makes a bundle of each process that starts in half the time.
await runProgram(
  (name) => import(new URL(`./routes/services/${name}.ts`, import.meta.url).href),
  false,
);
