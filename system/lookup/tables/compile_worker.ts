/// <reference lib="deno.worker" />
import { compile, type CompileAnswer, type CompileJob } from "./compile.ts";
import { DataError } from "./data_error.ts";

self.onmessage = async ({ data }: MessageEvent<CompileJob>): Promise<void> => {
  let answer: CompileAnswer = "done";
  try {
    await compile(data);
  } catch (error) {
    answer = {
      message: error instanceof Error ? error.message : String(error),
      isRefusal: error instanceof DataError,
    };
  }
  self.postMessage(answer);
};
