// The system calls of the interpreter: files that can only be read, a channel, and for the rest the error number that says what
// is missing, from which Python makes an exception its author knows.
import type { WasmImports } from '../../wasm/wasm.ts';
import { PythonStoppedError } from './errors.ts';
import type { Pointer } from './exports.ts';
import { VirtualFiles, type FileSources, type VirtualFile } from './files.ts';
import type { CallingInstance } from './instance-user.ts';

/** The descriptor boot code speaks to the host through. */
export const channel = 1000;

const error = {
  accessDenied: 2,
  badDescriptor: 8,
  invalid: 28,
  notFound: 44,
  notImplemented: 52,
  noTerminal: 59,
  notPermitted: 63,
  seekOnPipe: 70,
  readOnly: 69,
} as const;

const kind = { file: 0o100_000, folder: 0o040_000, device: 0o020_000 } as const;
const environment = ['PYTHONHOME=/', 'PYTHONHASHSEED=0', 'PYTHONDONTWRITEBYTECODE=1', 'HOME=/', 'LANG=C.UTF-8'];
const noName = -2;
// What these calls take of the host's time, in units of the engine's work.
const unitsPerCall = 200;

interface Open {
  readonly file: VirtualFile;
  position: number;
}

export function systemCalls(
  instance: CallingInstance,
  sources: FileSources,
): { readonly env: WasmImports[string]; readonly wasi: WasmImports[string] } {
  const files = new VirtualFiles(sources);
  // Descriptors do not outlive a slice: what an image holds of them is closed when it is read from in another process.
  const open = new Map<number, Open>();

  const find = (path: Pointer): VirtualFile | undefined => {
    const text = instance.text(path);
    instance.answers.spend(unitsPerCall);
    return files.find(text);
  };
  const stat = (pointer: Pointer, mode: number, size: number, number: number): number => {
    const room = instance.room(pointer, 96).fill(0);
    room.writeUInt32LE(1);
    room.writeUInt32LE(mode, 4);
    room.writeUInt32LE(1, 8);
    room.writeBigInt64LE(BigInt(size), 24);
    room.writeUInt32LE(4096, 32);
    room.writeUInt32LE(Math.ceil(size / 512), 36);
    room.writeBigInt64LE(BigInt(number), 88);
    return 0;
  };
  const statFile = (file: VirtualFile | undefined, pointer: Pointer): number => {
    if (file === undefined) return -error.notFound;
    const mode = file.isFolder ? kind.folder | 0o555 : kind.file | 0o444;
    return stat(pointer, mode, file.bytes?.length ?? 0, file.number);
  };
  const statPath = (path: Pointer, pointer: Pointer): number => statFile(find(path), pointer);
  const readInto = (bytes: Uint8Array, list: Pointer, count: number): number => {
    let read = 0;
    for (const [pointer, length] of instance.pieces(list, count)) {
      const part = bytes.subarray(read, read + length);
      instance.room(pointer, part.length).set(part);
      read += part.length;
    }
    return read;
  };
  const set = (pointer: Pointer, value: number): number => {
    instance.room(pointer, 4).writeUInt32LE(value);
    return 0;
  };

  const denied = Object.fromEntries(
    refusedCalls.map((name) => [`__syscall_${name}`, (): number => -error.notPermitted]),
  );
  const readOnly = Object.fromEntries(writingCalls.map((name) => [`__syscall_${name}`, (): number => -error.readOnly]));

  return {
    env: {
      ...denied,
      ...readOnly,
      __syscall_openat: (_folder: number, path: Pointer, flags: number): number => {
        if ((flags & 3) !== 0 || (flags & 0o100) !== 0) return -error.readOnly;
        const file = find(path);
        if (file === undefined) return -error.notFound;
        let descriptor = 3;
        while (open.has(descriptor)) descriptor++;
        if (descriptor >= channel) return -error.notPermitted;
        open.set(descriptor, { file, position: 0 });
        return descriptor;
      },
      __syscall_stat64: statPath,
      __syscall_lstat64: statPath,
      __syscall_newfstatat: (_folder: number, path: Pointer, pointer: Pointer): number => statPath(path, pointer),
      __syscall_fstat64: (descriptor: number, pointer: Pointer): number =>
        descriptor < 3
          ? stat(pointer, kind.device | 0o666, 0, descriptor + 10)
          : open.has(descriptor)
            ? statFile(open.get(descriptor)?.file, pointer)
            : -error.badDescriptor,
      __syscall_getcwd: (pointer: Pointer, most: number): number => {
        if (most < 2) return -error.invalid;
        return instance.room(pointer, 2).write('/\0', 'latin1');
      },
      __syscall_fcntl64: (descriptor: number): number =>
        descriptor < 3 || open.has(descriptor) ? 0 : -error.badDescriptor,
      __syscall_ioctl: (): number => -error.noTerminal,
      __syscall_faccessat: (_folder: number, path: Pointer, mode: number): number => {
        if (find(path) === undefined) return -error.notFound;
        return (mode & 2) === 0 ? 0 : -error.readOnly;
      },
      __syscall_readlinkat: (_folder: number, path: Pointer): number =>
        find(path) === undefined ? -error.notFound : -error.invalid,
      __syscall_getdents64: (): number => 0,
      __syscall_dup: (): number => -error.notPermitted,
      __syscall_getuid32_js: (): number => 0,
      __syscall_umask_js: (): number => 0o22,
      _try_fcntl64: (): number => 0,
      _try_shutdown: (): number => -error.notPermitted,
      _maybe_poll_async: (): null => null,
      _maybe_connect_async: (): null => null,
      _maybe_recvfrom_async: (): null => null,
      _maybe_sendto_async: (): null => null,
      _mmap_js: (): number => -error.notPermitted,
      _munmap_js: (): number => 0,
      _msync_js: (): number => 0,
      _emscripten_system: (): number => -error.notPermitted,
      _setitimer_js: (): number => -error.notPermitted,
      getaddrinfo: (): number => noName,
      getnameinfo: (): number => noName,
      getprotobyname: (): number => 0,
      _emscripten_lookup_name: (): number => 0,
      _dlopen_js: (): number => 0,
      _dlsym_js: (): number => 0,
      emscripten_set_up_async_input_device_js: (): void => {},
      emscripten_debugger: (): void => {},
      emscripten_log_impl_js: (): void => {},
      _emscripten_log_formatted: (): void => {},
    },
    wasi: {
      proc_exit: (): never => {
        throw new PythonStoppedError('exit');
      },
      environ_sizes_get: (count: Pointer, bytes: Pointer): number => {
        set(count, environment.length);
        return set(
          bytes,
          environment.reduce((sum, entry) => sum + entry.length + 1, 0),
        );
      },
      environ_get: (pointers: Pointer, buffer: Pointer): number => {
        let at = buffer;
        for (const [index, entry] of environment.entries()) {
          set(pointers + 4 * index, at);
          at += instance.room(at, entry.length + 1).write(`${entry}\0`, 'latin1');
        }
        return 0;
      },
      random_get: (pointer: Pointer, length: number): number => {
        instance.answers.spend(unitsPerCall + length);
        instance.answers.fillRandom(instance.room(pointer, length));
        return 0;
      },
      fd_close: (descriptor: number): number => (open.delete(descriptor) || descriptor < 3 ? 0 : error.badDescriptor),
      fd_sync: (): number => 0,
      fd_fdstat_get: (descriptor: number, pointer: Pointer): number => {
        if (descriptor >= 3 && !open.has(descriptor)) return error.badDescriptor;
        instance
          .room(pointer, 24)
          .fill(0)
          .writeUInt8(descriptor < 3 ? 2 : 4);
        return 0;
      },
      fd_write: (descriptor: number, list: Pointer, count: number, written: Pointer): number => {
        if (descriptor !== 1 && descriptor !== 2 && descriptor !== channel) return error.badDescriptor;
        const parts = instance
          .pieces(list, count)
          .map(([pointer, length]) => instance.bytes.subarray(pointer, pointer + length));
        const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
        if (descriptor === channel) instance.answers.channelWrite(bytes);
        else instance.answers.output(descriptor, bytes);
        return set(written, bytes.length);
      },
      fd_read: (descriptor: number, list: Pointer, count: number, read: Pointer): number => {
        if (descriptor === channel) {
          const most = instance.pieces(list, count).reduce((sum, [, length]) => sum + length, 0);
          const bytes = instance.answers.channelRead(most);
          return bytes === undefined ? 0 : set(read, readInto(bytes, list, count));
        }
        if (descriptor === 0) return set(read, 0);
        const found = open.get(descriptor);
        if (found?.file.bytes === undefined) return error.badDescriptor;
        const got = readInto(found.file.bytes.subarray(found.position), list, count);
        found.position += got;
        return set(read, got);
      },
      fd_pread: (descriptor: number, list: Pointer, count: number, offset: bigint, read: Pointer): number => {
        const found = open.get(descriptor);
        if (found?.file.bytes === undefined) return error.badDescriptor;
        return set(read, readInto(found.file.bytes.subarray(Number(offset)), list, count));
      },
      fd_pwrite: (): number => error.readOnly,
      fd_seek: (descriptor: number, offset: bigint, from: number, result: Pointer): number => {
        const found = open.get(descriptor);
        if (found?.file.bytes === undefined) return error.seekOnPipe;
        const start = from === 0 ? 0 : from === 1 ? found.position : found.file.bytes.length;
        const position = start + Number(offset);
        if (!(position >= 0)) return error.invalid;
        found.position = position;
        instance.room(result, 8).writeBigInt64LE(BigInt(position));
        return 0;
      },
    },
  };
}

/** Sockets, processes and pipes. */
const refusedCalls = [
  'accept4',
  'bind',
  'connect',
  'getpeername',
  'getsockname',
  'getsockopt',
  'listen',
  'recvfrom',
  'recvmsg',
  'sendmsg',
  'sendto',
  'socket',
  'pipe',
  'poll',
  'dup3',
  'chdir',
  'fchdir',
  'mknodat',
] as const;

/** What would change files. */
const writingCalls = [
  'chmod',
  'fchownat',
  'fchmod',
  'fchmodat2',
  'fchown32',
  'fdatasync',
  'ftruncate64',
  'mkdirat',
  'fadvise64',
  'fallocate',
  'unlinkat',
  'rmdir',
  'renameat',
  'statfs64',
  'fstatfs64',
  'symlinkat',
  'truncate64',
  'utimensat',
] as const;
