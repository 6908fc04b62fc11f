// The collections the conformance suite works with: one of each shape.
import { bytesCollection, recordCollection, workCollection, type Collection } from '../../collection.ts';

export const records = recordCollection<unknown>('suite_records');
export const otherRecords = recordCollection<unknown>('suite_other_records');
export const versions = recordCollection<unknown>('suite_versions', { keeps: 'versions' });
export const bytes = bytesCollection('suite_bytes');
export const byteVersions = bytesCollection('suite_byte_versions', { keeps: 'versions' });
export const work = workCollection<unknown>('suite_work');

export const everyCollection: readonly Collection[] = [records, otherRecords, versions, bytes, byteVersions, work];
