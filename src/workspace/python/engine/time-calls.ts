// Time as the interpreter asks for it: the host's clock and the workspace's time zone, never the machine's.
import type { WasmImports } from '../../wasm/wasm.ts';
import type { Pointer } from './exports.ts';
import type { CallingInstance } from './instance-user.ts';

const realtime = 0;
/** The most text a zone's name has here, with its closing zero. */
export const zoneNameBytes = 16;

export function timeCalls(instance: CallingInstance): WasmImports[string] {
  const offset = (seconds: number): number => instance.answers.zoneOffset(seconds) * 60;

  const write = (pointer: Pointer, seconds: number, east: number): void => {
    const local = new Date((seconds + east) * 1000);
    const year = local.getUTCFullYear();
    const day = Math.floor((Date.UTC(year, local.getUTCMonth(), local.getUTCDate()) - Date.UTC(year, 0, 1)) / 864e5);
    const isSummer = east !== 0 && east > Math.min(offset(januaryOf(year)), offset(julyOf(year))) ? 1 : 0;
    const fields = [
      local.getUTCSeconds(),
      local.getUTCMinutes(),
      local.getUTCHours(),
      local.getUTCDate(),
      local.getUTCMonth(),
      year - 1900,
      local.getUTCDay(),
      day,
      isSummer,
      east,
    ];
    const room = instance.room(pointer, 44);
    for (const [index, value] of fields.entries()) room.writeInt32LE(value, 4 * index);
    room.writeUInt32LE(instance.zoneName(zoneName(east)), 40);
  };

  return {
    emscripten_date_now: (): number => instance.answers.now(),
    emscripten_get_now: (): number => instance.answers.elapsed(),
    _tzset_js: (timezone: Pointer, daylight: Pointer, standard: Pointer, summer: Pointer): void => {
      const year = new Date(instance.answers.now()).getUTCFullYear();
      const winterOffset = offset(januaryOf(year));
      const summerOffset = offset(julyOf(year));
      const usual = Math.min(winterOffset, summerOffset);
      const other = Math.max(winterOffset, summerOffset);
      instance.room(timezone, 4).writeInt32LE(-usual);
      instance.room(daylight, 4).writeInt32LE(usual === other ? 0 : 1);
      instance.room(standard, zoneNameBytes).write(`${zoneName(usual)}\0`, 'latin1');
      instance.room(summer, zoneNameBytes).write(`${zoneName(other)}\0`, 'latin1');
    },
    _gmtime_js: (seconds: bigint, pointer: Pointer): void => {
      write(pointer, Number(seconds), 0);
      instance.room(pointer + 32, 4).writeInt32LE(0);
    },
    _localtime_js: (seconds: bigint, pointer: Pointer): void => {
      write(pointer, Number(seconds), offset(Number(seconds)));
    },
    _mktime_js: (pointer: Pointer): bigint => {
      const wanted = read(instance.view, pointer);
      // The offset at that local time is found by asking twice: first as if it were UTC, then at what that gives.
      const guess = wanted - offset(wanted);
      const seconds = wanted - offset(guess);
      write(pointer, seconds, offset(seconds));
      return BigInt(seconds);
    },
    _timegm_js: (pointer: Pointer): bigint => {
      const seconds = read(instance.view, pointer);
      write(pointer, seconds, 0);
      return BigInt(seconds);
    },
  };
}

export function clockCalls(instance: CallingInstance): WasmImports[string] {
  return {
    clock_res_get: (_clock: number, pointer: Pointer): number => {
      instance.room(pointer, 8).writeBigUInt64LE(1000n);
      return 0;
    },
    clock_time_get: (clock: number, _precision: bigint, pointer: Pointer): number => {
      const milliseconds = clock === realtime ? instance.answers.now() : instance.answers.elapsed();
      instance.room(pointer, 8).writeBigInt64LE(BigInt(Math.round(milliseconds * 1e6)));
      return 0;
    },
  };
}

function read(view: DataView, pointer: Pointer): number {
  const field = (index: number): number => view.getInt32(pointer + 4 * index, true);
  const date = new Date(0);
  date.setUTCFullYear(field(5) + 1900, field(4), field(3));
  date.setUTCHours(field(2), field(1), field(0));
  return Math.floor(date.getTime() / 1000);
}

function zoneName(east: number): string {
  if (east === 0) return 'UTC';
  const minutes = Math.abs(Math.round(east / 60));
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0');
  return `${east < 0 ? '-' : '+'}${hours}${rest}`;
}

function januaryOf(year: number): number {
  return Date.UTC(year, 0, 1) / 1000;
}

function julyOf(year: number): number {
  return Date.UTC(year, 6, 1) / 1000;
}
