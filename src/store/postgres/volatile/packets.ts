// PostgreSQL takes notifications of less than 8,000 bytes, so a batch of messages is sent as several. They are sent by one
// transaction, and therefore arrive one after another with no others in between.

/** Room for the head of a packet is left. */
const maxBytes = 7800;
/** Nobody sends more at once; what claims to be more is dropped. */
const maxPackets = 2000;

/** Numbers make each packet different: equal notifications of one transaction arrive once. */
export function packetsOf(sender: string, batch: number, body: string): string[] {
  const parts = split(Buffer.from(body));
  return parts.map((part, index) => `${sender} ${batch} ${index} ${parts.length} ${part}`);
}

/** Puts packets together again. */
export class PacketReader {
  readonly #own: string;
  #batch = '';
  #parts: string[] = [];

  /** What `own` has sent is passed over. */
  constructor(own: string) {
    this.#own = own;
  }

  /** A batch, once its last packet has come. */
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

/** Never in the middle of a character. */
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
