import assert from "node:assert/strict";
import { pause } from "../../../system/core/time/pause.ts";

/** A signal that counts who listens to it. */
function countedSignal(): { readonly signal: AbortSignal; listeners(): number; abort(): void } {
  const ending = new AbortController();
  const { signal } = ending;
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1]);
    remove(...args);
  };
  return { signal, listeners: () => listeners.size, abort: () => ending.abort() };
}

Deno.test("a pause that is over leaves nothing with its signal", async () => {
  const { signal, listeners } = countedSignal();
  for (let i = 0; i < 5; i++) await pause(0, signal);
  assert.equal(listeners(), 0);
});

Deno.test("a pause ends with its signal, and none begins after it", async () => {
  const { signal, listeners, abort } = countedSignal();
  const pauses = [pause(60_000, signal), pause(60_000, signal)];
  assert.equal(listeners(), 2);
  abort();
  await Promise.all(pauses);
  assert.equal(listeners(), 0);
  await pause(60_000, signal);
  assert.equal(listeners(), 0);
});
