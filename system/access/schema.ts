import { z } from "zod";

/** Admin user names and their password records (`configs/auth/auth_users.json`). */
export const Users = z.record(z.string(), z.string());
export type Users = z.output<typeof Users>;
