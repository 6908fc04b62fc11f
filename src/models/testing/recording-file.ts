// Recordings are JSON files that people can review. Files of another kind or version are rejected.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../../base/make-folders.ts';
import type { ModelAnswer } from '../backend.ts';
import { ModelRecordingError } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';

export interface Exchange {
  readonly request: JsonValue;
  readonly answer: ModelAnswer;
}

export interface Recording {
  readonly provider: string;
  readonly model: string;
  readonly exchanges: readonly Exchange[];
}

const version = 1;

export function writeRecording(file: string, recording: Recording): void {
  makeFolders(dirname(file));
  // Written atomically, in case the test is killed.
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify({ 'statek model recording': version, ...recording }, undefined, 2)}\n`);
  renameSync(draft, file);
}

export function readRecording(file: string): Recording {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ModelRecordingError(
      `Cannot read the recording '${file}': ${(error as Error).message}. Create it with recordedModel(file, { record }).`,
      { file },
      error,
    );
  }
  if (!isRecording(content)) {
    throw new ModelRecordingError(`'${file}' is not a model recording of version ${version}. Record it again.`, {
      file,
    });
  }
  return content;
}

function isRecording(content: unknown): content is Recording {
  return isJsonObject(content) && content['statek model recording'] === version && Array.isArray(content['exchanges']);
}
