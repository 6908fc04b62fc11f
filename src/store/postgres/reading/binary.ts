// Arrays as binary parameters of PostgreSQL: a group of rows is sent as one value per column, without escaping and at half
// the size of bytes as text.

// From pg_type.
const oid = { bytea: 17, int8: 20, int4: 23, text: 25 };

export function bytesArray(values: readonly Uint8Array[]): Buffer {
  return arrayOf(oid.bytea, values, (value) => value);
}

export function keysArray(values: readonly string[]): Buffer {
  return arrayOf(oid.bytea, values, (value) => Buffer.from(value, 'latin1'));
}

export function textArray(values: readonly string[]): Buffer {
  return arrayOf(oid.text, values, (value) => Buffer.from(value, 'utf8'));
}

export function bigintArray(values: readonly number[]): Buffer {
  return arrayOf(oid.int8, values, (value) => {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeBigInt64BE(BigInt(value));
    return bytes;
  });
}

export function integerArray(values: readonly number[]): Buffer {
  return arrayOf(oid.int4, values, (value) => {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeInt32BE(value);
    return bytes;
  });
}

// Dimensions, "has nulls", element type, length, lower bound; then each element with its length.
function arrayOf<Value>(type: number, values: readonly Value[], encode: (value: Value) => Uint8Array): Buffer {
  const header = Buffer.alloc(values.length === 0 ? 12 : 20);
  header.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  header.writeInt32BE(type, 8);
  if (values.length > 0) {
    header.writeInt32BE(values.length, 12);
    header.writeInt32BE(1, 16);
  }
  const pieces: Uint8Array[] = [header];
  for (const value of values) {
    const bytes = encode(value);
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(bytes.length);
    pieces.push(length, bytes);
  }
  return Buffer.concat(pieces);
}
