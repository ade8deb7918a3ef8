export * from "./access.ts";
export * from "./journal.ts";
export * from "./notices.ts";
