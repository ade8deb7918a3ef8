import { HttpClient } from "../../../system/core/ipc/http/client.ts";
import type { HttpAnswer } from "../../../system/core/ipc/http/connection.ts";
import type { HttpRequest } from "../../../system/core/ipc/http/sending.ts";
import { inTime } from "../eventually.ts";
import { inFolder } from "../process.ts";

/** One connection as a script of a plugin sees it. */
export interface Caller {
  /** Which connection this is, from 1 on. */
  readonly number: number;
  /** Reads up to and with these characters, the end of a head where none are named. Throws at the end. */
  until(text?: string): Promise<string>;
  /** Reads to the end of the connection. */
  rest(): Promise<string>;
  say(text: string | Uint8Array): Promise<void>;
}

/** What a test has of the plugin. */
export interface Stage {
  readonly client: HttpClient;
  /** Of its socket. */
  readonly path: string;
  /** What every connection sent, in their order. */
  readonly heard: string[];
  get(method?: string): Promise<string>;
  put(body: HttpRequest["body"]): Promise<HttpAnswer>;
}

/** A plugin that follows a script on each connection, and a client of it. */
export async function withPlugin(
  script: (caller: Caller) => Promise<void>,
  work: (stage: Stage) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const path = `${folder}/socket`, heard: string[] = [];
    const listener = Deno.listen({ transport: "unix", path });
    const scripts: Promise<void>[] = [];
    const serving = (async () => {
      for await (const conn of listener) {
        const number = heard.push(""), decoder = new TextDecoder("latin1");
        const buffer = new Uint8Array(1 << 16);
        let left = "";
        const more = async (): Promise<boolean> => {
          const size = await conn.read(buffer).catch(() => null);
          const text = decoder.decode(buffer.subarray(0, size ?? 0));
          heard[number - 1] += text;
          left += text;
          return size !== null;
        };
        const take = (length: number): string => {
          const text = left.slice(0, length);
          left = left.slice(length);
          return text;
        };
        const done = script({
          number,
          async until(text = "\r\n\r\n") {
            while (!left.includes(text)) if (!await more()) throw new Error("It ended");
            return take(left.indexOf(text) + text.length);
          },
          async rest() {
            while (await more());
            return take(Infinity);
          },
          async say(text) {
            const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
            for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
          },
        });
        scripts.push(
          done.catch(() => {}).finally(() => {
            try {
              conn.close();
            } catch {
              // The client ended it.
            }
          }),
        );
      }
    })();
    const client = new HttpClient(() => path);
    const ask = (method: string, body: HttpRequest["body"]) =>
      client.ask({ method, target: "/x", headers: [["host", "h"]], body });
    try {
      await work({
        ...{ client, path, heard },
        get: async (method = "GET") => {
          const { status, body } = await ask(method, null);
          return `${status} ${await new Response(body).text()}`;
        },
        put: (body) => ask("PUT", body),
      });
    } finally {
      client.close();
      listener.close();
      await serving;
      await inTime("the scripts end", Promise.all(scripts));
    }
  });
}

/** A whole response with this body. */
export const answer = (text: string) =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** A stream that counts how often it was asked for more. */
export function counted(pieces: number, size = 1000) {
  const seen = { pulls: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (seen.pulls++ < pieces) controller.enqueue(new Uint8Array(size).fill(97));
      else controller.close();
    },
    cancel: () => void (seen.isCancelled = true),
  }, { highWaterMark: 0 });
  return { seen, stream };
}

/** A body that is sent as it comes; `length`: as it is announced. */
export const streamed = (
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  length: number | null = null,
) => ({
  ...{ stream, length, progress: () => {} },
});
