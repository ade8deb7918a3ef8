export * from "./journal.ts";
export * from "./notices.ts";
