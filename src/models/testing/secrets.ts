// Redacts secrets in recordings: the values of variables with keys, tokens and passwords.

export function secretsIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    /(_|^)(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i.test(name) && value !== undefined && value.length >= 6
      ? [value]
      : [],
  );
}

/** Replaces every occurrence of a secret, also in names, by `[secret]`. */
export function redactSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  // Longest first, because one secret may contain another.
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
