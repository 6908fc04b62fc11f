// What only the program of a job can do: end it, and start other jobs. Elsewhere the host refuses each of these.
import { future } from './futures.js';
import { ErrorClass, isArray, promiseAll, promiseThen, toText, TypeErrorClass } from './primordials.js';

function request(role, options, what) {
  if (typeof role !== 'string' || role === '') throw new TypeErrorClass(`${what}(role, options) needs a role.`);
  return { role, options, timeout: options === undefined || options === null ? undefined : options.timeout };
}

/** A conversation with a child: what it answered last, and how to say more to it. */
function conversation(first) {
  return promiseThen(first, ({ id, answer }) => ({
    id,
    answer,
    say(message) {
      return promiseThen(future('subtask', { action: 'say', id, message }), (told) => {
        this.answer = told.answer;
        return told.answer;
      });
    },
  }));
}

/** The job ends with the slice; whoever catches this error changes nothing. */
function ended(message) {
  const error = new ErrorClass(message);
  error.name = 'JobEnded';
  return error;
}

export const jobFunctions = {
  delegate(role, options) {
    return future('child', request(role, options, 'delegate'));
  },
  /** The child sends nothing to anybody: what it would have said is the result. */
  delegateMute(role, options) {
    return future('child', request(role, { ...options, mute: true }, 'delegateMute'));
  },
  /** The child stays there to be talked with. */
  delegateDialog(role, options) {
    return conversation(future('child', { dialog: true, ...request(role, options, 'delegateDialog') }));
  },
  /** Many children in one durable write; all of their results, or the first failure. */
  delegateAll(role, all) {
    if (!isArray(all)) throw new TypeErrorClass('delegateAll(role, [options, …]) needs a list.');
    const children = [];
    for (let index = 0; index < all.length; index++)
      children[index] = future('child', request(role, all[index], 'delegateAll'));
    return promiseAll(children);
  },
  startSubtask(role, options) {
    return future('subtask', { action: 'start', ...request(role, options, 'startSubtask') });
  },
  findSubtask(id) {
    return future('subtask', { action: 'find', id: toText(typeof id === 'object' && id !== null ? id.id : id) });
  },
  completeSubtask(value) {
    return future('subtask', { action: 'complete', value });
  },
  exit(value) {
    void future('end', { outcome: 'completed', value });
    throw ended('The job has ended with exit().');
  },
  fail(reason) {
    void future('end', { outcome: 'failed', reason: toText(reason) });
    throw ended('The job has ended with fail().');
  },
};
