import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { BatchedDatagrams } from "../../../system/host/datagrams/batched_datagrams.ts";
import { MachineClock } from "../../../system/host/kernel/machine_clock.ts";
import { SourcePortPool } from "../../../system/host/datagrams/source_port_pool.ts";
import { faultsOf } from "../../kit/browser/faults_of.ts";

/** Questions from one port at most, ports that are open beside those that wait, as in question_ports.ts. */
const MOST_USES = 100, PORTS = 64;

const batched = new BatchedDatagrams();

/** Resolves once no socket of the batched ones is waited for. */
async function quiet(): Promise<void> {
  const one = batched.open("127.0.0.1", 0);
  const received = one.receive(() => 0);
  one.close();
  await received;
}

function sockets(): number {
  return [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${name}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
}

Deno.test("queries use many source ports, each is soon replaced, and every response finds its query", async () => {
  const COUNT = 10_000, AT_ONCE = 50;
  const server = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const sender = batched.sourcePorts.senderTo("127.0.0.1", (server.addr as Deno.NetAddr).port)!;
  const uses = new Map<number, number>();
  const serving = (async () => {
    for await (const [bytes, from] of server) {
      const { port } = from as Deno.NetAddr;
      uses.set(port, (uses.get(port) ?? 0) + 1);
      await server.send(Uint8Array.from([...bytes, 1]), from);
    }
  })();
  const before = sockets();
  for (let first = 0; first < COUNT; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) =>
      new Promise<void>((resolve) => {
        // Two with one id get their own answers: they leave from different ports.
        const number = first + i, id = number % 40;
        const message = Uint8Array.of(0, id, number >> 8, number & 255);
        const hearing = sender.send(message, (answer) => {
          assert.deepEqual([...answer], [...message, 1]);
          hearing.cancel();
          resolve();
        });
      })));
    assert.equal(batched.sourcePorts.pending, 0);
  }
  server.close();
  await serving;
  await quiet();
  assert.equal([...uses.values()].reduce((sum, one) => sum + one), COUNT);
  // A port number may be drawn again by the kernel, so one may be seen a second time.
  assert.ok(Math.max(...uses.values()) <= 2 * MOST_USES, `${Math.max(...uses.values())} from one`);
  assert.ok(uses.size >= COUNT / MOST_USES, `${uses.size} ports`);
  assert.ok(sockets() - before <= PORTS, `${sockets() - before} sockets stayed open`);
});

Deno.test("a cancelled query gets no response, and a late one is counted as unmatched", async () => {
  const server = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const sender = batched.sourcePorts.senderTo("127.0.0.1", (server.addr as Deno.NetAddr).port)!;
  const responses: string[] = [];
  const first = sender.send(Uint8Array.of(1, 1), () => responses.push("first"));
  const [, from] = await server.receive();
  first.cancel();
  const { ignored } = batched.sourcePorts;
  await server.send(Uint8Array.of(1, 1), from);
  await server.send(Uint8Array.of(1), from);
  await new Promise<void>((resolve) => {
    const look = sender.send(Uint8Array.of(2, 2), () => {
      look.cancel();
      resolve();
    });
    server.receive().then(([bytes, to]) => server.send(bytes, to));
  });
  // The late ones may lie in a socket that is looked at after that of the last question.
  for (let i = 0; i < 100 && batched.sourcePorts.ignored < ignored + 2; i++) await quiet();
  server.close();
  await quiet();
  assert.deepEqual(responses, []);
  assert.equal(batched.sourcePorts.ignored, ignored + 2);
});

Deno.test("a listener that is closed ends at once, also with pending queries", async () => {
  const server = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const sender = batched.sourcePorts.senderTo("127.0.0.1", (server.addr as Deno.NetAddr).port)!;
  const hearing = sender.send(Uint8Array.of(3, 3), () => assert.fail("a response"));
  await server.receive();
  const late = setTimeout(() => hearing.cancel(), 2000);
  for (let i = 0; i < 20; i++) await quiet();
  assert.equal(batched.sourcePorts.pending, 1, "it was left because the question waited no more");
  clearTimeout(late);
  hearing.cancel();
  server.close();
  await quiet();
});

Deno.test("a response that the kernel does not accept is dropped without an error", async () => {
  const sender = batched.sourcePorts.senderTo("255.255.255.255", 9)!;
  const hearing = sender.send(new Uint8Array(20), () => assert.fail("a response"));
  const large = sender.send(new Uint8Array(9000), () => assert.fail("a response"));
  hearing.cancel();
  large.cancel();
  await quiet();
  assert.equal(batched.sourcePorts.pending, 0);
});

Deno.test("the machine clock runs timers in order and on time, and none that was cancelled", async () => {
  const clock = new MachineClock();
  const ran: string[] = [];
  const began = clock.now();
  await new Promise<void>((resolve) => {
    const early: number[] = [];
    const wait = (name: string, milliseconds: number): () => void =>
      clock.after(milliseconds, () => {
        ran.push(name);
        if (clock.now() - began < milliseconds) early.push(milliseconds);
      });
    wait("third", 90);
    wait("second", 50);
    wait("first", 5);
    const cancel = wait("never", 20);
    clock.after(20, () => {
      wait("at once", 0);
      cancelLate();
    });
    const cancelLate = wait("never either", 70);
    cancel();
    cancel();
    clock.after(120, () => {
      assert.deepEqual(early, []);
      resolve();
    });
  });
  assert.deepEqual(ran.filter((name) => name !== "at once"), ["first", "second", "third"]);
  assert.ok(ran.includes("at once"));
  // Nothing is left: the sanitizer of the test would report a timer.
  clock.after(60_000, () => ran.push("never"))();
});

Deno.test("an error with one packet or timer is reported, and affects no other", async () => {
  const faults = await faultsOf(async () => {
    const free = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
    const { port } = free.addr as Deno.NetAddr;
    free.close();
    const socket = batched.open("127.0.0.1", port);
    let wrong = false;
    const received = socket.receive((query, answer) => {
      wrong = query[0] === 1;
      if (wrong) throw new Error("packet");
      answer.set(query);
      return query.length;
    });
    const client = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
    const to = { transport: "udp", hostname: "127.0.0.1", port } as const;
    await client.send(Uint8Array.of(1), to);
    while (!wrong) await quiet();
    await client.send(Uint8Array.of(2), to);
    assert.deepEqual([...(await client.receive())[0]], [2]);
    client.close();
    socket.close();
    await received;
    const clock = new MachineClock();
    await new Promise<void>((resolve) => {
      clock.after(1, () => {
        throw new Error("time");
      });
      clock.after(1, resolve);
    });
  });
  assert.deepEqual(faults, ["packet", "time"]);
});

Deno.test("an error with one response does not hold up others of its batch", async () => {
  const COUNT = 40;
  const server = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
  const sender = batched.sourcePorts.senderTo("127.0.0.1", (server.addr as Deno.NetAddr).port)!;
  const handled: number[] = [];
  const faults = await faultsOf(async () => {
    const pending = Array.from(
      { length: COUNT },
      (_, i) =>
        sender.send(Uint8Array.of(0, i), () => {
          handled.push(i);
          if (i % 2 === 0) throw new Error(`answer ${i}`);
        }),
    );
    const questions: [Uint8Array<ArrayBuffer>, Deno.Addr][] = [];
    for (let i = 0; i < COUNT; i++) {
      const [bytes, from] = await server.receive();
      questions.push([bytes.slice(), from]);
    }
    // All are there before the first is looked at, as far as the machine lets them be.
    await Promise.all(questions.map(([bytes, from]) => server.send(bytes, from)));
    for (let i = 0; i < 100 && handled.length < COUNT; i++) await quiet();
    for (const hearing of pending) hearing.cancel();
  });
  server.close();
  await quiet();
  assert.deepEqual(handled.toSorted((a, b) => a - b), Array.from({ length: COUNT }, (_, i) => i));
  assert.equal(faults.length, COUNT / 2);
});

Deno.test("a source port that epoll does not accept is closed and not used", () => {
  const open = new Set<number>();
  let last = 6;
  const ports = new SourcePortPool(
    {
      calls: {
        symbols: { sendmmsg: () => assert.fail("sent") },
        addressOf: () => 0n,
        bind: () => {
          open.add(++last);
          return last;
        },
        close: (descriptor: number) => open.delete(descriptor),
      },
      loop: {
        onFlush: () => {},
        hold: () => {},
        serve: () => {
          throw new Error("No more may be waited for");
        },
      },
      // What is read is of no interest here.
      in: {},
    } as unknown as ConstructorParameters<typeof SourcePortPool>[0],
  );
  const sender = ports.senderTo("127.0.0.1", 53)!;
  for (let i = 0; i < 100; i++) {
    assert.throws(() => sender.send(new Uint8Array(20), () => {}), /No more/);
  }
  assert.deepEqual([open.size, ports.pending], [0, 0]);
});

Deno.test("timers and connections are served while packets arrive without a pause", async () => {
  // Milliseconds for a round there and back on a busy machine; where the runtime polls its connections only
  // after many turns they are 30 and more, every time.
  const PATIENCE = 8, TRIES = 4;
  let middle = Infinity;
  for (let left = TRIES; left > 0 && middle >= PATIENCE; left--) middle = await roundInStream();
  assert.ok(middle > 0 && middle < PATIENCE, `there and back took ${middle} ms`);
});

/** Milliseconds that half of the rounds over TCP took at most while datagrams came to the same program. */
async function roundInStream(): Promise<number> {
  const ROUNDS = 1000;
  const echo = kit("packet_echo.ts").spawn();
  const output = echo.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const port = Number((await output.read()).value);
  const stream = kit("udp_stream.ts", port).spawn();
  assert.equal((await output.read()).value, "begun\n");
  const { stdout } = await kit("tcp_rounds.ts", port, ROUNDS).output();
  const count = Number((await output.read()).value);
  await output.cancel();
  stream.kill();
  await Promise.all([stream.stdout.cancel(), stream.status, echo.status]);
  const middle = Number(new TextDecoder().decode(stdout));
  assert.ok(count > 150, `${count} packets meanwhile`);
  return middle;
}

/** A script of the kit, with numbers for arguments. */
function kit(script: string, ...args: readonly number[]): Deno.Command {
  const path = fileURLToPath(new URL(`../../kit/programs/${script}`, import.meta.url));
  const flags = ["run", "-q", "--no-check", "--unstable-net", "--allow-net", "--allow-ffi"];
  return new Deno.Command(Deno.execPath(), {
    args: [...flags, path, ...args.map(String)],
    stdout: "piped",
    stderr: "inherit",
  });
}
