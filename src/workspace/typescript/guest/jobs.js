// What only the program of a job can do: end it, and start other jobs. Elsewhere the host refuses each of these.
import { future } from './futures.js';
import { ErrorClass, toText, TypeErrorClass } from './primordials.js';

function request(role, options, what) {
  if (typeof role !== 'string' || role === '') throw new TypeErrorClass(`${what}(role, options) needs a role.`);
  return { role, options, timeout: options === undefined || options === null ? undefined : options.timeout };
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
