// Requests and replies are plain JSON, so that they can be stored and resent unchanged.

/** A JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** A JSON object, such as a JSON Schema. */
export interface JsonObject {
  [name: string]: JsonValue;
}

/** A copy as plain JSON, without what JSON cannot express. */
export function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}

/** A copy of what is JSON by its type, as plain JSON: members that are undefined are left out. */
export function jsonCopy<Value extends object>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
