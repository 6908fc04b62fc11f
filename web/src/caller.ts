// Who uses the page, and what they may do: buttons for what they may not do are not there.
import { signal } from '@preact/signals';
import { get } from './api/request.ts';
import type { Caller, Right } from './api/types.ts';

export const caller = signal<Caller | undefined>(undefined);

export async function loadCaller(): Promise<void> {
  caller.value = await get<Caller>('/caller');
}

export function may(right: Right): boolean {
  return caller.value?.rights.includes(right) ?? false;
}
