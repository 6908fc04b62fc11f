// A model recorded once, and played back in tests: the same requests get the same replies, without a network.
import { refuseUnknownOptions } from '../../base/options.ts';
import type { ModelAnswer, BackendRequest, ModelBackend, ModelTurn } from '../backend.ts';
import { ModelRecordingError } from '../errors.ts';
import { toJson, type JsonValue } from '../json.ts';
import { describeDifference, firstDifference } from './difference.ts';
import { readRecording, writeRecording, type Exchange, type Recording } from './recording-file.ts';
import { redactSecrets, secretsIn } from './secrets.ts';

export interface RecordedModelOptions {
  /** Records what this model says, in place of playing back: `models.backend('openai/gpt-5-mini')`. */
  readonly record?: ModelBackend;
  /** Texts that must not be recorded, in addition to the keys, tokens and passwords of the environment. */
  readonly secrets?: readonly string[];
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A model that plays back a file, or records it if `record` is given. Recording begins the file anew. */
export function recordedModel(file: string, options: RecordedModelOptions = {}): ModelBackend {
  refuseUnknownOptions('recordedModel', options, ['record', 'secrets', 'env']);
  const secrets = [...secretsIn(options.env ?? process.env), ...(options.secrets ?? [])];
  return options.record === undefined ? new Playing(file, secrets) : new Recorder(file, secrets, options.record);
}

class Recorder implements ModelBackend {
  readonly provider: string;
  readonly model: string;
  readonly #file: string;
  readonly #secrets: readonly string[];
  readonly #source: ModelBackend;
  readonly #exchanges: Exchange[] = [];

  constructor(file: string, secrets: readonly string[], source: ModelBackend) {
    this.#file = file;
    this.#secrets = secrets;
    this.#source = source;
    this.provider = source.provider;
    this.model = source.model;
  }

  async answer(request: BackendRequest, turn: ModelTurn): Promise<ModelAnswer> {
    const answer = await this.#source.answer(request, turn);
    const clean = (value: unknown): JsonValue => redactSecrets(toJson(value), this.#secrets);
    this.#exchanges.push({ request: clean(request), answer: clean(answer) as unknown as ModelAnswer });
    writeRecording(this.#file, { provider: this.provider, model: this.model, exchanges: this.#exchanges });
    return answer;
  }
}

class Playing implements ModelBackend {
  readonly provider: string;
  readonly model: string;
  readonly #file: string;
  readonly #secrets: readonly string[];
  readonly #recording: Recording;
  #next = 0;

  constructor(file: string, secrets: readonly string[]) {
    this.#file = file;
    this.#secrets = secrets;
    this.#recording = readRecording(file);
    this.provider = this.#recording.provider;
    this.model = this.#recording.model;
  }

  async answer(request: BackendRequest, turn: ModelTurn): Promise<ModelAnswer> {
    const answer = this.#find(redactSecrets(toJson(request), this.#secrets));
    for (const part of answer.content) {
      if (part.type === 'text' || part.type === 'reasoning') turn.emit({ type: part.type, text: part.text });
      if (part.type === 'tool-call') {
        turn.emit({ type: 'tool-call', id: part.id, name: part.name, text: JSON.stringify(part.input) });
      }
    }
    return answer;
  }

  #find(request: JsonValue): ModelAnswer {
    const number = this.#next;
    const exchange = this.#recording.exchanges[number];
    if (exchange === undefined) {
      throw new ModelRecordingError(
        `'${this.#file}' holds ${this.#recording.exchanges.length} replies, and was asked for one more. Record it again if that is meant.`,
        { file: this.#file, request: number + 1 },
      );
    }
    const difference = firstDifference(exchange.request, request, 'request');
    if (difference !== undefined) {
      throw new ModelRecordingError(
        `Request ${number + 1} is not the one in '${this.#file}': they differ ${describeDifference(difference)}\nRecord it again if that is meant.`,
        { file: this.#file, request: number + 1, ...difference },
      );
    }
    this.#next++;
    return structuredClone(exchange.answer);
  }
}
