// A model that is recorded once and replayed in tests: the same requests get the same replies, without a network.
import { refuseUnknownOptions } from '../../base/options.ts';
import type { ModelAnswer, BackendRequest, ModelBackend, ModelTurn } from '../backend.ts';
import { ModelRecordingError } from '../errors.ts';
import { jsonCopy, toJson, type JsonValue } from '../json.ts';
import { describeDifference, firstDifference } from './difference.ts';
import { readRecording, writeRecording, type Exchange, type Recording } from './recording-file.ts';
import { redactSecrets, secretsIn } from './secrets.ts';

/** What is recorded, and what is kept out of the recording. */
export interface RecordedModelOptions {
  /** Records this model instead of replaying: `models.backend('openai/gpt-5-mini')`. */
  readonly record?: ModelBackend;
  /** Texts to redact, in addition to keys, tokens and passwords of the environment. */
  readonly secrets?: readonly string[];
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A model that replays a file, or records it if `record` is given. Recording overwrites the file. */
export function recordedModel(file: string, options: RecordedModelOptions = {}): ModelBackend {
  refuseUnknownOptions('recordedModel', options, { record: true, secrets: true, env: true });
  const secrets = [...secretsIn(options.env ?? process.env), ...(options.secrets ?? [])];
  return options.record === undefined ? new Replayer(file, secrets) : new Recorder(file, secrets, options.record);
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
    this.#exchanges.push({
      request: redactSecrets(toJson(request), this.#secrets),
      answer: redactSecrets(jsonCopy(answer), this.#secrets),
    });
    writeRecording(this.#file, { provider: this.provider, model: this.model, exchanges: this.#exchanges });
    return answer;
  }
}

class Replayer implements ModelBackend {
  readonly provider: string;
  readonly model: string;
  readonly #file: string;
  readonly #secrets: readonly string[];
  readonly #recording: Recording;
  readonly #given = new Set<Exchange>();

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

  /** Requests may come in another order, concurrently or after a restart; each reply is used once. */
  #find(request: JsonValue): ModelAnswer {
    const { exchanges } = this.#recording;
    const left = exchanges.filter((exchange) => !this.#given.has(exchange));
    const [next] = left;
    if (next === undefined) {
      throw new ModelRecordingError(
        `'${this.#file}' has ${exchanges.length} replies, and all were used. If the extra request is intended, record it again.`,
        { file: this.#file },
      );
    }
    const exchange = left.find((one) => firstDifference(one.request, request, 'request') === undefined);
    const difference = firstDifference(next.request, request, 'request');
    if (exchange === undefined && difference !== undefined) {
      const number = exchanges.indexOf(next) + 1;
      throw new ModelRecordingError(
        `The request is not in '${this.#file}'. It differs from request ${number} there ${describeDifference(difference)}\nIf the change is intended, record it again.`,
        { file: this.#file, number, ...difference },
      );
    }
    const found = exchange ?? next;
    this.#given.add(found);
    return structuredClone(found.answer);
  }
}
