// What must never be written to a recording: the values of variables that hold keys, tokens and passwords.

export function secretsIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    /(_|^)(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i.test(name) && value !== undefined && value.length >= 6
      ? [value]
      : [],
  );
}

/** The value with every occurrence of a secret, in names too, replaced by `[secret]`. */
export function redactSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  // The longest first: one secret may be a part of another.
  const ordered = [...new Set(secrets)].filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  const redact = (text: string): string => ordered.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  const walk = (inner: unknown): unknown => {
    if (typeof inner === 'string') return redact(inner);
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [redact(name), walk(member)]));
  };
  return walk(value) as Value;
}
