// Splits a batch of messages into packets, because PostgreSQL limits notifications to 8,000 bytes. One transaction sends
// all packets of a batch, so they arrive in order and without others in between.

/** Leaves room for the header of a packet. */
const maxBytes = 7800;
/** No sender sends more; longer batches are dropped. */
const maxPackets = 2000;

/** Packets are numbered because PostgreSQL drops duplicate notifications of a transaction. */
export function packetsOf(sender: string, batch: number, body: string): string[] {
  const parts = split(Buffer.from(body));
  return parts.map((part, index) => `${sender} ${batch} ${index} ${parts.length} ${part}`);
}

/** Reassembles packets into batches. */
export class PacketReader {
  readonly #own: string;
  #batch = '';
  #parts: string[] = [];

  /** Ignores packets sent by `own`. */
  constructor(own: string) {
    this.#own = own;
  }

  /** Returns the batch with its last packet. */
  read(packet: string): string | undefined {
    const match = /^(\S+) (\d+) (\d+) (\d+) (.*)$/s.exec(packet);
    if (match === null) return undefined;
    const [, sender = '', number = '', index, count, part = ''] = match;
    if (sender === this.#own) return undefined;
    const batch = `${sender} ${number}`;
    if (Number(index) === 0) {
      this.#batch = batch;
      this.#parts = [];
    }
    if (batch !== this.#batch || Number(index) !== this.#parts.length || this.#parts.length >= maxPackets) {
      this.#batch = '';
      return undefined;
    }
    this.#parts.push(part);
    if (this.#parts.length < Number(count)) return undefined;
    const body = this.#parts.join('');
    this.#batch = '';
    this.#parts = [];
    return body;
  }
}

/** Splits only between characters. */
function split(bytes: Buffer): string[] {
  const parts: string[] = [];
  let start = 0;
  do {
    let end = Math.min(start + maxBytes, bytes.length);
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    parts.push(bytes.toString('utf8', start, end));
    start = end;
  } while (start < bytes.length);
  return parts;
}
