/** For drizzle-kit, as in `system/core/store/`: `deno task db:generate`. */
export default {
  dialect: "sqlite",
  schema: "./system/events/store/tables.ts",
  out: "./system/events/store/migrations",
};
