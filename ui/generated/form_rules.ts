// Made by ui/build.ts from the zod schemas of system/. Do not edit.
export const formRules = {
  "deviceName": {
    "type": "string",
    "maxLength": 250,
  },
  "label": {
    "type": "string",
    "minLength": 1,
    "maxLength": 64,
  },
} as const;
