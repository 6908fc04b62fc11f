// The files of the inspector, read once into a fixed map: what a request asks for is looked up in it and never becomes a path on
// the disk. The package has them in dist/inspector; in the repository they are built into web/dist.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const places = ['../../inspector/', '../../../web/dist/'];

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Scripts and styles come from these files alone; nothing inline, nothing evaluated, nothing from elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

interface InspectorFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly compressed: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /** Its name has the hash of what is in it. */
  readonly isImmutable: boolean;
}

let files: ReadonlyMap<string, InspectorFile> | undefined;

/** Whether a path below the prefix belongs to the inspector. */
export function isInspectorPath(path: string): boolean {
  return path === '/' || inspectorFiles().has(path);
}

/** The answer to a request for a file of the inspector; undefined if there is none of this name. */
export function inspectorResponse(path: string, request: Request): Response | undefined {
  const file = inspectorFiles().get(path === '/' ? '/index.html' : path);
  if (file === undefined) return undefined;
  const headers = {
    'content-type': file.type,
    'content-security-policy': policy,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  };
  if (request.headers.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers });
  const isCompressed = (request.headers.get('accept-encoding') ?? '').includes('gzip');
  const body = request.method === 'HEAD' ? null : isCompressed ? file.compressed : file.bytes;
  return new Response(body, { headers: isCompressed ? { ...headers, 'content-encoding': 'gzip' } : headers });
}

/** Empty in a repository where the inspector was not built. */
function inspectorFiles(): ReadonlyMap<string, InspectorFile> {
  if (files !== undefined && files.size > 0) return files;
  const folder = places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((place) => existsSync(join(place, 'index.html')));
  files = new Map(folder === undefined ? [] : filesIn(folder));
  return files;
}

function* filesIn(folder: string): Generator<[string, InspectorFile]> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    yield [
      `/${name.replaceAll('\\', '/')}`,
      {
        bytes,
        compressed: new Uint8Array(gzipSync(bytes)),
        type,
        etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
        isImmutable: name.startsWith('assets'),
      },
    ];
  }
}
