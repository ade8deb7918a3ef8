/** For drizzle-kit, which turns changes of the schema into migrations: `deno task db:generate`. */
export default {
  dialect: "sqlite",
  schema: "./system/core/store/schema/mod.ts",
  out: "./system/core/store/migrations",
};
