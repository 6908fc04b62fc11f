// Again when it may help, as late as asked, never for ever.
import { expect, it } from 'vitest';
import { ModelBadRequestError, ModelOverloadedError, ModelRateLimitError, type ModelError } from '../errors.ts';
import { retry, retryOptions, type RetryOptions } from './retry.ts';
import { ManualTime } from '../testing/manual-time.ts';

interface Run {
  readonly result: Promise<string>;
  readonly time: ManualTime;
  readonly told: string[];
}

function run(errors: readonly Error[], options: RetryOptions = {}, random = 0, skipUpTo = 1e9): Run {
  const time = new ManualTime(0, { skipUpTo });
  const told: string[] = [];
  const left = [...errors];
  const result = retry(
    (attempt) => {
      const error = left.shift();
      return error === undefined ? Promise.resolve(`attempt ${attempt}`) : Promise.reject(error);
    },
    retryOptions(options),
    { clock: time.clock, sleep: time.sleep, random: () => random },
    undefined,
    ({ code }) => told.push(code),
  );
  return { result, time, told };
}

const overloaded = (): ModelError => new ModelOverloadedError('overloaded');
const limited = (retryAfter: number): ModelError => new ModelRateLimitError('slow down', { retryAfter });

it('waits twice as long each time', async () => {
  const { result, time, told } = run([overloaded(), overloaded(), overloaded()]);
  expect(await result).toBe('attempt 4');
  expect(time.waits).toEqual([500, 1000, 2000]);
  expect(told).toEqual(['MODEL_OVERLOADED', 'MODEL_OVERLOADED', 'MODEL_OVERLOADED']);
});

it('takes off a random part of up to half', async () => {
  const { result, time } = run([overloaded(), overloaded()], {}, 0.999_999);
  await result;
  expect(time.waits).toEqual([250, 500]);
});

it('waits no longer than the longest delay', async () => {
  const { result, time } = run([overloaded(), overloaded(), overloaded()], { maxDelay: 700 });
  await result;
  expect(time.waits).toEqual([500, 700, 700]);
});

it('waits as long as the provider asks, and a little more', async () => {
  const { result, time } = run([limited(7000)]);
  expect(await result).toBe('attempt 2');
  expect(time.waits).toEqual([7125]);
});

it('gives up at once when it is asked to wait for too long', async () => {
  const { result, time } = run([limited(61_000)]);
  await expect(result).rejects.toMatchObject({
    code: 'MODEL_RATE_LIMIT',
    details: { retryAfter: 61_000, attempts: 1 },
  });
  expect(time.waits).toEqual([]);
});

it('gives up after the last attempt, and says how many there were', async () => {
  const { result } = run([overloaded(), overloaded(), overloaded()], { attempts: 3 });
  await expect(result).rejects.toMatchObject({
    message: 'overloaded (3 attempts)',
    details: { attempts: 3 },
  });
});

it('begins no attempt after the total time', async () => {
  const { result, time } = run([overloaded(), overloaded(), overloaded(), overloaded()], { total: 2000 });
  await expect(result).rejects.toMatchObject({ details: { attempts: 3 } });
  expect(time.clock.now()).toBe(1500);
});

it('does not try again what cannot succeed', async () => {
  const { result, time } = run([new ModelBadRequestError('no')]);
  await expect(result).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  expect(time.waits).toEqual([]);
});

it('does not touch errors that are not of models', async () => {
  const error = new TypeError('a mistake');
  await expect(run([error]).result).rejects.toBe(error);
});

it.each([
  [{ attempts: 0 }, /'attempts' must be a whole number from 1 to 100/],
  [{ total: -1 }, /'total'/],
  [{ atempts: 3 } as RetryOptions, /no option 'atempts'/],
])('refuses %o', (options, message) => {
  expect(() => retryOptions(options)).toThrow(message);
});
