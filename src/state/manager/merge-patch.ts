// JSON merge patch (RFC 7386): members of a patch replace those of the same name, null removes them, objects are merged.

/** The target with the patch applied. Neither is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // Without a prototype, a member called __proto__ is one like others.
  const merged = Object.assign(Object.create(null) as Record<string, unknown>, isObject(target) ? target : {});
  for (const [name, member] of Object.entries(patch)) {
    if (member === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], member);
  }
  return merged;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
