// Requests and replies are plain JSON, so that they can be stored and resent unchanged.

export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

export interface JsonObject {
  [name: string]: JsonValue;
}

/** A copy as plain JSON, without what JSON cannot express. */
export function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
