// Recordings are JSON that people can read and review. A file of another kind or version is refused, never guessed at.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
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
  mkdirSync(dirname(file), { recursive: true });
  // Whole or not at all, should the test be ended meanwhile.
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
      `The recording '${file}' cannot be read: ${(error as Error).message}. Make it with recordedModel(file, { record }).`,
      { file },
      error,
    );
  }
  if (!isRecording(content)) {
    throw new ModelRecordingError(`'${file}' is not a model recording of version ${version}.`, { file });
  }
  return content;
}

function isRecording(content: unknown): content is Recording {
  return isJsonObject(content) && content['statek model recording'] === version && Array.isArray(content['exchanges']);
}
