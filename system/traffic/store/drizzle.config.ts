/** For drizzle-kit, as in `system/core/store/`: `deno task db:generate`. */
export default {
  dialect: "sqlite",
  schema: "./system/traffic/store/tables.ts",
  out: "./system/traffic/store/migrations",
};
